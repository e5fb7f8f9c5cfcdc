"""Where failures were observed against where they began: by hand, by an oracle, and with what people say."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from ingest.load import ingest
from ingest.reviews import Review, write
from ingest.store import AnyStore, Lease, open_store
from queries.origins.origin_figures import origin_figures
from queries.origins.origin_matrix import origin_matrix
from queries.origins.origins import OriginRow, origins
from queries.origins.phases import phases
from queries.origins.undiagnosed import undiagnosed
from tests.queries.origins.conftest import STORIES

NEXUS = ["PLAN", "PREPARE", "CHAIN_SELECT", "EXECUTE", "AGGREGATE", "VERIFY", "REVIEW", "DELIVER"]
ALIASES = {"CLASSIFY": "PLAN", "EXECUTE_LOOP": "EXECUTE", "DO": "EXECUTE", "CHECK": "VERIFY"}
AGENT = ["INIT", "PLAN", "EXECUTE", "JUDGE", "VERIFY", "FINALIZE", "DONE"]


def expected() -> list[dict[str, str]]:
    with (STORIES / "EXPECTED.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def written(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


@pytest.mark.parametrize("wanted", expected(), ids=lambda wanted: wanted["run"])
def test_every_story_is_read_as_it_was_meant(stories: Lease, wanted: dict[str, str]) -> None:
    (row,) = origins(stories, run=wanted["run"])
    columns = [name for name in wanted if name not in {"run", "event"}]
    assert {name: written(getattr(row, name)) for name in columns} == {name: wanted[name] for name in columns}
    assert row.event_id == wanted["event"]


def native(path: Path, *records: str) -> AnyStore:
    file = path / f"n{len(list(path.glob('n*.jsonl')))}.jsonl"
    file.write_text("\n".join(records) + "\n", encoding="utf-8")
    ingest([str(file)], path / "store.duckdb")
    return open_store(path / "store.duckdb")


def diagnosed(path: Path, observed: str, originated: str) -> OriginRow:
    store = native(
        path,
        '{"record": "run", "run_id": "r", "status": "failed"}',
        '{"record": "error_event", "run_id": "r", "event_id": "e", "type": "x"}',
        '{"record": "diagnosis", "run_id": "r", "event_id": "e", '
        f'"observed_at": "{observed}", "originated_at": "{originated}"}}',
    )
    with store.lease() as lease:
        (row,) = origins(lease)
        return row


@pytest.mark.parametrize(
    ("observed", "originated", "phases", "distance"),
    [
        ("VERIFY / step 3", "CLASSIFY / acceptance criteria", ("VERIFY", "PLAN"), 5),
        ("verify", "plan", ("VERIFY", "PLAN"), 5),
        ("CHECK: tests", "DO", ("VERIFY", "EXECUTE"), 2),
        ("Execute loop / step 4", "chain-select", ("EXECUTE", "CHAIN_SELECT"), 1),
        ("phase VERIFY, step 2", "EXECUTE step 1", ("VERIFY", "EXECUTE"), 2),
        ("review", "DELIVER", ("REVIEW", "DELIVER"), -1),
        ("EXECUTE (second try)", "EXECUTE", ("EXECUTE", "EXECUTE"), 0),
        ("FINALIZE", "JUDGE", ("FINALIZE", "JUDGE"), 2),
        ("JUDGE", "CLASSIFY", ("JUDGE", "PLAN"), None),
        ("AGGREGATE", "FINALIZE", ("AGGREGATE", "FINALIZE"), None),
        ("step 3", "PLAN", (None, "PLAN"), None),
        ("VERIFY", "a stale manual", ("VERIFY", None), None),
        ("VERIFYING", "PLANNED", (None, None), None),
        ("ABORTED", "PLAN", (None, "PLAN"), None),
    ],
)
def test_a_distance_exists_within_one_order_only(
    tmp_path: Path, observed: str, originated: str, phases: tuple[str | None, str | None], distance: int | None
) -> None:
    row = diagnosed(tmp_path, observed, originated)
    assert (row.observed_phase, row.originated_phase) == phases
    assert row.distance == distance


@pytest.mark.parametrize("observed", [*NEXUS, *ALIASES])
@pytest.mark.parametrize("originated", ["CLASSIFY", "EXECUTE", "DELIVER"])
def test_distance_is_the_difference_of_the_places_in_the_order(tmp_path: Path, observed: str, originated: str) -> None:
    place = {phase: NEXUS.index(ALIASES.get(phase, phase)) for phase in [*NEXUS, *ALIASES]}
    assert diagnosed(tmp_path, observed, originated).distance == place[observed] - place[originated]


def test_the_lifecycles_are_the_documented_ones(stories: Lease) -> None:
    of = {lifecycle: [row.phase for row in phases(stories, lifecycle=lifecycle)] for lifecycle in ("nexus", "agent")}
    assert of == {"nexus": NEXUS, "agent": AGENT}
    assert {row.also for row in phases(stories) if row.phase == "EXECUTE" and row.lifecycle == "nexus"} == {
        "DO, EXECUTE_LOOP"
    }


def test_the_matrix_is_the_count_of_the_origins(stories: Lease) -> None:
    counted = Counter((row.observed_phase, row.originated_phase) for row in origins(stories))
    assert {(row.observed_phase, row.originated_phase): row.failures for row in origin_matrix(stories)} == counted
    for row in origin_matrix(stories):
        assert row.reviewed + row.recorded + row.derived == row.failures
        assert row.origin_after <= row.comparable <= row.failures


def test_the_figures_are_the_count_of_the_origins(stories: Lease) -> None:
    rows, figures = origins(stories).rows, origin_figures(stories).first
    assert figures is not None
    distances = sorted(row.distance for row in rows if row.distance is not None)
    assert figures.diagnosed == len(rows) == 8
    assert figures.comparable == len(distances) == 6
    assert figures.moved == sum(distance != 0 for distance in distances) == 5
    assert figures.origin_after == sum(distance < 0 for distance in distances) == 1
    assert figures.provisional == sum(row.provisional for row in rows) == 1
    assert figures.trigger_is_cause == 1
    assert figures.prevention_null == 1
    # Wilson 95 % of 5 of 6, by the textbook formula.
    assert figures.elsewhere_low == pytest.approx(0.4365, abs=1e-4)
    assert figures.elsewhere_high == pytest.approx(0.9699, abs=1e-4)


def test_what_was_derived_does_not_pass_for_recorded(tmp_path: Path) -> None:
    store = native(
        tmp_path,
        '{"record": "run", "run_id": "r", "status": "failed"}',
        '{"record": "error_event", "run_id": "r", "event_id": "e", "type": "x", "seq": 1}',
        '{"record": "diagnosis", "run_id": "r", "event_id": "e", "diagnosis_id": "d1", "observed_at": "VERIFY"}',
        '{"record": "diagnosis", "run_id": "r", "event_id": "e", "diagnosis_id": "d2", "observed_at": "VERIFY",'
        ' "originated_at": "PLAN", "trigger": "t", "basis": "derived", "rule": "guess: why"}',
    )
    with store.lease() as lease:
        (row,) = origins(lease)
        (pair,) = origin_matrix(lease)
    assert (row.basis, row.observed_at) == ("recorded", "VERIFY")
    assert (row.originated_at, row.trigger, row.rule) == (None, None, None)
    assert (pair.observed_phase, pair.originated_phase) == ("VERIFY", None)


def test_a_review_stands_before_the_record_which_stays_beside_it(tmp_path: Path) -> None:
    store = _reviewed(tmp_path, originated_at="PREPARE / index", root_cause="the index is old")
    with store.lease() as lease:
        (row,) = origins(lease, run="origin-acceptance")
        assert (row.basis, row.originated_at, row.originated_phase, row.distance) == (
            "reviewed",
            "PREPARE / index",
            "PREPARE",
            4,
        )
        assert row.recorded_originated_at == "CLASSIFY / acceptance criteria"
        assert row.recorded_root_cause == "the acceptance criteria name no limit"
        assert row.trigger == "a refund of 740 came in", "what the reviewer left alone is the record's"
        assert row.author == "Mara"
        (cell,) = (c for c in origin_matrix(lease) if c.originated_phase == "PREPARE" and c.observed_phase == "VERIFY")
        assert (cell.failures, cell.reviewed) == (1, 1)


def _reviewed(path: Path, **fields: str) -> AnyStore:
    ingest([str(STORIES / "acceptance.jsonl"), str(STORIES / "suspected.jsonl")], path / "store.duckdb")
    store = open_store(path / "store.duckdb")
    body = {"verdict": "overridden", **fields}
    write(store, [Review("faultlens:origin-acceptance", "diagnosis", "Mara", body, event_id="e1")])
    return store


def test_a_reviewed_origin_takes_a_run_off_the_list_of_those_without(tmp_path: Path) -> None:
    store = _reviewed(tmp_path)
    with store.lease() as lease:
        assert [row.run_id for row in undiagnosed(lease)] == ["faultlens:origin-suspected"]
    body = {"verdict": "overridden", "originated_at": "EXECUTE / step 2"}
    write(store, [Review("faultlens:origin-suspected", "diagnosis", "Tom", body, event_id="e3")])
    with store.lease() as lease:
        assert len(undiagnosed(lease)) == 0
        (row,) = origins(lease, run="origin-suspected")
        assert (row.basis, row.recorded_basis, row.step_distance) == ("reviewed", None, 3)


def test_a_provisional_fix_stays_open_whatever_its_status(stories: Lease) -> None:
    (row,) = (row for row in origins(stories) if row.provisional)
    assert (row.run_id, row.status, row.durable) == ("faultlens:origin-provisional", "closed", True)
