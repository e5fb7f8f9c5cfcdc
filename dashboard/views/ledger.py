"""Effects that may exist, and what became of the context: two ledgers that nothing else is merged with."""

from __future__ import annotations

import streamlit as st

from dashboard.cards import figure, heading
from dashboard.filters import filters
from dashboard.links import open_run_of_row
from dashboard.notices import no_runs, nothing
from dashboard.page import Page
from dashboard.paging import in_pages
from dashboard.reading import ask
from dashboard.sections import draw
from dashboard.tables import table
from dashboard.why import why
from dashboard.wording import counted, said
from queries.ledger.context_operations import ContextOperationRow, context_operations
from queries.ledger.effect_counts import EffectCountRow, effect_counts
from queries.ledger.unknown_outcomes import UnknownOutcomeRow, unknown_outcomes
from queries.overview.totals import totals
from queries.reader import Answer

PAGE = Page(
    "Ledger",
    "Incident review",
    9,
    "fact_check",
    "Effects that may exist and were checked or not; resets and compactions.",
)
CONCERNS = {
    "silent reset": "◆ silent reset",
    "resume contract lost": "✕ resume contract lost",
    "resume contract not recorded": "? resume contract not recorded",
}


def render() -> None:
    """The page is drawn."""
    st.title("Ledger", anchor=False)
    what = ask(totals, **filters().parameters).first
    if what is None or not what.runs:
        no_runs()
        return
    draw(_effects, _operations)


def _effects() -> None:
    heading(
        "Effects that may exist",
        "A time-out or crash where an effect may have landed. It may have happened: never “failed”.",
    )
    counts = ask(effect_counts, **filters().parameters)
    if counts.first is None or not counts.first.effects:
        nothing(
            "No unknown outcome and no capture failure is recorded here.",
            next_step="Nothing to check. They come from errors of type unknown_outcome and of severity level L0.",
        )
        why(counts, "none")
        return
    _figures(counts, counts.first)
    found = in_pages("effects_page", unknown_outcomes, _effect_list, noun=("effect", "effects"), **filters().parameters)
    why(found, counted(counts.first.effects, "effect that may exist", "effects that may exist"))


def _figures(counts: Answer[EffectCountRow], row: EffectCountRow) -> None:
    checked = row.effects - row.unchecked
    with st.grid(3, min_column_width=200):
        figure("? not checked", f"{row.unchecked:,}", f"of {row.effects:,}: check the resource first", counts,
               counted=counted(row.unchecked, "effect"))  # fmt: skip
        figure("✓ checked", f"{checked:,}", "somebody or something looked at the resource", counts,
               counted=counted(checked, "effect"))  # fmt: skip
        figure("◆ collapsed", f"{row.collapsed:,}", "called failed, or retried before the check", counts,
               counted=counted(row.collapsed, "effect"))  # fmt: skip


def _effect_list(found: Answer[UnknownOutcomeRow]) -> None:
    ids = tuple(row.run_id for row in found)
    table(
        found.rows,
        {
            "Open": lambda _: "Open",
            "State": lambda r: f"✓ {r.checked_state}" if r.checked_state else "? not checked",
            "Resource to check": lambda r: said(r.resource),
            "Checked by": lambda r: r.checked_by,
            "Kind": lambda r: r.kind,
            "Collapsed": lambda r: "◆ yes" if r.collapsed else "no",
            "Error": lambda r: r.error_code,
            "Agent": lambda r: r.agent,
            "Details": lambda r: r.details,
            "Run": lambda r: r.run_name,
        },
        alt="Effects that may exist",
        config={
            "Open": st.column_config.ButtonColumn(
                "", key="open_effect", width=70, type="tertiary", on_click=open_run_of_row, args=("open_effect", ids)
            ),
            "Details": st.column_config.TextColumn(width=360),
        },
        optional=("Agent", "Checked by"),
    )


def _operations() -> None:
    heading(
        "Context operations",
        "Compaction, reset, checkpoint and rollback keep different things: none stands in for another.",
    )
    found = in_pages(
        "operations_page", context_operations, _operation_list, noun=("operation", "operations"), **filters().parameters
    )
    if found.first is None:
        nothing(
            "No reset, rollback, checkpoint or compaction is recorded here.",
            next_step="They come from context_op records, and from the compactions that sessions record.",
        )
    why(found, counted(found.first.matching, "operation") if found.first else "none")


def _operation_list(found: Answer[ContextOperationRow]) -> None:
    ids = tuple(row.run_id for row in found)
    table(
        found.rows,
        {
            "Open": lambda _: "Open",
            "Concern": lambda r: CONCERNS.get(r.concern or "", "none"),
            "Operation": lambda r: r.op,
            "Keeps": lambda r: r.keeps,
            "Trigger": _trigger,
            "Escalated": lambda r: said(r.escalated),
            "Resume contract kept": lambda r: said(r.resume_contract_kept),
            "Agent": lambda r: r.agent,
            "Details": lambda r: r.details,
            "Run": lambda r: r.run_name,
        },
        alt="Operations on the context",
        config={
            "Open": st.column_config.ButtonColumn(
                "", key="open_operation", width=70, type="tertiary", on_click=open_run_of_row,
                args=("open_operation", ids),
            ),
            "Concern": st.column_config.TextColumn(width=200),
            "Trigger": st.column_config.TextColumn(width=220),
            "Details": st.column_config.TextColumn(width=320),
        },
        optional=("Agent", "Trigger"),
    )  # fmt: skip


def _trigger(row: ContextOperationRow) -> str | None:
    return None if row.trigger_no is None else f"{row.trigger_no}: {row.trigger_means or 'not in the list'}"


if __name__ == "__main__":
    render()
