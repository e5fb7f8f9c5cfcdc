"""The closed lists of the error models. A value outside its list is kept verbatim and flagged, never guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Vocabulary:
    """A closed list; matching looks past case and surrounding space only."""

    values: tuple[str, ...]

    def matched(self, text: str) -> str | None:
        """The list's own spelling of the text, or None where it is not in the list."""
        if text in self.values:
            return text
        wanted = text.strip().casefold()
        return next((value for value in self.values if value.casefold() == wanted), None)


RUN_STATUS = Vocabulary(
    ("succeeded", "failed", "vetoed", "escalated", "aborted", "interrupted", "refused", "running", "unknown")
)
SEVERITY_LEVEL = Vocabulary(("L0", "L1", "L2", "L3", "L4", "L5"))
GUARDRAIL_LEVEL = Vocabulary(("L1", "L2", "L3", "L4"))
TOOL_ERROR_CLASS = Vocabulary(
    ("invocation", "transport", "execution", "partial_success", "state_conflict", "policy_denial", "unknown_outcome")
)
CONTEXT_FAILURE_CLASS = Vocabulary(
    (
        "omission", "overload", "conflict", "staleness", "misrouting", "wrong_authority", "retrieval_failure",
        "ranking_failure", "summary_drift", "memory_pollution", "instruction_collision", "context_poisoning",
        "secret_leakage", "scope_leakage", "hidden_dependency", "tool_context_mismatch",
    )
)  # fmt: skip
AGENT_ERROR_CODE = Vocabulary(("TIMEOUT", "TRANSIENT", "VALIDATION_ERROR", "FATAL", "EXEC_ERROR", "SECURITY"))
FAILURE_CLASS = Vocabulary(
    (
        "user_interruption", "epistemic_uncertainty", "verification_veto", "budget_exceeded", "max_iterations",
        "fatal_failure", "execution_error", "validation_error", "resource_exhaustion",
    )
)  # fmt: skip
CONTRACT_CLASS = Vocabulary(("structural", "semantic", "environmental", "authority", "unclassified"))
ERROR_RESULT = Vocabulary(("SUCCESS", "FAILED", "ESCALATED", "ABORTED"))
STEP_RESULT = Vocabulary(("SUCCESS", "FAILED"))
RECOVERY_OUTCOME = Vocabulary(("RECOVERED", "ESCALATED", "ABORTED"))
GUARDRAIL_ACTION = Vocabulary(("CONTINUE", "VERIFY", "PAUSE", "RECOVER", "ROLLBACK", "ABORT"))
CONTEXT_OP = Vocabulary(("compaction", "reset", "checkpoint", "rollback"))
FIX_AT = Vocabulary(("observation", "origin"))
DIAGNOSIS_STATUS = Vocabulary(("open", "closed"))
HANDOFF_STATUS = Vocabulary(("accepted", "refused"))
BASIS = Vocabulary(("recorded", "derived", "reviewed"))

# (native record kind, column) → its list; an empty kind means every kind that has the column.
CLOSED: dict[tuple[str, str], Vocabulary] = {
    ("run", "status"): RUN_STATUS,
    ("", "tool_error_class"): TOOL_ERROR_CLASS,
    ("", "context_failure_class"): CONTEXT_FAILURE_CLASS,
    ("", "agent_error_code"): AGENT_ERROR_CODE,
    ("", "failure_class"): FAILURE_CLASS,
    ("", "contract_class"): CONTRACT_CLASS,
    ("error_event", "level"): SEVERITY_LEVEL,
    ("guardrail_event", "level"): GUARDRAIL_LEVEL,
    ("error_event", "result"): ERROR_RESULT,
    ("recovery_event", "outcome"): RECOVERY_OUTCOME,
    ("guardrail_event", "action"): GUARDRAIL_ACTION,
    ("context_op", "op"): CONTEXT_OP,
    ("diagnosis", "fix_at"): FIX_AT,
    ("diagnosis", "status"): DIAGNOSIS_STATUS,
    ("handoff", "status"): HANDOFF_STATUS,
    ("", "basis"): BASIS,
}
_CHAIN = re.compile(r"(?:L3[ _-]?)?(?:RECOVERY[ _-]?)?(?:CHAIN[ _-]?)?([ABC])", re.IGNORECASE)


def chain(text: str) -> str | None:
    """A, B or C from CHAIN_A, L3_RECOVERY_CHAIN_A, "Chain A" or A; None for anything else."""
    match = _CHAIN.fullmatch(text.strip())
    return match[1].upper() if match else None
