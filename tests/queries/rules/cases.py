"""For each conformance rule the records that break it, that just do not, and that do not say what it needs."""

from __future__ import annotations

from typing import Any

Records = list[dict[str, Any]]


def run(**keys: Any) -> dict[str, Any]:
    return {"record": "run", "status": "failed", **keys}


def error(seq: int = 1, **keys: Any) -> dict[str, Any]:
    return {"record": "error_event", "event_id": f"e{seq}", "seq": seq, **keys}


def full(seq: int, **keys: Any) -> dict[str, Any]:
    """An error whose signature is full, the same for every one."""
    same = {
        "phase": "EXECUTE",
        "step": "3/7",
        "error_code": "E_ASSERT",
        "location": "src/a.py:87",
        "state_hash": "9f2c",
    }
    return error(seq, **{**same, **keys})


def recovery(seq: int = 5, **keys: Any) -> dict[str, Any]:
    return {"record": "recovery_event", "event_id": f"r{seq}", "seq": seq, **keys}


def guard(seq: int, **keys: Any) -> dict[str, Any]:
    return {"record": "guardrail_event", "event_id": f"g{seq}", "seq": seq, "level": "L3", **keys}


def span(seq: int = 3, **keys: Any) -> dict[str, Any]:
    return {"record": "span", "span_id": f"s{seq}", "seq": seq, "kind": "tool", "status": "ok", **keys}


def diagnosis(**keys: Any) -> dict[str, Any]:
    return {"record": "diagnosis", "diagnosis_id": "d1", "seq": 9, **keys}


def delegation(seq: int, task: str | None, sender: str, receiver: str, **keys: Any) -> dict[str, Any]:
    return {
        "record": "delegation", "event_id": f"d{seq}", "seq": seq, "task_id": task, "from_agent": sender,
        "to_agent": receiver, **keys,
    }  # fmt: skip


def wait(seq: int, waiter: str | None, holder: str, **keys: Any) -> dict[str, Any]:
    return {"record": "wait", "event_id": f"w{seq}", "seq": seq, "waiter": waiter, "holder": holder, **keys}


def owner(
    seq: int, task: str | None, agent: str | None, since: str | None = None, until: str | None = None
) -> dict[str, Any]:
    return {
        "record": "task_owner", "event_id": f"o{seq}", "seq": seq, "task_id": task, "agent": agent, "since": since,
        "until": until,
    }  # fmt: skip


def handoff(seq: int, **keys: Any) -> dict[str, Any]:
    return {
        "record": "handoff", "event_id": f"h{seq}", "seq": seq, "from_agent": "A", "to_agent": "B", "status": "refused",
        **keys,
    }  # fmt: skip


def reported(**keys: Any) -> dict[str, Any]:
    return {"record": "reported_metrics", "seq": 9, "chain": "A", **keys}


def reset(**keys: Any) -> dict[str, Any]:
    return {"record": "context_op", "event_id": "c1", "seq": 2, "op": "reset", **keys}


def replay(seq: int = 1, **keys: Any) -> dict[str, Any]:
    return {"record": "replay", "event_id": f"p{seq}", "seq": seq, "replay_of": "r0", **keys}


def trace(**keys: Any) -> dict[str, Any]:
    """A run as the agent's trace adapter tells it, whole unless a key says otherwise."""
    whole = {
        "record": "run_trace", "replay_status": "REPLAYABLE", "config_hash": "c", "convergence_hash": "v",
        "runtime_version": "1", "model_metadata": {"temperature": 0.0}, "header_status": "completed",
        "header_termination_reason": "completed", "entries": 1,
        "phases": ["PLAN", "EXECUTE", "JUDGE", "VERIFY", "FINALIZE"],
        "last_entry": {"prompt_hash": "p", "model_hash": "m", "has_run_fingerprint": True},
    }  # fmt: skip
    status = keys.pop("status", "succeeded")
    return {"record": "run", "status": status, "attributes": {**whole, **keys}}


def entry(**keys: Any) -> dict[str, Any]:
    whole = {
        "input": {"task_goal": "sum up", "context_id": "c1"}, "scores": {"quality": 0.9},
        "output": {"text": "done", "confidence": 0.9, "metadata": {"contract_version": "1.0"}},
        "replay_metadata": {"input_hash": "i", "model_id": "m"},
    }  # fmt: skip
    phase = keys.pop("phase", "PLAN")
    return {
        "record": "span", "span_id": "entry-0", "seq": 1, "kind": "entry", "phase": phase, "status": "ok",
        "attributes": {**whole, **keys},
    }  # fmt: skip


TEN, ELEVEN, NOON, ONE = (f"2026-11-30T{hour}:00:00Z" for hour in (10, 11, 12, 13))
BY_ITSELF: dict[str, Any] = {"chain": "A", "auto_executed": True}
UNKNOWN: dict[str, Any] = {"tool_error_class": "unknown_outcome", "resource": "refund-9"}

# rule → records that break it, that just do not, that do not say what it needs.
CASES: dict[str, tuple[Records, Records, Records]] = {
    "retry-unchanged": (
        [full(1), full(2)],
        [full(1, action="Builder fixed the fixture"), full(2)],
        [full(1, state_hash=None), full(2, state_hash=None)],
    ),
    "retry-class": (
        [full(1, tool_error_class="execution", action="retry")],
        [full(1, tool_error_class="transport", action="retry")],
        [full(1, action="retry")],
    ),
    "retry-budget": (
        [full(n, tool_error_class="transport", action="retry") for n in range(1, 6)],
        [full(n, tool_error_class="transport", action="retry") for n in range(1, 4)],
        [error(n, phase="EXECUTE", step="3/7", error_code="E", location="a.py") for n in range(1, 7)],
    ),
    "partial-rerun-whole": (
        [error(tool_error_class="partial_success", action="re-run all 12 units")],
        [error(tool_error_class="partial_success", action="retry only the failed units")],
        [error(tool_error_class="partial_success")],
    ),
    "conflict-forced": (
        [error(tool_error_class="state_conflict", action="push --force")],
        [error(tool_error_class="state_conflict", action="re-read the file, then force nothing")],
        [error(tool_error_class="state_conflict")],
    ),
    "policy-denial-bypassed": (
        [error(1, tool_error_class="policy_denial", resource="ledger"), span(3, tool="sql", resource="ledger")],
        [error(1, tool_error_class="policy_denial", resource="ledger"), span(3, tool="sql", resource="notes")],
        [error(1, tool_error_class="policy_denial"), span(3, tool="sql", resource="ledger")],
    ),
    "unknown-outcome-collapsed": (
        [error(1, **UNKNOWN, action="retry")],
        [error(1, **UNKNOWN, checked_state="confirmed", action="retry")],
        [error(1, tool_error_class="unknown_outcome")],
    ),
    "capture-escalated": (
        [error(1, level="L0", artifact_state="missing", exit_code="124", result="ESCALATED")],
        [error(1, level="L0", artifact_state="missing", exit_code="124", result="SUCCESS")],
        [error(1, level="L4", artifact_state="empty", exit_code="124")],
    ),
    "level-skipped-up": (
        [recovery(n, chain="A", outcome="ESCALATED") for n in (1, 2, 3)],
        [*(recovery(n, chain="A", outcome="ESCALATED") for n in (1, 2, 3)), error(9, level="L4")],
        [recovery(n, chain="A") for n in (1, 2, 3)],
    ),
    "chain-mismatch": (
        [recovery(chain="A", trigger="test failure 80.1%")],
        [recovery(chain="A", trigger="test failure 80%")],
        [recovery(chain="A", trigger="tests fail a lot")],
    ),
    "auto-below-threshold": (
        [recovery(**BY_ITSELF, confidence=0.74)],
        [recovery(**BY_ITSELF, confidence=0.75)],
        [recovery(**BY_ITSELF)],
    ),
    "chain-attempts": (
        [error(1, error_code="E"), *(recovery(n, chain="A", for_event="e1", outcome="ABORTED") for n in (2, 3, 4))],
        [error(1, error_code="E"), *(recovery(n, chain="A", for_event="e1", outcome="ABORTED") for n in (2, 3))],
        [error(1, error_code="E"), *(recovery(n, chain="C", for_event="e1", outcome="ABORTED") for n in (2, 3, 4))],
    ),
    "profile-category": (
        [error(failure_class="execution_error", category="epistemic_failure")],
        [error(failure_class="execution_error", category="operational_failure")],
        [error(failure_class="execution_error")],
    ),
    "profile-recoverable": (
        [error(failure_class="fatal_failure", recoverable=True)],
        [error(failure_class="resource_exhaustion", recoverable=True)],
        [error(failure_class="fatal_failure")],
    ),
    "replay-claimed": (
        [trace(), entry(), error(5, failure_class="fatal_failure")],
        [trace(replay_status="NON_REPLAYABLE", model_metadata={"temperature": 0.7}), entry()],
        [trace(replay_status=None), entry()],
    ),
    "veto-as-success": (
        [run(status="succeeded"), error(failure_class="verification_veto")],
        [run(status="vetoed"), error(failure_class="verification_veto")],
        [run(status="unknown"), error(failure_class="verification_veto")],
    ),
    "veto-as-failure": (
        [error(type="VetoError")],
        [error(type="VetoError", failure_class="verification_veto")],
        [error(1, failure_class="epistemic_uncertainty"), error(2, details="it broke")],
    ),
    "veto-certain": (
        [error(failure_class="verification_veto", epistemic_verdict="certain")],
        [error(failure_class="verification_veto", epistemic_verdict="uncertain")],
        [error(failure_class="verification_veto")],
    ),
    "phase-order": (
        [trace(phases=["PLAN", "JUDGE", "VERIFY"])],
        [trace(phases=["PLAN", "EXECUTE", "ABORTED"])],
        [trace(phases=[None, None])],
    ),
    "trace-invalid": (
        [trace(runtime_version=None), entry()],
        [trace(), entry()],
        [trace(entries=0)],
    ),
    "output-contract": (
        [trace(), entry(output={"text": "done", "confidence": 1.01, "metadata": {"contract_version": "1.0"}})],
        [trace(), entry(output={"text": "done", "confidence": 1.0, "metadata": {"contract_version": "1.0"}})],
        [trace(), entry(output=None, input=None)],
    ),
    "stop-reason-missing": (
        [run(status="aborted")],
        [run(status="aborted", stop_reason="budget_exceeded")],
        [],
    ),
    "status-contradiction": (
        [trace(status="aborted", header_status="aborted")],
        [trace(status="aborted", header_status="aborted", header_termination_reason="user_abort")],
        [trace(status="aborted", header_status="aborted", header_termination_reason=None)],
    ),
    "trace-mutated": ([], [run(status="succeeded", finalized=True)], [run(status="succeeded")]),
    "resume-identity": (
        [run(tenant="acme", resumed_from={"tenant": "other", "run_id": "{run}"})],
        [run(tenant="acme", resumed_from={"tenant": "acme", "run_id": "{run}"})],
        [run(tenant="acme", attributes={"resumed": True})],
    ),
    "class-guessed": (
        [error(type="KeyError", contract_class="structural")],
        [error(type="ReasoningFailure", contract_class="structural")],
        [error(contract_class="structural")],
    ),
    "replay-reduced": (
        [replay(1, dimension="events", expected="a", observed="b"), error(4, error_code="E", action="retry")],
        [replay(1, dimension="events", expected="a", observed="a"), error(4, error_code="E", action="retry")],
        [replay(1, verdict="acceptable"), error(4, error_code="E", action="retry")],
    ),
    "budget-open": (
        [error(1, failure_class="budget_exceeded"), span(3, name="one more call")],
        [error(5, failure_class="budget_exceeded"), span(3, name="the last call")],
        [error(1, failure_class="budget_exceeded")],
    ),
    "task-circulates": (
        [delegation(1, "t", "A", "B"), delegation(2, "t", "B", "C"), delegation(3, "t", "C", "A")],
        [delegation(1, "t", "A", "B"), delegation(2, "t", "B", "C"), delegation(3, "t", "C", "A", denied=True)],
        [delegation(1, None, "A", "B"), delegation(2, None, "B", "A")],
    ),
    "wait-cycle": (
        [wait(1, "A", "B", since=TEN, until=NOON, deadline=ONE), wait(2, "B", "A", since=ELEVEN, deadline=ONE)],
        [wait(1, "A", "B", since=TEN, until=ELEVEN, deadline=ONE), wait(2, "B", "A", since=ELEVEN, deadline=ONE)],
        [wait(1, None, "B", deadline=ONE)],
    ),
    "wait-overdue": (
        [wait(1, "A", "B", since=TEN)],
        [wait(1, "A", "B", since=TEN, deadline=ELEVEN, until=ELEVEN)],
        [run(status="running"), wait(1, "A", "B", since=TEN, deadline=ELEVEN)],
    ),
    "task-unowned": (
        [owner(1, "t", "A", TEN, ELEVEN), owner(2, "t", "B", NOON, ONE)],
        [owner(1, "t", "A", TEN, NOON), owner(2, "t", "B", NOON, ONE)],
        [delegation(1, "t", "A", "B")],
    ),
    "task-two-owners": (
        [owner(1, "t", "A", TEN, NOON), owner(2, "t", "B", ELEVEN, ONE)],
        [owner(1, "t", "A", TEN, NOON), owner(2, "t", "B", NOON, ONE)],
        [owner(1, "t", "A", TEN, NOON), owner(2, "t", "B")],
    ),
    "agent-degraded": (
        [span(n, kind="task", agent="A", status="error") for n in (1, 2, 3)],
        [span(n, kind="task", agent="A", status="ok" if n == 2 else "error") for n in (1, 2, 3, 4)],
        [{**handoff(n), "from_agent": None} for n in (1, 2, 3)],
    ),
    "handoff-second-bounce": (
        [handoff(1, condition="2"), handoff(2, condition="2")],
        [handoff(1, condition="2"), handoff(2, condition="3")],
        [handoff(1), handoff(2)],
    ),
    "reset-silent": (
        [reset(trigger_no=6, escalated=False)],
        [reset(trigger_no=5, escalated=False)],
        [reset(trigger_no=7)],
    ),
    "origin-after-observation": (
        [diagnosis(observed_at="PLAN", originated_at="VERIFY / step 2")],
        [diagnosis(observed_at="VERIFY", originated_at="VERIFY / step 2")],
        [diagnosis(observed_at="somewhere", originated_at="VERIFY")],
    ),
    "fix-provisional": (
        [diagnosis(fix_at="observation", status="closed")],
        [diagnosis(fix_at="observation", status="open")],
        [diagnosis(fix_at="observation")],
    ),
    "prevention-null": (
        [diagnosis(prevention="be more careful")],
        [diagnosis(prevention="reject the call", prevention_layer="tool contract")],
        [diagnosis(status="closed")],
    ),
    "trigger-as-cause": (
        [diagnosis(trigger="The help centre moved", root_cause="the help  centre moved")],
        [diagnosis(trigger="the help centre moved", root_cause="nothing rebuilds the index")],
        [diagnosis(trigger="the help centre moved")],
    ),
    "reported-metrics-differ": (
        [recovery(chain="A", outcome="RECOVERED"), reported(success_rate=0.9)],
        [recovery(chain="A", outcome="RECOVERED"), reported(success_rate=1.0)],
        [reported(success_rate=1.0)],
    ),
}  # fmt: skip
