"""Failures by what kind of failure they are: each axis for itself, and what stays unclassified."""

from __future__ import annotations

import streamlit as st

from dashboard.cards import facts, figure, heading
from dashboard.charts.ranking import ranking
from dashboard.drawn import draw_chart
from dashboard.filters import filters
from dashboard.links import open_run_of_row
from dashboard.notices import no_runs, nothing
from dashboard.page import Page
from dashboard.paging import in_pages, matching
from dashboard.reading import ask
from dashboard.sections import draw
from dashboard.tables import count_column, more, table
from dashboard.why import why
from dashboard.wording import ABSENT, counted, outcome, said
from queries.failures.artifact_conformity import ArtifactConformityRow, artifact_conformity
from queries.failures.contract_classes import contract_classes
from queries.failures.denials import denials
from queries.failures.error_axes import error_axes
from queries.failures.failure_classes import failure_classes
from queries.failures.states_at_failure import states_at_failure
from queries.failures.unclassified import unclassified
from queries.overview.outcomes import outcomes
from queries.reader import Answer

PAGE = Page(
    "Failure classes",
    "Reliability",
    5,
    "category",
    "Failure and contract classes, states at failure, and what is unclassified.",
)
THREE = {"✓ Success": ("succeeded",), "✕ Failure": ("failed", "aborted"), "⊘ Veto": ("vetoed",)}
CONFORMITY = {"conforms": "✓ conforms", "not evaluable": "? not evaluable"}
ARTIFACTS_A_PAGE = 20
TYPES_SHOWN = 200
AXES = ("severity level", "tool error class", "context failure class", "agent error code")


def render() -> None:
    """The page is drawn."""
    st.title("Failure classes", anchor=False)
    if not ask(outcomes, **filters().parameters).rows:
        no_runs()
        return
    draw(
        _three_outcomes, _failure_classes, _conformity, _contract_classes, _states, _axes, _unclassified, _decisions,
        _denials,
    )  # fmt: skip


def _three_outcomes() -> None:
    heading(
        "Success, failure, veto", "Three outcomes: a veto is a decision against the result, and none of the other two."
    )
    found = ask(outcomes, **filters().parameters)
    with st.grid(3, min_column_width=200):
        for title, names in THREE.items():
            number = sum(row.runs for row in found if row.status in names)
            figure(title, f"{number:,}", ", ".join(names), found, counted=counted(number, "run"))


def _conformity() -> None:
    heading(
        "Conformity of artifacts", "Every failure artifact against the profile of its class, those that differ first."
    )
    found = in_pages(
        "artifacts_page", artifact_conformity, _artifact_list, noun=("artifact", "artifacts"), rows=ARTIFACTS_A_PAGE,
        **filters().parameters,
    )  # fmt: skip
    if found.first is None:
        nothing("No failure artifact is recorded here.")
    why(found, counted(matching(found), "artifact"))


def _artifact_list(found: Answer[ArtifactConformityRow]) -> None:
    run_ids = tuple(row.run_id for row in found)
    table(
        found.rows,
        {
            "Open": lambda _: "Open",
            "Conformity": lambda r: CONFORMITY.get(r.conformity, f"✕ {r.conformity}"),
            "Failure class": lambda r: r.failure_class,
            "Category": lambda r: r.category,
            "Its profile": lambda r: r.profile_category,
            "Recoverable": lambda r: _may(allowed=r.recoverable),
            "Retryable by profile": lambda r: _may(allowed=r.retryable),
            "Run": lambda r: r.run_name,
        },
        alt="Failure artifacts and their profiles",
        config={
            "Open": st.column_config.ButtonColumn(
                "", key="open_artifact", width=70, type="tertiary", on_click=open_run_of_row,
                args=("open_artifact", run_ids),
            )
        },
        shown_rows=8,
    )  # fmt: skip


def _failure_classes() -> None:
    heading(
        "Failure classes", "Each with its normative profile: whether it may be retried, and whether it can be replayed."
    )
    found = ask(failure_classes, **filters().parameters)
    met = [row for row in found if row.errors]
    if met:
        draw_chart(
            ranking,
            [row.failure_class for row in met],
            [row.errors for row in met],
            "errors",
            [not row.known for row in met],
            key="failure_classes_chart",
            alt=f"Errors by failure class, {len(met)} classes met",
        )
    else:
        nothing("No error here carries a failure class; the profiles below are for reference.")
    table(
        found.rows,
        {
            "Failure class": lambda r: r.failure_class if r.known else f"{r.failure_class} (unlisted)",
            "Category": lambda r: r.category,
            "Retryable": lambda r: _may(allowed=r.retryable),
            "Replayable": lambda r: _may(allowed=r.replayable),
            "Errors": lambda r: r.errors,
            "Runs": lambda r: r.runs,
            "Recorded recoverable": lambda r: r.recoverable,
            "Category differs": lambda r: r.category_differs,
        },
        alt="Failure classes with profile and counts",
        config={"Category differs": count_column(help="Errors whose recorded category is not the profile's")},
        shown_rows=14,
    )
    why(found, counted(sum(row.errors for row in found), "error with a failure class", "errors with a failure class"))


def _may(*, allowed: bool | None) -> str:
    return ABSENT if allowed is None else "✓ yes" if allowed else "✕ no"


def _contract_classes() -> None:
    heading(
        "Contract classes",
        "Which public contract of the runtime was broken, and what the operator should do. A run may have a class of"
        " its own without an error record, as one refused before it began: so there can be more runs than errors.",
    )
    found = ask(contract_classes, **filters().parameters)
    table(
        found.rows,
        {
            "Contract class": lambda r: r.contract_class if r.known else f"{r.contract_class} (unlisted)",
            "Errors": lambda r: r.errors,
            "Recorded": lambda r: r.recorded,
            "Derived": lambda r: r.derived,
            "Runs": lambda r: r.runs,
            "Operator response": lambda r: r.operator_response,
        },
        alt="Contract classes with counts and operator response",
        config={
            "Operator response": st.column_config.TextColumn(width="large"),
            "Derived": count_column(help="Follows from the event type by a stated rule"),
            "Runs": count_column(help="Runs whose own class it is, also those refused before any error"),
        },
    )
    why(found, counted(sum(row.errors for row in found), "error with a contract class", "errors with a contract class"))


def _states() -> None:
    heading("State at failure", "What can still be relied on, and the next action that is permitted.")
    found = ask(states_at_failure, **filters().parameters)
    table(
        found.rows,
        {
            "State": lambda r: r.state_at_failure if r.known else f"{r.state_at_failure} (unlisted)",
            "Runs": lambda r: r.runs,
            "Evidence that holds": lambda r: r.evidence_that_holds,
            "Permitted next action": lambda r: r.permitted_next_action,
        },
        alt="States at failure with evidence and permitted action",
        config={
            "Runs": count_column(width="small"),
            "Evidence that holds": st.column_config.TextColumn(width=520),
            "Permitted next action": st.column_config.TextColumn(width="large"),
        },
    )
    why(found, counted(sum(row.runs for row in found), "run with a state at failure", "runs with a state at failure"))


def _axes() -> None:
    heading("Other axes", "Independent questions: an error may stand on several of them, or on none.")
    found = ask(error_axes, **filters().parameters)
    for axis, tab in zip(AXES, st.tabs([axis.capitalize() for axis in AXES]), strict=True):
        rows = [row for row in found if row.axis == axis]
        with tab:
            if not rows:
                nothing(f"No error here records a {axis}.")
                continue
            table(
                rows,
                {
                    axis.capitalize(): lambda r: r.value if r.known else f"{r.value} (unlisted)",
                    "Errors": lambda r: r.errors,
                    "Runs": lambda r: r.runs,
                    "Means": lambda r: r.means,
                },
                alt=f"Errors by {axis}",
                config={"Means": st.column_config.TextColumn(width="large")},
            )
    why(found, counted(sum(row.errors for row in found), "place on an axis", "places on an axis"))


def _unclassified() -> None:
    heading("Unclassified", "By type. A class nobody recorded and no rule derives stays open.")
    found = ask(unclassified, **filters().parameters)
    if not found.rows:
        nothing("Every error here carries a class from the lists.")
        return
    rows = found.rows[:TYPES_SHOWN]
    table(
        rows,
        {
            "Type": lambda r: said(r.type),
            "What is missing": lambda r: r.missing,
            "As recorded": lambda r: r.value,
            "Errors": lambda r: r.errors,
            "Runs": lambda r: r.runs,
        },
        alt="Errors without a class, by type",
    )
    more(len(rows), len(found), "types")
    why(
        found,
        counted(sum(row.errors for row in found), "entry", "entries"),
        note="An error may stand under more than one heading.",
    )


def _decisions() -> None:
    heading("Decisions and stops", "Neither failure nor success: in no failure count, and beside every rate.")
    found = ask(outcomes, **filters().parameters)
    runs = {
        status: sum(r.runs for r in found if r.status == status)
        for status in ("vetoed", "escalated", "interrupted", "refused")
    }
    with st.container(border=True):
        facts({outcome(status): counted(number, "run") for status, number in runs.items()})
        why(found, counted(sum(r.runs for r in found), "run"))


def _denials() -> None:
    heading(
        "Refusals and approvals", "What a guardrail denied or was asked to approve. A denial is terminal for the agent."
    )
    found = ask(denials, **filters().parameters)
    if not found.rows:
        nothing("No guardrail decision is recorded here.")
    else:
        table(
            found.rows,
            {
                "Decision": lambda r: r.decision,
                "Reason": lambda r: r.reason_code,
                "Times": lambda r: r.times,
                "Runs": lambda r: r.runs,
                "Bypassed": lambda r: r.bypassed,
                "Example destination": lambda r: r.example,
            },
            alt="Guardrail decisions by reason",
            config={"Bypassed": count_column(help="The agent acted on the same target afterwards")},
        )
    why(found, counted(sum(row.times for row in found), "decision"))


if __name__ == "__main__":
    render()
