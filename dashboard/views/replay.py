"""Runs beside their replays: the verdict, the dimensions, and the first event at which they part."""

from __future__ import annotations

import streamlit as st

from dashboard.cards import heading
from dashboard.charts.replay import differing_dimensions
from dashboard.drawn import draw_chart
from dashboard.filters import filters
from dashboard.links import VIEWS, open_run, row_pressed
from dashboard.notices import no_runs, nothing
from dashboard.page import Page
from dashboard.paging import in_pages, matching
from dashboard.reading import ask
from dashboard.sections import draw
from dashboard.tables import table
from dashboard.why import why
from dashboard.wording import ABSENT, counted
from queries.overview.totals import totals
from queries.reader import Answer
from queries.replay.replay_differences import replay_differences
from queries.replay.replay_dimensions import ReplayDimensionRow, replay_dimensions
from queries.replay.replay_pairs import ReplayPairRow, replay_pairs

PAGE = Page(
    "Replay", "Incident review", 8, "replay", "Runs and their replays: verdict, dimensions, first divergent event."
)
VERDICTS = {
    "acceptable": "✓ acceptable",
    "acceptable_with_warnings": "▲ acceptable with warnings",
    "unacceptable": "✕ unacceptable",
    "non_certifiable": "⊗ not certifiable",
}


def render() -> None:
    """The page is drawn."""
    st.title("Replay", anchor=False)
    what = ask(totals, **filters().parameters).first
    if what is None or not what.runs:
        no_runs()
        return
    draw(_pairs, _dimensions)


def _pairs() -> None:
    heading(
        "Replays", "A difference is evidence, neither a crash nor a retry. The verdict does not look at the events."
    )
    differences = ask(replay_differences, **filters().parameters)
    if differences.rows:
        draw_chart(
            differing_dimensions,
            {row.dimension: row.replays for row in differences},
            key="dimension_chart",
            alt="; ".join(f"{row.dimension}: {row.replays}" for row in differences),
        )
    found = in_pages("replays_page", replay_pairs, _pair_list, noun=("replay", "replays"), **filters().parameters)
    if found.first is None:
        nothing(
            "No replay is recorded here.",
            next_step="Ingest replay results of the runtime, or replay records of the native format.",
        )
        why(found, "no replay")
        return
    contrary = sum(row.events_differ and (row.verdict or "").startswith("acceptable") for row in found)
    why(
        found,
        counted(found.first.matching, "replay"),
        note=f"{contrary} of those shown read acceptable although the events differ: the verdict looks at trace and "
        "plan only.",
    )


def _pair_list(found: Answer[ReplayPairRow]) -> None:
    pairs = tuple((row.original_run, row.run_id) for row in found)
    table(
        found.rows,
        {
            "Open": lambda r: "Compare" if r.original_run else "Open",
            "Verdict": _verdict,
            "Events": lambda r: "≠ differ" if r.events_differ else "= no difference recorded",
            "First divergent event": _first,
            "Differences": lambda r: r.differences,
            "Dimensions": lambda r: ", ".join(r.dimensions) or ABSENT,
            "Replay": lambda r: r.run_name,
            "Original here": lambda r: "✓ yes" if r.original_run else "– no",
            "Of": lambda r: r.replay_of or "not recorded",
        },
        alt="Replays with verdict and events difference",
        config={
            "Open": st.column_config.ButtonColumn(
                "", key="open_pair", width=90, type="tertiary", pinned=True, on_click=_open, args=(pairs,)
            ),
            "First divergent event": st.column_config.TextColumn(width=260),
            "Dimensions": st.column_config.TextColumn(width=200),
            "Original here": st.column_config.TextColumn(
                help="Where the original is in the store too, both can be compared; else only the replay opens"
            ),
        },
    )


def _verdict(row: ReplayPairRow) -> str:
    return VERDICTS.get(row.verdict or "", row.verdict) or f"{ABSENT} none: {row.outcome or 'not recorded'}"


def _first(row: ReplayPairRow) -> str | None:
    if row.first_position is None:
        return None
    return (
        f"event {row.first_position}: expected {row.first_expected or ABSENT}, observed {row.first_observed or ABSENT}"
    )


def _open(pairs: tuple[tuple[str | None, str], ...]) -> None:
    """Both runs side by side where the original is in the store, else the replay alone."""
    pressed = row_pressed("open_pair", tuple(str(number) for number in range(len(pairs))))
    if pressed is None:
        return
    original, replayed = pairs[int(pressed)]
    if original:
        st.switch_page(VIEWS / "compare.py", query_params={"run_a": original, "run_b": replayed})
    else:
        open_run(replayed)


def _dimensions() -> None:
    heading("Dimensions", "Expected is the original, observed the replay.")
    found = in_pages(
        "dimensions_page", replay_dimensions, _dimension_list, noun=("dimension", "dimensions"), **filters().parameters
    )
    if found.first is None:
        nothing(
            "No replay here records a dimension.",
            next_step="Record what was compared: dimension, expected and observed of a replay record.",
        )
    why(found, counted(matching(found), "dimension"))


def _dimension_list(found: Answer[ReplayDimensionRow]) -> None:
    table(
        found.rows,
        {
            "Same": lambda r: "=" if r.same else "≠",
            "Dimension": lambda r: r.dimension,
            "Expected": lambda r: r.expected,
            "Observed": lambda r: r.observed,
            "Drift": lambda r: r.drift,
            "Replay": lambda r: r.run_id,
        },
        alt="Dimensions of replays, expected beside observed",
        config={
            "Same": st.column_config.TextColumn(width=60),
            "Expected": st.column_config.TextColumn(width=300),
            "Observed": st.column_config.TextColumn(width=300),
        },
        shown_rows=16,
        optional=("Drift",),
    )


if __name__ == "__main__":
    render()
