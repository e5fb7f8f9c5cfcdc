"""Words and records that look like a violation and are none, beside those that are one in the same words."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from ingest.load import ingest
from ingest.store import Lease, open_store
from queries.findings.findings import findings
from queries.rules.run_rules import run_rules
from tests.queries.rules.cases import Records, delegation, error, full, guard, handoff, recovery, run, span

FOUND, NOT_FOUND, NOT_EVALUABLE = "found", "not found", "not evaluable"


def failed(action: str, tool_error_class: str = "execution") -> Records:
    return [error(1, tool_error_class=tool_error_class, step="3/7", action=action)]


def partial(action: str) -> Records:
    return failed(action, "partial_success")


def conflict(action: str) -> Records:
    return failed(action, "state_conflict")


def unknown(action: str) -> Records:
    return [error(1, tool_error_class="unknown_outcome", resource="order-1", step="3/7", action=action)]


def chain(name: str, trigger: str) -> Records:
    return [error(1), recovery(2, chain=name, trigger=trigger, outcome="RECOVERED")]


def redone(*units: str) -> Records:
    failure = error(1, tool_error_class="partial_success", step="3/7", failed_units=["b"])
    return [failure, span(3, step_index=3, units=list(units))]


DENIED = {"tool_error_class": "policy_denial", "resource": "db/prod", "step": "3/7"}
CAPTURE = {"level": "L0", "artifact_state": "empty", "step": "2/3"}
LATER = {"exit_code": "124", "step": "2/3"}
OPEN = {"tool_error_class": "unknown_outcome", "resource": "order-1"}

# rule, records, verdict.
CASES: list[tuple[str, Records, str]] = [
    *(("retry-class", failed(action), NOT_FOUND) for action in (
        "Do not retry; escalate to the owner", "stop, no retry", "no more retries; escalate", "will not be retried",
        "without retrying, roll back", "abort, never retry", "diagnose the work before any retry",
        "don't rerun, open an issue", "skip the retries and hand over", "retry budget exhausted, ask the user",
        "retry with the corrected argument", "Diagnose the failing build, then rerun",
    )),
    *(("retry-class", failed(action), FOUND) for action in (
        "retry", "retry unchanged", "Nothing changed, re-run", "not fixed; retrying", "The health check failed, retry",
        "retry without any change", "No idea why; repeat the call", "Retry instead of escalating",
    )),
    ("retry-class", failed("retry with backoff", "transport"), NOT_FOUND),
    ("retry-class", [error(1, tool_error_class="execution", transient=True, step="3/7", action="retry")], FOUND),
    ("retry-class", [error(1, tool_error_class="unknown_outcome", agent_error_code="TIMEOUT", action="retry")], FOUND),
    ("retry-class", [full(n, agent_error_code="VALIDATION_ERROR", transient=True) for n in (1, 2)], FOUND),
    ("retry-class", [full(n, agent_error_code="TIMEOUT") for n in (1, 2)], NOT_FOUND),
    # Four failures of one agent are not four retries of one step.
    ("retry-budget", [error(n, tool_error_class="transport", agent="Builder", error_code=f"E{n}", action="retry")
                      for n in range(1, 5)], NOT_FOUND),
    ("retry-budget", [error(n, tool_error_class="transport", type=f"net {n} down", action="retry")
                      for n in range(1, 5)], NOT_EVALUABLE),
    ("retry-budget", [error(n, tool_error_class="transport", agent="Builder", error_code="E", action="retry")
                      for n in range(1, 5)], FOUND),
    *(("partial-rerun-whole", partial(action), NOT_FOUND) for action in (
        "retry all failed shards", "Re-run all 3 failing files", "retry every remaining unit; full report follows",
    )),
    ("partial-rerun-whole", partial("re-run the whole batch"), FOUND),
    ("partial-rerun-whole", partial("do not re-run everything, redo shard 4"), NOT_EVALUABLE),
    ("partial-rerun-whole", redone("x", "y"), NOT_EVALUABLE),
    ("partial-rerun-whole", redone("b"), NOT_FOUND),
    ("partial-rerun-whole", redone("a", "b"), FOUND),
    *(("conflict-forced", conflict(action), NOT_FOUND) for action in (
        "do not force; escalate to the owner", "enforce the revision check, ask the owner",
        "stop without overwriting and ask", "workforce agent informed", "re-read revision 7, then write",
    )),
    *(("conflict-forced", conflict(action), FOUND) for action in (
        "git push --force", "force-merge the branch", "overwrite the remote", "forced the write through",
    )),
    ("policy-denial-bypassed", [error(1, **DENIED), error(2, level="L4", resource="db/prod", result="ESCALATED")],
     NOT_FOUND),
    ("policy-denial-bypassed", [guard(1, decision="deny", destination="db/prod"), error(2, **DENIED)], NOT_FOUND),
    ("policy-denial-bypassed", [error(1, span_id="s2", **DENIED), span(2, target="db/prod")], NOT_FOUND),
    ("policy-denial-bypassed", [guard(1, decision="deny", destination="db/prod"), error(2, **DENIED),
                                span(3, target="db/prod")], FOUND),
    ("policy-denial-bypassed", [error(1, **DENIED), error(3, **DENIED)], FOUND),
    ("unknown-outcome-collapsed", unknown("check the ledger first, then retry"), NOT_FOUND),
    ("unknown-outcome-collapsed", unknown("do not retry; ask"), NOT_FOUND),
    ("unknown-outcome-collapsed", unknown("retry after 5 s, then check"), FOUND),
    ("unknown-outcome-collapsed", [error(1, **OPEN), error(2, level="L4", resource="order-1", result="ESCALATED")],
     NOT_FOUND),
    ("unknown-outcome-collapsed", [error(1, **OPEN), error(2, tool_error_class="execution", resource="order-1")],
     FOUND),
    ("capture-escalated", [error(1, level="L4", artifact_state="missing", transcript="no content", log="quota")],
     NOT_FOUND),
    ("capture-escalated", [error(1, level="L1", artifact_state="missing", transcript="model content")], FOUND),
    ("capture-escalated", [error(1, **CAPTURE), error(2, level="L1", **LATER)], FOUND),
    ("capture-escalated", [error(1, **CAPTURE), error(2, level="L2", artifact_state="present with sentinel", **LATER)],
     NOT_FOUND),
    ("capture-escalated", [error(1, level="L0", artifact_state="empty"), error(2, level="L1", exit_code="1")],
     NOT_EVALUABLE),
    ("level-skipped-up", [error(n, level="L4", step=f"{n}/7") for n in (1, 2, 3)], NOT_EVALUABLE),
    ("level-skipped-up", [error(n, level="L4", result="ESCALATED") for n in (1, 2, 3)], FOUND),
    ("chain-mismatch", chain("A", "tests failing: pass rate 36%"), NOT_EVALUABLE),
    ("chain-mismatch", chain("A", "failover after 30% CPU"), NOT_EVALUABLE),
    ("chain-mismatch", chain("A", "test failure 60 %, no breaking change"), NOT_FOUND),
    ("chain-mismatch", chain("A", "test_failure 60% (non-breaking)"), NOT_FOUND),
    ("chain-mismatch", chain("B", "test failure 84,5 %"), NOT_FOUND),
    ("chain-mismatch", chain("A", "breaking change in the API"), FOUND),
    ("task-circulates", [delegation(1, "t", "A", "B", visited=["A", "B"])], NOT_FOUND),
    ("task-circulates", [delegation(1, "t", "C", "B", visited=["B", "C"])], FOUND),
    ("handoff-second-bounce", [handoff(1, condition="Missing field"), handoff(2, condition="missing field ")], FOUND),
    ("budget-open", [error(1, type="budget_warning", step="2/5"), span(3, step_index=3)], NOT_FOUND),
    ("budget-open", [error(1, type="BudgetExceededError", step="2/5"), span(3, step_index=3)], FOUND),
]  # fmt: skip
NAMES = [f"{number}-{rule}-{verdict}" for number, (rule, _, verdict) in enumerate(CASES)]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lease]:
    folder = tmp_path_factory.mktemp("innocent")
    lines = [
        json.dumps({**record, "run_id": name})
        for name, (_, records, _) in zip(NAMES, CASES, strict=True)
        for record in [run(), *records]
    ]
    (folder / "cases.jsonl").write_text("\n".join(lines) + "\n")
    assert ingest([str(folder / "cases.jsonl")], folder / "s.duckdb").totals.rejected == 0
    with open_store(folder / "s.duckdb").lease() as lease:
        yield lease


@pytest.mark.parametrize(("name", "case"), list(zip(NAMES, CASES, strict=True)), ids=NAMES)
def test_the_rule_reads_what_is_meant(judged: Lease, name: str, case: tuple[str, Records, str]) -> None:
    rule, _, wanted = case
    of_run = findings(judged, run=f"faultlens:{name}", rule=rule).rows
    assert bool(of_run) == (wanted == FOUND)
    if wanted == NOT_EVALUABLE:
        verdict = next(row for row in run_rules(judged, run=f"faultlens:{name}") if row.rule == rule)
        assert verdict.not_evaluable
