"""Every rule finds what breaks it, leaves what does not, and says where it cannot know."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.derive.findings import Rule, rules
from ingest.load import ingest
from ingest.store import Lease, open_store
from queries.findings.findings import FindingRow, findings
from queries.rules.rule_coverage import rule_coverage
from queries.rules.run_rules import run_rules
from tests.queries.rules.cases import CASES, full, run

# Cases that no native record can tell; they are tested with the sources that tell them.
ELSEWHERE = {"failure-as-veto"}
VIOLATES, OBEYS, LACKS = "violates", "obeys", "lacks"
SETS = [
    (rule, kind)
    for rule, sets in CASES.items()
    for kind, records in zip((VIOLATES, OBEYS, LACKS), sets, strict=True)
    if records
]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lease]:
    folder = tmp_path_factory.mktemp("rules")
    lines = []
    for rule, sets in CASES.items():
        for kind, records in zip((VIOLATES, OBEYS, LACKS), sets, strict=True):
            run_id = f"{rule}/{kind}"
            lines += [json.dumps({**record, "run_id": run_id}).replace("{run}", run_id) for record in records]
    lines += [json.dumps({**full(n), "run_id": "five-times"}) for n in range(1, 6)]
    lines += [json.dumps({**run(status="succeeded"), "run_id": "quiet"})]
    (folder / "cases.jsonl").write_text("\n".join(lines) + "\n")
    report = ingest([str(folder / "cases.jsonl")], folder / "s.duckdb")
    assert report.totals.rejected == 0
    with open_store(folder / "s.duckdb").lease() as lease:
        yield lease


def found(lease: Lease, run_id: str, rule: str) -> tuple[FindingRow, ...]:
    return findings(lease, run=f"faultlens:{run_id}", rule=rule).rows


def test_every_rule_of_the_domain_is_there_and_has_its_cases() -> None:
    names = {rule.rule for rule in rules()}
    assert len(names) == 42
    assert names == CASES.keys() | ELSEWHERE


@pytest.mark.parametrize(("rule", "kind"), SETS, ids=[f"{rule}-{kind}" for rule, kind in SETS])
def test_a_rule_judges_its_case(judged: Lease, rule: str, kind: str) -> None:
    of_run = findings(judged, run=f"faultlens:{rule}/{kind}", rule=rule).rows
    verdict = next(row for row in run_rules(judged, run=f"faultlens:{rule}/{kind}") if row.rule == rule)
    assert bool(of_run) == (kind == VIOLATES)
    assert (verdict.evaluated, verdict.not_evaluable) in {
        VIOLATES: {(True, False), (True, True)}, OBEYS: {(True, False)}, LACKS: {(False, True), (True, True)},
    }[kind]  # fmt: skip


@pytest.mark.parametrize("rule", [rule for rule, sets in CASES.items() if sets[0]])
def test_a_finding_says_what_and_shows_its_evidence(judged: Lease, rule: str) -> None:
    row = found(judged, f"{rule}/{VIOLATES}", rule)[0]
    assert row.message
    assert json.loads(row.evidence or "")
    assert row.severity in {"warning", "error", "critical"}


def test_a_signature_retried_five_times_is_one_attempt_four_repeats_and_one_finding(judged: Lease) -> None:
    (only,) = findings(judged, run="faultlens:five-times").rows
    evidence = json.loads(only.evidence or "")
    assert (only.rule, evidence["attempts"], evidence["repeats"]) == ("retry-unchanged", 1, 4)


def test_the_loop_of_a_circulating_task_is_named_in_full(judged: Lease) -> None:
    (row,) = found(judged, f"task-circulates/{VIOLATES}", "task-circulates")
    assert json.loads(row.evidence or "")["loop"] == ["A", "B", "C", "A"]


def test_a_run_that_breaks_nothing_has_no_finding(judged: Lease) -> None:
    assert not findings(judged, run="faultlens:quiet").rows


def test_coverage_lists_every_rule_and_adds_up(judged: Lease) -> None:
    rows = rule_coverage(judged).rows
    assert {row.rule for row in rows} == {rule.rule for rule in rules()}
    assert sum(row.findings for row in rows) == len(findings(judged))


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: str(rule.rule))
def test_a_rule_says_what_it_asks_and_what_to_do(rule: Rule) -> None:
    assert rule.statement.endswith(".")
    assert rule.advice.endswith(".")
    assert rule.needs


SAMPLES = Path(__file__).parents[3] / "sample_traces" / "bijux_agent"
EXPECTED = [
    ("veto-certain", "finalize_veto_certain_invalid", True),
    ("veto-certain", "finalize_veto_uncertain", False),
    ("replay-claimed", "aborted_fatal_failure", True),
    ("replay-claimed", "aborted_execution_error", True),
    ("replay-claimed", "aborted_resource_exhaustion", True),
    ("replay-claimed", "aborted_validation_error", False),
    ("replay-claimed", "nonreplayable_temperature", False),
    ("replay-claimed", "success", False),
    ("trace-invalid", "success", False),
    ("phase-order", "aborted_fatal_failure", False),
]
CONTRADICTIONS = {
    "aborted_epistemic_contradictory",
    "aborted_epistemic_uncertain",
    "aborted_execution_error",
    "aborted_fatal_failure",
    "aborted_max_iterations",
    "aborted_validation_error",
    "aborted_verification_veto",
    "workflow_abort_fatal",
    "workflow_abort_security",
    "workflow_exhausted_unknown_error",
}


@pytest.fixture(scope="module")
def agent_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lease]:
    store = tmp_path_factory.mktemp("agent") / "s.duckdb"
    ingest([str(SAMPLES)], store)
    with open_store(store).lease() as lease:
        yield lease


def broken(lease: Lease, rule: str) -> set[str]:
    """The files whose runs break a rule, below the samples."""
    rows = lease.rows(
        "SELECT DISTINCT path FROM findings JOIN runs USING (run_id) JOIN source_files"
        " ON source_files.file_id = runs.file_id WHERE rule = $rule",
        {"rule": rule},
    )
    return {Path(row["path"]).as_posix() for row in rows}


@pytest.mark.parametrize(("rule", "trace", "breaks"), EXPECTED)
def test_the_agent_traces_break_what_they_should(agent_runs: Lease, rule: str, trace: str, *, breaks: bool) -> None:
    assert any(path.endswith(f"traces/{trace}.json") for path in broken(agent_runs, rule)) == breaks


def test_ten_traces_contradict_their_own_status(agent_runs: Lease) -> None:
    traces = {Path(path).stem for path in broken(agent_runs, "status-contradiction") if "/traces/" in path}
    assert traces == CONTRADICTIONS


def test_execution_failures_of_the_command_line_are_no_vetoes(agent_runs: Lease) -> None:
    paths = {path for path in broken(agent_runs, "failure-as-veto") if "/cli/" in path}
    assert {name for name in ("hybrid-good", "extractive-good", "loop-noisy") if any(name in p for p in paths)} == {
        "hybrid-good",
        "extractive-good",
    }
    rows = run_rules(agent_runs, run="run-87eccee6caaa42ffa08c6dd533eb05ca").rows
    assert next(row for row in rows if row.rule == "failure-as-veto").not_evaluable


def test_every_one_entry_trace_of_the_command_line_is_invalid(agent_runs: Lease) -> None:
    rows = agent_runs.rows(
        "SELECT count(*) AS traces,"
        " count(*) FILTER (run_id IN (SELECT run_id FROM findings WHERE rule = 'trace-invalid')) AS invalid"
        " FROM runs WHERE json_extract_string(attributes, '$.lifecycle') = 'command_line'"
    )
    assert rows[0]["traces"] == rows[0]["invalid"] == 7
