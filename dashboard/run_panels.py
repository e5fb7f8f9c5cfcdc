"""The parts of a run's page: its header, its failures, what still holds, and a record as it is stored."""

from __future__ import annotations

import json
from datetime import datetime

import streamlit as st

from dashboard.cards import facts, heading
from dashboard.finding_panel import SHOWN as FINDINGS_SHOWN
from dashboard.links import permalink
from dashboard.literal import block
from dashboard.notices import not_in_this_store, nothing
from dashboard.paging import matching
from dashboard.reading import ask
from dashboard.why import why
from dashboard.wording import ABSENT, clipped, counted, duration, moment, outcome_sign, said
from queries.findings.findings import findings
from queries.reader import Answer
from queries.runs.event_record import EventRecord, event_record
from queries.runs.run_errors import RunErrorRow, run_errors
from queries.runs.run_facts import RunFacts

FAILURES_SHOWN = 6
# Also what the chart looks at, so that both ask one question.
FAILURES_READ = 200
NO_CLOCK = "no clock"


def draw_header(found: Answer[RunFacts], run: RunFacts) -> None:
    """How the run ended, what decided that, and where it comes from."""
    sign = outcome_sign(run.status)
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge(f"{sign.glyph} {run.status}" if run.status.isalpha() else "? unlisted", color=sign.colour)
            st.text(clipped(run.name or run.native_id))
        st.text(clipped(f"Decided by: {run.status_reason or 'no reason recorded'}"))
        broken = matching(ask(findings, run=run.run_id, limit=FINDINGS_SHOWN))
        counts = {"Findings": f"{broken:,}"}
        facts(_identity(run) | _course(run) | counts, at_once=True)
        why(
            found,
            "the records of one run",
            note=f"{run.status}: {sign.means}. The reason names the signal that decided.",
        )


def _identity(run: RunFacts) -> dict[str, str]:
    place = f"{run.path or 'file not recorded'}{f', line {run.line}' if run.line else ''}"
    known = {"Tenant": run.tenant, "Session": run.session_id, "Parent run": run.parent_run_id}
    return {
        "Workload": said(run.workload),
        "Source": run.source,
        "Native id": run.native_id,
        "Run id": run.run_id,
        "Read from": place,
    } | {label: value for label, value in known.items() if value}


def _course(run: RunFacts) -> dict[str, str]:
    return {
        "Started": _when(run.started_at, run.clock),
        "Duration": duration(run.duration_s) if run.clock == "wall" else f"{NO_CLOCK}: order is real, time is not",
        "Steps": f"{run.spans:,}",
        "Errors": f"{run.errors:,}",
        "Recoveries": f"{run.recoveries:,}",
        "Stop reason": said(run.stop_reason),
    }


def _when(time: datetime | None, clock: str) -> str:
    return moment(time) if time and (clock == "wall" or time.year > 1971) else NO_CLOCK


def draw_state(run: RunFacts) -> None:
    """What still holds after the failure, and what may be done now."""
    if not run.state_at_failure and not run.contract_class:
        return
    heading("State at failure", "What can still be relied on, and the next action that is permitted.")
    with st.container(border=True):
        state = {
            "State": said(run.state_at_failure),
            "Evidence that holds": run.evidence_that_holds or ABSENT,
            "Permitted next action": run.permitted_next_action or ABSENT,
        }
        contract = {"Contract class": run.contract_class, "Operator response": run.operator_response}
        facts(state | {label: value for label, value in contract.items() if value}, columns=3)
        st.caption("Retrying without that state is a new run and claims nothing of the old one.")


def draw_failures(run: RunFacts) -> None:
    """Each failure with its classes and what they allow."""
    found = ask(run_errors, run=run.run_id, limit=FAILURES_READ)
    heading("Failures", "What went wrong, on each axis for itself. What the producer did not record is not guessed.")
    if not found.rows:
        nothing("No error is recorded in this run.")
        return
    for row in found.rows[:FAILURES_SHOWN]:
        _failure(row)
    failures = found.rows[0].matching
    if failures > FAILURES_SHOWN:
        st.caption(f"{failures - FAILURES_SHOWN:,} more failures: choose the kind “error” under What happened.")
    why(found, counted(failures, "error of this run", "errors of this run"))


def _failure(row: RunErrorRow) -> None:
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge("✕ error", color="red")
            st.text(
                clipped(row.type or row.error_code or row.agent_error_code or row.failure_class or "type not recorded")
            )
            if row.basis == "derived":
                st.badge("derived", color="gray", help="Not recorded by the producer: it follows from other records.")
        facts(_classes(row) | {label: said(value) for label, value in _others(row).items() if value is not None})
        unset = [label.lower() for label, value in _others(row).items() if value is None]
        if unset:
            st.caption(f"Not recorded: {', '.join(unset)}.")
        if row.details:
            block(row.details)
        st.button("Show the stored record", key=f"show_{row.event_id}", type="tertiary", icon=":material/data_object:",
                  on_click=choose_event, args=(row.event_id,))  # fmt: skip


def _classes(row: RunErrorRow) -> dict[str, str]:
    profile = row.failure_class is not None and row.retryable is not None
    known = {
        "Operator response": row.operator_response,
        "Retryable": said(row.retryable) if profile else None,
        "Replayable": said(row.replayable) if profile else None,
    }
    unlisted = row.failure_class is not None and not profile
    return {
        "Contract class": _with_basis(row.contract_class, row.contract_class_basis),
        "Failure class": f"{row.failure_class} (unlisted)" if unlisted else said(row.failure_class),
        **{label: value for label, value in known.items() if value is not None},
        "Step": " · ".join(str(part) for part in (row.phase, row.step_index, row.agent) if part is not None)
        or "not recorded",
    }


def _with_basis(contract_class: str | None, basis: str | None) -> str:
    if contract_class is None:
        return "not a runtime failure"
    return f"{contract_class} ({basis})" if basis else contract_class


def _others(row: RunErrorRow) -> dict[str, object]:
    return {
        "When": moment(row.occurred_at) if row.occurred_at else None,
        "Severity level": row.level,
        "Error code": row.error_code,
        "Agent error code": row.agent_error_code,
        "Transient": row.transient,
        "Tool error class": row.tool_error_class,
        "Context failure class": row.context_failure_class,
        "Category": row.category,
        "Recoverable": row.recoverable,
        "Action": row.action,
        "Result of action": row.result,
        "Location": row.location,
        "Signature": _signature(row),
        "Observed at": row.observed_at,
        "Originated at": row.originated_at,
        "Rule": row.rule,
    }


def _signature(row: RunErrorRow) -> str | None:
    if row.signature is None:
        return None
    if row.signature_partial:
        return f"{row.signature} (partial: only possibly the same)"
    return f"{row.signature} (full, in {counted(row.seen_in_runs or 1, 'run')})"


def choose_event(event_id: str | None) -> None:
    """The event is in the address from now on, and its record on the page."""
    if event_id:
        st.session_state["event"] = event_id


def draw_record(run: RunFacts, event_id: str) -> None:
    """A record as it is stored opens in a drawer, with the file and line it came from."""
    found = ask(event_record, run=run.run_id, event=event_id)
    if found.rows:
        _drawer(found, run.run_id, event_id)
    else:
        not_in_this_store("This run has no event with this id", event_id)


def _leave_event() -> None:
    st.session_state["event"] = ""


# Nothing in the drawer asks the store: a dialog may be drawn again on its own, without the lease of the page.
@st.dialog("Stored record", width=620, position="right", icon=":material/data_object:", on_dismiss=_leave_event)
def _drawer(found: Answer[EventRecord], run_id: str, event_id: str) -> None:
    st.caption("The columns and attributes as they are in the store, nothing left out.")
    for row in found.rows:
        with st.container(border=True):
            facts(
                {"Kind": row.kind, "Line": said(row.line), "Id": row.event_id, "Read from": said(row.path)}, columns=2
            )
            columns, attributes = st.tabs(["Columns", "Attributes as recorded"])
            record = json.loads(row.record)
            record.pop("attributes", None)
            columns.json(record, expanded=1)
            attributes.json(json.loads(row.attributes) if row.attributes else {}, expanded=2)
    st.caption("Link to this event")
    st.code(permalink(run_id, event_id), language=None, wrap_lines=True)
    why(found, counted(len(found), "stored record"))
