"""The parts of the recovery page that say whether chains kept their rules, and the attempts one by one."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard.cards import heading
from dashboard.links import open_run_of_row
from dashboard.notices import nothing
from dashboard.paging import in_pages, matching
from dashboard.reading import ask
from dashboard.tables import table
from dashboard.why import why
from dashboard.wording import ABSENT, counted, share
from queries.reader import Answer
from queries.recovery.recovery_attempts import RecoveryAttemptRow, recovery_attempts
from queries.recovery.recovery_failing_steps import recovery_failing_steps
from queries.recovery.recovery_handovers import recovery_handovers
from queries.recovery.recovery_reported import ReportedRow, recovery_reported
from queries.recovery.recovery_selection import recovery_selection
from queries.recovery.recovery_thresholds import ThresholdRow, recovery_thresholds

OUTCOMES = {"RECOVERED": "✓ recovered", "ESCALATED": "▲ escalated", "ABORTED": "■ aborted"}
APART = {
    "vetoed_run": "run vetoed",
    "interrupted_run": "run interrupted",
    "l0_capture": "L0 capture",
    "unknown_outcome": "failure of unknown outcome",
    "unfinished": "unfinished",
    "other_outcome": "outcome outside the list",
}


def draw_thresholds(asked: dict[str, Any]) -> None:
    """Auto-executions at and under each chain's threshold, and failures tried too often."""
    found = ask(recovery_thresholds, **asked)
    table(
        found.rows,
        {
            "Chain": lambda r: r.chain,
            "Threshold": lambda r: f"{r.auto_threshold:.2f}",
            "Kept": _verdict,
            "By itself, at or above": lambda r: r.auto_kept,
            "By itself, under": lambda r: r.auto_broken,
            "Asked": lambda r: r.asked,
            "Asked though above": lambda r: r.asked_above,
            "Attempts allowed": lambda r: "not given" if r.max_attempts is None else str(r.max_attempts),
            "Failures tried too often": _too_often,
            "Not recorded": lambda r: r.auto_not_recorded + r.auto_not_evaluable,
        },
        alt="Thresholds and attempts of the chains, kept or broken",
    )
    why(
        found,
        counted(sum(row.attempts for row in found), "attempt"),
        {"attempts without a failure they belong to": sum(row.without_failure for row in found)},
        note="A chain's own threshold wins over the confidence bands. One failure is one full signature in a run, "
        "else one error event. Chain C records no limit of attempts, so it is not evaluable.",
    )


def _verdict(row: ThresholdRow) -> str:
    if not row.auto_kept and not row.auto_broken:
        return f"{ABSENT} not evaluable"
    return f"✕ broken {counted(row.auto_broken, 'time')}" if row.auto_broken else "✓ kept"


def _too_often(row: ThresholdRow) -> str:
    if row.failures_over_max is None or not row.failures:
        return f"{ABSENT} not evaluable"
    return f"{'✕' if row.failures_over_max else '✓'} {row.failures_over_max:,} of {row.failures:,}"


def draw_selection(asked: dict[str, Any]) -> None:
    """The chain that was used against the one its trigger selects."""
    found = ask(recovery_selection, **asked)
    table(
        found.rows,
        {
            "Agrees": lambda r: f"{ABSENT} not evaluable" if r.agrees is None else "✓ yes" if r.agrees else "✕ no",
            "Chain used": lambda r: r.chain,
            "Trigger selects": lambda r: r.selects,
            "Attempts": lambda r: r.attempts,
            "A trigger of them": lambda r: r.example,
        },
        alt="The chain used and the chain selected by the trigger",
        config={"A trigger of them": st.column_config.TextColumn(width="large")},
    )
    why(
        found,
        counted(sum(row.attempts for row in found), "attempt"),
        {"attempts whose trigger names nothing to select by": sum(r.attempts for r in found if r.agrees is None)},
        note="Share of failed tests: under 20 % L1 retry, under 50 % L2 inject, 50 to 80 % chain A, over 80 % chain B. "
        "A failed chain A selects B, a breaking change C.",
    )


def draw_failing_steps(asked: dict[str, Any]) -> None:
    """The step at which attempts that did not recover failed first."""
    found = ask(recovery_failing_steps, **asked)
    if not found.rows:
        nothing("Every finished attempt recovered: no step failed.")
        return
    table(
        found.rows,
        {
            "Chain": lambda r: r.chain,
            "Step": lambda r: "not recorded" if r.step is None else str(r.step),
            "Agent": lambda r: r.agent or ABSENT,
            "Action": lambda r: r.action,
            "Failed here": lambda r: r.attempts,
            "Of those that got here": lambda r: share(r.attempts / r.reached) if r.reached else ABSENT,
        },
        alt="Steps at which recovery attempts failed",
    )
    why(
        found, counted(sum(row.attempts for row in found), "finished attempt that did not recover", "finished attempts")
    )


def draw_handovers(asked: dict[str, Any]) -> None:
    """Escalations that the next chain of the same run took up."""
    found = ask(recovery_handovers, **asked)
    if not found.rows:
        nothing("No escalation was followed by another chain in the same run.")
        return
    table(
        found.rows,
        {
            "From": lambda r: f"Chain {r.from_chain}",
            "To": lambda r: f"Chain {r.to_chain}",
            "Hand-overs": lambda r: r.handovers,
            "Then recovered": lambda r: r.then_recovered,
            "Then escalated": lambda r: r.then_escalated,
            "Then aborted": lambda r: r.then_aborted,
        },
        alt="Hand-overs between chains",
    )
    why(
        found,
        counted(sum(row.handovers for row in found), "hand-over"),
        note="They are counted as escalated, as recorded; this is their number beside.",
    )


def draw_reported(asked: dict[str, Any]) -> None:
    """What producers say of themselves beside what their records say."""
    found = in_pages(
        "reported_page", recovery_reported, _reported_list, noun=("reported summary", "reported summaries"), **asked
    )
    if found.first is None:
        nothing("No run reports its own recovery metrics.")
        return
    st.caption("Each cell: reported | recomputed.")
    why(found, counted(found.first.matching, "reported summary", "reported summaries"))


def _reported_list(found: Answer[ReportedRow]) -> None:
    table(
        found.rows,
        {
            "Same": lambda r: f"{ABSENT} cannot tell" if r.differs is None else "✕ differs" if r.differs else "✓ same",
            "Run": lambda r: r.run_id,
            "Chain": lambda r: r.chain or "all",
            "Attempts": lambda r: _pair(r.reported_attempts, r.attempts, "{:,}"),
            "Success": lambda r: _pair(r.reported_success_rate, r.success_rate, "{:.0%}"),
            "Confidence": lambda r: _pair(r.reported_avg_confidence, r.avg_confidence, "{:.2f}"),
            "Escalation": lambda r: _pair(r.reported_escalation_rate, r.escalation_rate, "{:.0%}"),
        },
        alt="Reported metrics beside the recomputed ones: reported, then recomputed",
    )


def _pair(reported: float | None, recomputed: float | None, form: str) -> str:
    said = [ABSENT if value is None else form.format(value) for value in (reported, recomputed)]
    return " | ".join(said)


def draw_attempts(asked: dict[str, Any]) -> None:
    """The attempts behind the figures, the newest first."""
    heading("Attempts", "The newest first, also those that are in no rate.")
    found = in_pages("attempts_page", recovery_attempts, _attempt_list, noun=("attempt", "attempts"), **asked)
    why(found, counted(matching(found), "attempt"))


def _attempt_list(found: Answer[RecoveryAttemptRow]) -> None:
    run_ids = tuple(row.run_id for row in found)
    table(
        found.rows,
        {
            "Open": lambda _: "Open",
            "When": lambda r: r.happened_at,
            "Workload": lambda r: r.workload,
            "Chain": lambda r: r.chain,
            "Outcome": lambda r: OUTCOMES.get(r.outcome or "", r.outcome or "◌ unfinished"),
            "In the rates": lambda r: "yes" if r.counted_as == "finished" else f"no: {APART[r.counted_as]}",
            "Confidence": lambda r: r.confidence,
            "By itself": lambda r: {True: "yes", False: "asked"}.get(r.auto_executed, ABSENT),
            "Trigger": lambda r: r.trigger,
            "Failure": lambda r: r.failure,
            "Run": lambda r: r.run_id,
        },
        alt="Recovery attempts, the newest first",
        config={
            "Open": st.column_config.ButtonColumn(
                "", key="open_attempt", width=70, type="tertiary", pinned=True, on_click=open_run_of_row,
                args=("open_attempt", run_ids),
            ),
            "When": st.column_config.DatetimeColumn("When (UTC)", format="YYYY-MM-DD HH:mm", timezone="UTC"),
            "In the rates": st.column_config.TextColumn(width=110),
            "Confidence": st.column_config.NumberColumn(format="%.2f"),
        },
    )  # fmt: skip
