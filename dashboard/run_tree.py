"""The steps of a run as a tree that is opened a level at a time, and a search over all of them.

A level is asked for when it is opened, so that a run of 100,000 steps costs what is on the screen.
"""

from __future__ import annotations

import streamlit as st

from dashboard.address import say_unknown
from dashboard.cards import facts
from dashboard.links import row_pressed
from dashboard.notices import nothing
from dashboard.reading import ask
from dashboard.run_panels import choose_event
from dashboard.tables import more, table
from dashboard.why import why
from dashboard.wording import ABSENT, STEPS, counted, duration, step_ended
from queries.report.span_children import SpanChildRow, span_children
from queries.report.span_search import SpanFoundRow, span_search
from queries.report.span_shape import span_shape
from queries.runs.run_facts import RunFacts

SHOWN = 200
OPEN_AT_ONCE = 5_000
ENDED = {**{name: step_ended(name) for name in STEPS}, "orphan": "⌀ orphan", "circle": "↺ in a circle of parents"}


def draw_shape(run: RunFacts) -> None:
    """How the steps ended, and how many do not hang together: shown as what they are."""
    found = ask(span_shape, run=run.run_id)
    shape = found.first
    if shape is None:
        return
    facts(
        {
            "Completed": f"{shape.completed:,} of {shape.spans:,}",
            "Failed": f"{shape.failed:,}",
            "Started, no end recorded": f"{shape.unfinished:,}",
            "Never reached": f"{shape.not_reached:,}",
            "Orphans (parent missing)": f"{shape.orphans:,}",
            "In circles of parents": f"{shape.in_circles:,}",
        },
        columns=6,
    )
    why(found, counted(shape.spans, "step"))


def draw_tree(run: RunFacts) -> None:
    """The tree, closed at first in a very long run."""
    if not run.spans:
        return
    with st.expander(
        f"Steps as a tree: {counted(run.spans, 'step')}", expanded=run.spans <= OPEN_AT_ONCE, on_change="rerun",
        key="tree_open", icon=":material/account_tree:",
    ) as opened:  # fmt: skip
        if opened.open:
            draw_shape(run)
            _search_or_level(run)


def _search_or_level(run: RunFacts) -> None:
    say_unknown("ended", list(ENDED.values()), "Steps cannot be filtered by this, so it filters nothing")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input(
            "Find a step", key="find", bind="query-params", placeholder="name, tool, agent, phase or id"
        )
        ended = st.selectbox(
            "Only steps that are", list(ENDED), index=None, key="ended", bind="query-params", placeholder="any",
            format_func=lambda name: ENDED[name], width=240,
        )  # fmt: skip
    if (text or "").strip() or ended:
        _found(run, (text or "").strip() or None, ended)
    else:
        _level(run)


def _found(run: RunFacts, text: str | None, ended: str | None) -> None:
    found = ask(span_search, run=run.run_id, text=text, ended=ended, limit=SHOWN)
    if not found.rows:
        nothing("No step of this run matches.", next_step="Clear the search, or choose another way of ending.")
        return
    _table(found.rows)
    more(len(found), found.rows[0].matching, "matching steps")
    why(found, counted(found.rows[0].matching, "matching step"))


def _level(run: RunFacts) -> None:
    path: list[tuple[str, str]] = st.session_state.get(_key(run), [])
    _crumbs(run, path)
    found = ask(span_children, run=run.run_id, parent=path[-1][0] if path else None, limit=SHOWN)
    if not found.rows:
        nothing(
            "No step stands here: every step is in a circle of parents."
            if not path
            else "No step stands below this one.",
            next_step="Choose “in a circle of parents” above.",
        )
        return
    _table(found.rows, tuple((row.span_id, row.name or row.kind or row.span_id) for row in found), _key(run))
    more(len(found), found.rows[0].matching, "steps of this level")
    why(found, counted(found.rows[0].matching, "step of this level", "steps of this level"))


def _key(run: RunFacts) -> str:
    return f"tree_path_{run.run_id}"


def _crumbs(run: RunFacts, path: list[tuple[str, str]]) -> None:
    if not path:
        st.caption(
            "The first level: roots, and orphans whose parent is missing. Open a step to see what lies below it."
        )
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button("Up", key="tree_up", icon=":material/arrow_upward:", on_click=_cut, args=(_key(run), len(path) - 1))
        st.button("To the roots", key="tree_roots", type="tertiary", on_click=_cut, args=(_key(run), 0))
        st.text(" / ".join(name for _, name in path[-5:]))


def _cut(key: str, depth: int) -> None:
    st.session_state[key] = st.session_state.get(key, [])[:depth]


def _table(
    rows: tuple[SpanChildRow, ...] | tuple[SpanFoundRow, ...], inside: tuple[tuple[str, str], ...] = (), path: str = ""
) -> None:
    ids = tuple(row.span_id for row in rows)
    table(
        rows,
        {
            "Inside": lambda r: "Open" if getattr(r, "below", 0) else None,
            "Show": lambda _: "Record",
            "Ended": lambda r: step_ended(r.status),
            "Step": lambda r: r.name or r.kind or ABSENT,
            "Below": lambda r: getattr(r, "below", None) or None,
            "Failed below": lambda r: getattr(r, "failed_below", None) or None,
            "Tree": lambda r: "⌀ orphan" if r.is_orphan else "↺ circle" if getattr(r, "in_circle", False) else None,
            "Phase": lambda r: r.phase,
            "Agent": lambda r: r.agent,
            "Tool": lambda r: r.tool,
            "Duration": lambda r: None if r.duration_s is None else duration(r.duration_s),
            "Span id": lambda r: r.span_id,
        },
        alt="Steps of one level of the tree, or steps that match",
        config={
            "Inside": st.column_config.ButtonColumn(
                "", key="tree_open_row", width=70, type="tertiary", on_click=_descend, args=(path, inside)
            ),
            "Show": st.column_config.ButtonColumn(
                "", key="tree_show_row", width=80, type="tertiary", on_click=_show, args=(ids,)
            ),
        },
        optional=("Inside", "Below", "Failed below", "Tree", "Phase", "Agent", "Tool", "Duration"),
    )


def _descend(path: str, inside: tuple[tuple[str, str], ...]) -> None:
    span_id = row_pressed("tree_open_row", tuple(span for span, _ in inside))
    if path and span_id:
        st.session_state[path] = [*st.session_state.get(path, []), (span_id, dict(inside)[span_id])]


def _show(ids: tuple[str, ...]) -> None:
    choose_event(row_pressed("tree_show_row", ids))
