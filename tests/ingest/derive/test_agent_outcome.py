"""DOMAIN §5.2: the first match decides how a run of bijux-canon-agent ended, and the reason names it."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.derive.agent_outcome import CommandLineFacts, EntryFacts, TraceFacts, command_line_outcome, trace_outcome
from ingest.derive.failure_profile import PROFILES, normative_category, profile
from ingest.vocabulary import FAILURE_CLASS

WORK = EntryFacts(phase="EXECUTE")
PASS = EntryFacts(phase="FINALIZE", has_decision_artifact=True, verdict="pass")
VETO = EntryFacts(phase="FINALIZE", has_decision_artifact=True, verdict="veto")
VETO_ABORT = EntryFacts(phase="ABORTED", failure_class="verification_veto", written_decision="veto")
BUDGET_ABORT = EntryFacts(phase="ABORTED", failure_class="budget_exceeded", written_decision="veto")
NODE = EntryFacts()


def command_line(**facts: Any) -> EntryFacts:
    return EntryFacts(phase="FINALIZE", **facts)


@pytest.mark.parametrize(
    ("header_status", "termination", "entries", "status", "signal"),
    [
        # 1. A running header wins over everything.
        ("running", "completed", (PASS,), "running", "header status running"),
        ("running", None, (), "running", "header status running"),
        # 2. The decision artifact of FINALIZE, whatever the header says.
        ("completed", "completed", (WORK, PASS), "succeeded", "decision_artifact: pass"),
        ("aborted", "failure", (WORK, PASS), "succeeded", "decision_artifact: pass"),
        ("completed", "completed", (WORK, VETO), "vetoed", "decision_artifact: veto"),
        ("completed", "convergence", (WORK, PASS), "succeeded", "decision_artifact: pass"),
        ("completed", "convergence", (WORK, VETO), "vetoed", "decision_artifact: veto"),
        ("completed", "completed", (WORK, PASS, VETO_ABORT), "succeeded", "decision_artifact: pass"),
        (
            "completed",
            "completed",
            (EntryFacts(phase="FINALIZE", has_decision_artifact=True, verdict="maybe"),),
            "unknown",
            "verdict maybe",
        ),
        # 3. ABORTED: the failure class, never output.decision.
        ("aborted", "completed", (WORK, VETO_ABORT), "vetoed", "verification_veto"),
        ("aborted", "completed", (WORK, BUDGET_ABORT), "aborted", "budget_exceeded"),
        ("completed", "completed", (WORK, EntryFacts(phase="ABORTED")), "aborted", "not recorded"),
        # 4. No phases at all: a workflow graph, read by its header status alone.
        ("completed", "failure", (NODE, NODE), "succeeded", "workflow graph"),
        ("aborted", "completed", (NODE,), "aborted", "workflow graph"),
        ("failed", "completed", (NODE,), "aborted", "workflow graph"),
        ("odd", "completed", (NODE,), "unknown", "nothing decides"),
        # 5. One FINALIZE entry without a decision artifact: the command line.
        ("completed", "completed", (command_line(written_decision="pass"),), "succeeded", "pass"),
        ("aborted", "failure", (command_line(written_decision="veto"),), "failed", "termination_reason failure"),
        ("completed", None, (command_line(written_decision="pass"),), "succeeded", "pass"),
        # 6. Nothing of the above.
        ("completed", "completed", (WORK,), "unknown", "nothing decides; last phase EXECUTE"),
        ("completed", "completed", (), "unknown", "no entries"),
        ("aborted", "completed", (WORK, command_line(written_decision="veto")), "unknown", "nothing decides"),
    ],
)
def test_the_first_match_decides(
    header_status: str | None, termination: str | None, entries: tuple[EntryFacts, ...], status: str, signal: str
) -> None:
    facts = TraceFacts(header_status=header_status, termination_reason=termination, entries=entries)
    outcome = trace_outcome(facts)
    assert outcome.status == status
    assert signal in outcome.reason


@pytest.mark.parametrize(
    ("facts", "status", "signal"),
    [
        ({"verdict": "pass", "termination_reason": "completed"}, "succeeded", "completed"),
        ({"verdict": "pass", "termination_reason": "convergence"}, "succeeded", "convergence"),
        ({"verdict": "pass", "termination_reason": "failure"}, "unknown", "failure"),
        ({"verdict": "veto", "termination_reason": "resource_exhaustion", "confidence": 0.6}, "aborted", "exhaustion"),
        (
            {"verdict": "veto", "termination_reason": "resource_exhaustion", "failed_stage": "critique"},
            "aborted",
            "exhaustion",
        ),
        (
            {"verdict": "veto", "termination_reason": "failure", "confidence": 1.0},
            "failed",
            "termination_reason failure",
        ),
        (
            {"verdict": "veto", "termination_reason": "completed", "failed_stage": "summarization"},
            "failed",
            "error in summarization",
        ),
        (
            {"verdict": "veto", "termination_reason": "completed", "confidence": 0.0, "trace_path_is_null": True},
            "failed",
            "trace_path is null",
        ),
        ({"verdict": "veto", "termination_reason": "completed", "confidence": 0.0}, "unknown", "without a judgement"),
        ({"verdict": "veto", "termination_reason": "completed", "confidence": 0.4}, "vetoed", "veto"),
        ({"verdict": "veto", "termination_reason": "user_abort", "confidence": 0.0}, "vetoed", "user_abort"),
        ({"verdict": None}, "unknown", "not recorded"),
        ({"verdict": "abstain"}, "unknown", "abstain"),
    ],
)
def test_a_veto_of_the_command_line_may_be_a_failure_in_disguise(
    facts: dict[str, Any], status: str, signal: str
) -> None:
    outcome = command_line_outcome(CommandLineFacts(**facts))
    assert outcome.status == status
    assert signal in outcome.reason


def test_every_failure_class_has_one_profile() -> None:
    assert tuple(entry.failure_class for entry in PROFILES) == FAILURE_CLASS.values
    assert [entry.failure_class for entry in PROFILES if entry.retryable] == ["execution_error", "resource_exhaustion"]
    assert {entry.failure_class for entry in PROFILES if not entry.replayable} == {
        "fatal_failure",
        "execution_error",
        "resource_exhaustion",
    }
    assert [entry.failure_class for entry in PROFILES if entry.category == "epistemic"] == ["epistemic_uncertainty"]


def test_an_unknown_class_has_no_profile() -> None:
    assert profile("gremlins") is None
    assert profile(None) is None


@pytest.mark.parametrize(
    ("written", "category"),
    [
        ("operational_failure", "operational"),
        ("operational", "operational"),
        ("epistemic_failure", "epistemic"),
        ("epistemic", "epistemic"),
        ("cosmic", None),
    ],
)
def test_both_spellings_of_a_category_are_one(written: str, category: str | None) -> None:
    assert normative_category(written) == category
