"""The measurement itself: its intervals, its baselines, its fit, and that the query ships what was fitted."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from ingest.store import open_store
from tests.attribution import __main__ as report
from tests.attribution import labelled
from tests.attribution.fit import FILES, QUERY, SHAPES, with_weights
from tests.attribution.labelled import SPLITS, Case, Step, agent_key
from tests.attribution.measure import Share, baselines, hits, shares
from tests.attribution.ranking import Claims, chosen, fitted, out_of_fold


def case(step: int, *texts: str, agent: str = "B") -> Case:
    steps = tuple(Step("AB"[number % 2], text) for number, text in enumerate(texts))
    return Case(SPLITS[0], f"c{step}", f"d{step}", "run", agent, step, steps)


@pytest.mark.parametrize(
    ("found", "of", "low", "high"),
    [(0, 5, 0, 0.434), (3, 10, 0.108, 0.603), (8, 25, 0.172, 0.516), (30, 100, 0.219, 0.396), (20, 250, 0.052, 0.120)],
)
def test_the_interval_is_wilsons(found: int, of: int, low: float, high: float) -> None:
    assert Share(found, of).interval == pytest.approx((low, high), abs=5e-4)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (3, (True, True, True, True)),
        (2, (False, False, True, True)),
        (5, (True, False, False, True)),
        (0, (False, False, False, True)),
        (None, (False, False, False, False)),
    ],
)
def test_what_counts_as_a_hit(step: int | None, expected: tuple[bool, ...]) -> None:
    assert hits(case(3, *"......"), step) == expected


def test_baselines_by_hand() -> None:
    cases = [case(1, "an error is the task", "fine", "Traceback: x", "fine"), case(1, "fine", "fine", "fine")]
    assert baselines(cases) == {
        "last step": [3, 2],
        "first error-like text": [2, None],
        "step before it": [1, None],
        "constant step (1, chosen on these files)": [1, 1],
    }


def test_a_mean_over_rounds_is_no_larger_sample() -> None:
    cases = [case(1, "a", "b"), case(1, "a", "b")]
    assert shares(cases, [[1, 0], [1, 1]])[1] == Share(1.5, 2)


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("Orchestrator (thought)", "orchestrator"),
        ("Orchestrator (-> WebSurfer)", "Orchestrator"),
        ("Websurfer", "WebSurfer"),
    ],
)
def test_agents_are_compared_by_name(written: str, same: str) -> None:
    assert agent_key(written) == agent_key(same)


def runs(number: int) -> list[Claims]:
    """The step that `guilty` holds of is the labelled one; `loud` holds of another."""
    rules = (frozenset[str](), frozenset({"loud"}), frozenset({"guilty"}), frozenset[str]())
    return [Claims(case(2, *"...."), rules) for _ in range(number)]


def test_the_fit_finds_the_rule_that_tells_and_few_files_cannot_make_it_large() -> None:
    few, many = (fitted(runs(number), ("guilty", "loud")) for number in (3, 300))
    assert many[0] > few[0] > 0 > few[1] > many[1]
    assert few[0] < 0.5
    assert chosen(runs(1)[0], ("guilty", "loud"), many) == 2


def test_a_file_is_judged_by_weights_that_never_saw_it() -> None:
    """Labels that follow no rule cannot be learned: in-sample they may look so, out of fold they do not."""
    noise = np.random.default_rng(7)
    claims = [
        Claims(case(int(noise.integers(5)), *"....."), tuple(frozenset({f"own-{number}-{step}"}) for step in range(5)))
        for number in range(40)
    ]
    names = sorted({rule for c in claims for held in c.rules for rule in held})
    in_sample = fitted(claims, names, ridge=0.1)
    assert sum(chosen(c, names, in_sample) == c.case.step for c in claims) == 40
    assert set(out_of_fold(claims, names, seed=0, ridge=0.1)) == {0}, "all that is left is the first of equal steps"


def test_the_query_ships_a_weight_for_every_rule_and_no_other() -> None:
    block = re.search(r"-- weights: begin\n(.*?)    -- weights: end", QUERY.read_text(encoding="utf-8"), re.DOTALL)
    assert block
    shipped = re.findall(r"\('(\w+)', '([a-z-]+)', (-?[0-9.]+)\)", block[1])
    assert {(shape, rule) for shape, rule, _ in shipped} == {
        (s, rule) for s, (_, rules) in SHAPES.items() for rule in rules
    }
    assert any(float(weight) for *_, weight in shipped)
    assert len(FILES.read_text(encoding="utf-8").split()) == len(set(FILES.read_text(encoding="utf-8").split()))


def test_writing_weights_changes_nothing_else() -> None:
    sql = QUERY.read_text(encoding="utf-8")
    changed = with_weights(sql, [("group", "late", 1.25)])
    assert "('group', 'late', 1.250)\n    -- weights: end" in changed
    assert changed.partition("-- weights: begin")[0] == sql.partition("-- weights: begin")[0]
    assert changed.partition("-- weights: end")[2] == sql.partition("-- weights: end")[2]


def test_the_samples_can_be_measured_and_files_never_seen_are_told_apart(tmp_path: Path) -> None:
    samples = Path(__file__).parents[2] / "sample_traces"
    split = tmp_path / "who_and_when" / "algorithm_generated"
    split.mkdir(parents=True)
    text = (samples / "message_list" / "47.json").read_text(encoding="utf-8")
    (split / "47.json").write_text(text, encoding="utf-8")
    (split / "48.json").write_text(text.replace("Babylonian", "Sumerian"), encoding="utf-8")
    (tmp_path / "agentrx" / "tau").mkdir(parents=True)
    (tmp_path / "agentrx" / "ground_truth").mkdir()
    for name, place in (
        ("tau_trajectories", "tau/tau_dataset_failed"),
        ("tau_ground_truth", "ground_truth/tau_ground_truth"),
    ):
        (tmp_path / "agentrx" / f"{place}.json").write_bytes((samples / "agentrx" / f"{name}.json").read_bytes())
    text = "\n".join(report.report(tmp_path))
    assert "## Who&When algorithm-generated (2 runs)" in text
    assert "## AgentRx tau (2 runs)" in text
    assert "never saw these files" in text
    assert "cross-validated |" not in text, "two files are too few to fit anything"


def test_labels_never_reach_the_store_that_is_judged(tmp_path: Path) -> None:
    folder = tmp_path / "agentrx"
    for below, name, source in (
        ("tau", "tau_dataset_failed", "tau_trajectories"),
        ("ground_truth", "tau_ground_truth", "tau_ground_truth"),
    ):
        (folder / below).mkdir(parents=True)
        sample = Path(__file__).parents[2] / "sample_traces" / "agentrx" / f"{source}.json"
        (folder / below / f"{name}.json").write_bytes(sample.read_bytes())
    labelled.loaded(tmp_path, tmp_path / "s.duckdb")
    with open_store(tmp_path / "s.duckdb").lease() as lease:
        assert lease.rows("SELECT count(*) AS n FROM diagnoses") == [{"n": 0}]
        assert lease.rows("SELECT count(*) AS n FROM error_events WHERE basis = 'recorded'") == [{"n": 0}]
        assert len(labelled.cases(tmp_path, lease)) == 2
