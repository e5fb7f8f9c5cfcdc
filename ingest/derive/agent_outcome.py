"""How a run of bijux-canon-agent ended: the first signal that decides, never the header alone.

The header of an aborted run may say `completed`, and the command line writes an execution failure as a
veto; so the order of the checks is the meaning, and every outcome names the signal that decided.
"""

from __future__ import annotations

from dataclasses import dataclass

from ingest.records import RunStatus


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the run ended and the signal that says so."""

    status: RunStatus
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFacts:
    """What one trace entry says about the outcome."""

    phase: str | None = None
    has_decision_artifact: bool = False
    verdict: str | None = None
    failure_class: str | None = None
    written_decision: str | None = None
    confidence: float | None = None
    failed_stage: str | None = None
    termination_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceFacts:
    """What a run trace, and the final result beside it, say about the outcome."""

    header_status: str | None = None
    termination_reason: str | None = None
    entries: tuple[EntryFacts, ...] = ()
    trace_path_is_null: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLineFacts:
    """What the command line wrote about one input: in its one FINALIZE entry, a result file or the final result."""

    verdict: str | None = None
    termination_reason: str | None = None
    confidence: float | None = None
    failed_stage: str | None = None
    trace_path_is_null: bool = False


def trace_outcome(facts: TraceFacts) -> Outcome:
    """The outcome of a run that left a trace; the first match decides."""
    return (
        _running(facts)
        or _decided(facts)
        or _aborted(facts)
        or _workflow(facts)
        or _one_finalize_entry(facts)
        or Outcome("unknown", _nothing_decides(facts))
    )


def _running(facts: TraceFacts) -> Outcome | None:
    return Outcome("running", "header status running") if facts.header_status == "running" else None


def _decided(facts: TraceFacts) -> Outcome | None:
    verdict = next((e.verdict for e in facts.entries if e.phase == "FINALIZE" and e.has_decision_artifact), "")
    if verdict == "pass":
        return Outcome("succeeded", "FINALIZE decision_artifact: pass")
    if verdict == "veto":
        return Outcome("vetoed", "FINALIZE decision_artifact: veto")
    return None if verdict == "" else Outcome("unknown", f"FINALIZE decision_artifact with verdict {verdict or 'none'}")


def _aborted(facts: TraceFacts) -> Outcome | None:
    aborted = next((entry for entry in facts.entries if entry.phase == "ABORTED"), None)
    if aborted is None:
        return None
    if aborted.failure_class == "verification_veto":
        return Outcome("vetoed", "ABORTED entry with failure_class verification_veto")
    return Outcome("aborted", f"ABORTED entry with failure_class {aborted.failure_class or 'not recorded'}")


def _workflow(facts: TraceFacts) -> Outcome | None:
    if not facts.entries or any(entry.phase for entry in facts.entries):
        return None
    # The header's termination_reason is not read: a workflow graph always says `completed`.
    if facts.header_status == "completed":
        return Outcome("succeeded", "workflow graph (no phases): header status completed")
    if facts.header_status in {"aborted", "failed"}:
        return Outcome("aborted", f"workflow graph (no phases): header status {facts.header_status}")
    return None


def _one_finalize_entry(facts: TraceFacts) -> Outcome | None:
    if len(facts.entries) != 1 or facts.entries[0].phase != "FINALIZE" or facts.entries[0].has_decision_artifact:
        return None
    entry = facts.entries[0]
    found = command_line_outcome(
        CommandLineFacts(
            verdict=entry.written_decision,
            termination_reason=facts.termination_reason or entry.termination_reason or _ended(facts, entry),
            confidence=entry.confidence,
            failed_stage=entry.failed_stage,
            trace_path_is_null=facts.trace_path_is_null,
        )
    )
    return Outcome(found.status, f"FINALIZE entry of the command line: {found.reason}")


def _ended(facts: TraceFacts, entry: EntryFacts) -> str | None:
    """Schema 1 records no termination reason; there a pass that the header calls completed was completed."""
    return "completed" if facts.header_status == "completed" and entry.written_decision == "pass" else None


def _nothing_decides(facts: TraceFacts) -> str:
    if not facts.entries:
        return f"no entries; header status {facts.header_status or 'not recorded'} alone decides nothing"
    return f"nothing decides; last phase {facts.entries[-1].phase or 'not recorded'}"


def command_line_outcome(facts: CommandLineFacts) -> Outcome:
    """The outcome of one input as the command line wrote it: its veto may be a failure in disguise."""
    if facts.verdict == "pass":
        return _passed(facts)
    if facts.verdict != "veto":
        return Outcome("unknown", f"verdict {facts.verdict or 'not recorded'}")
    return _execution_failure(facts) or _judged_veto(facts)


def _passed(facts: CommandLineFacts) -> Outcome:
    reason = facts.termination_reason
    # A convergence stop is a success only with the verdict pass, and here it has it.
    if reason in {"completed", "convergence"}:
        return Outcome("succeeded", f"pass, termination_reason {reason}")
    return Outcome("unknown", f"pass, but termination_reason {reason or 'not recorded'}")


def _execution_failure(facts: CommandLineFacts) -> Outcome | None:
    if facts.termination_reason == "resource_exhaustion":
        return Outcome("aborted", "veto with termination_reason resource_exhaustion")
    if facts.termination_reason == "failure":
        return Outcome("failed", "execution failure written as a veto: termination_reason failure")
    if facts.failed_stage is not None:
        return Outcome("failed", f"execution failure written as a veto: error in {facts.failed_stage}")
    if facts.trace_path_is_null:
        return Outcome("failed", "execution failure written as a veto: trace_path is null")
    return None


def _judged_veto(facts: CommandLineFacts) -> Outcome:
    if facts.confidence == 0.0 and facts.termination_reason in {"completed", None}:
        return Outcome("unknown", "veto without a judgement: confidence 0.0")
    return Outcome("vetoed", f"veto, termination_reason {facts.termination_reason or 'not recorded'}")
