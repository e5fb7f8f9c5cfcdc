"""The filters that all pages share. They live in the address, so that a link shows what its sender saw."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

import streamlit as st

from dashboard.answers import QueryTooSlow
from dashboard.reading import ask
from dashboard.sections import say_slow
from queries.overview.filter_values import filter_values


@dataclass(frozen=True, slots=True)
class Filters:
    """Which runs the pages look at: of one workload and source, started from `since` on and before `until`."""

    workload: str | None = None
    source: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The filters as every query that can be filtered takes them."""
        return {"workload": self.workload, "source": self.source, "since": self.since, "until": self.until}

    @property
    def is_open(self) -> bool:
        """Whether nothing is filtered."""
        return self == Filters()


_FILTERS: ContextVar[Filters] = ContextVar("filters")
_NOTED = "_refused_dates"


def filters() -> Filters:
    """What this render is filtered by."""
    return _FILTERS.get()


def draw_filters() -> list[tuple[str, str]]:
    """The filters stand in the sidebar; returned is what the address asks for and cannot have, as (claim, value)."""
    known = _known()
    complaints: list[tuple[str, str]] = []
    workload = _one_of("Workload", "workload", known["workload"], complaints)
    source = _one_of("Source", "source", known["source"], complaints)
    since = _day("From", "since", "Runs that started on this day or later (UTC).", complaints)
    until = _day("Before", "until", "Runs that started before this day began (UTC).", complaints)
    if since and until and since >= until:
        complaints.append(
            ("“From” is not before “Before”: no run can be between", f"{since:%Y-%m-%d} and {until:%Y-%m-%d}")
        )
    _FILTERS.set(Filters(workload, source, since, until))
    return complaints


def _known() -> dict[str, list[str] | None]:
    """The values that runs name; None where that takes too long to find out, which is said."""
    known: dict[str, list[str]] = {"workload": [], "source": []}
    try:
        for row in ask(filter_values):
            known[row.filter].append(row.value)
    except QueryTooSlow as slow:
        say_slow(slow)
        return {"workload": None, "source": None}
    return {**known}


def options_with_asked(key: str, known: list[str]) -> list[str]:
    """The known options and the one that the address asks for, so that a link keeps its question."""
    asked = [value for value in (st.session_state.get(key), st.query_params.get(key)) if isinstance(value, str)]
    return [*known, *dict.fromkeys(value for value in asked if value and value not in known)]


def _one_of(label: str, key: str, known: list[str] | None, complaints: list[tuple[str, str]]) -> str | None:
    """The chosen value, kept even if the store does not know it: a link must not turn into another question."""
    options = options_with_asked(key, known or [])
    chosen: str | None = st.selectbox(label, options, index=None, placeholder="All", key=key, bind="query-params")
    if chosen and known is not None and chosen not in known:
        complaints.append((f"No run in this store has the {label.lower()} that is asked for", chosen))
    return chosen


def _day(label: str, key: str, explained: str, complaints: list[tuple[str, str]]) -> datetime | None:
    noted: dict[str, str] = st.session_state.setdefault(_NOTED, {})
    raw = st.query_params.get(key)
    if raw and not _is_day(raw):
        noted[key] = raw
    chosen: date | None = st.date_input(
        label, value=None, key=key, help=explained, format="YYYY-MM-DD", bind="query-params",
        on_change=_forget_complaint, args=(key,),
    )  # fmt: skip
    if chosen is None and key in noted:
        complaints.append(
            (f"“{label}” in the address is no date, so it filters nothing; write {key}=2026-11-30", noted[key])
        )
    return datetime.combine(chosen, time.min, tzinfo=UTC) if chosen else None


def _forget_complaint(key: str) -> None:
    st.session_state[_NOTED].pop(key, None)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
