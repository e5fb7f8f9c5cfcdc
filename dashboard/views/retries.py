"""Every retry with its verdict: what was legitimate, what repeated itself, what it cost, and which caused which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

import streamlit as st

from dashboard.cards import figure, heading
from dashboard.charts.retries import retries_by_verdict
from dashboard.drawn import draw_chart
from dashboard.filters import filters
from dashboard.links import VIEWS, row_pressed
from dashboard.notices import no_runs, nothing
from dashboard.page import Page
from dashboard.paging import in_pages, matching
from dashboard.reading import ask
from dashboard.retry_tree import DEEPEST, depths, indented
from dashboard.sections import draw
from dashboard.tables import count_column, more, table
from dashboard.why import why
from dashboard.wording import counted, moment
from queries.overview.totals import totals
from queries.reader import Answer
from queries.retries.circuit_breaker import BreakerRow, circuit_breaker
from queries.retries.retry_audit import RetryRow, retry_audit
from queries.retries.retry_thrash import retry_thrash
from queries.retries.retry_verdicts import RetryVerdictRow, retry_verdicts

PAGE = Page(
    "Retries", "Reliability", 3, "repeat", "Every retry with its verdict, the budget, thrash and circuit breakers."
)
VERDICTS = {
    "legitimate": "✓ legitimate",
    "unchanged": "✕ unchanged",
    "wrong class": "■ wrong class",
    "over budget": "▲ over budget",
    "after denial": "⊘ after denial",
    "before the state was checked": "◆ before the check",
    "not recorded": "? not recorded",
}
WORKLOADS_DRAWN = 12
BREAKERS_A_PAGE = 20
# Of a run whose retries stand on several pages of the list.
RETRIES_OF_A_RUN = 20_000


def render() -> None:
    """The page is drawn."""
    st.title("Retries", anchor=False)
    what = ask(totals, **filters().parameters).first
    if what is None or not what.runs:
        no_runs()
        return
    found = ask(retry_verdicts, **filters().parameters)
    if not found.rows:
        nothing(
            "No retry is recorded here.",
            next_step="A retry shows as the same failure again in one step, an Action that says so, or a retry event.",
        )
        why(found, "no retry")
        return
    draw(partial(_verdicts, found), _breakers, _thrash, _attempts)


def _verdicts(found: Answer[RetryVerdictRow]) -> None:
    heading(
        "Verdicts", "A retry is legitimate only if the action or the evidence changed, bare transport retries apart."
    )
    number, of_workload = Counter[str](), Counter[str]()
    for row in found:
        number[row.verdict] += row.retries
        of_workload[row.workload] += row.retries
    retries = counted(number.total(), "retry", "retries")
    with st.grid(sum(bool(number[verdict]) for verdict in VERDICTS), min_column_width=170):
        for verdict, word in VERDICTS.items():
            if number[verdict]:
                figure(
                    word, f"{number[verdict]:,}", f"of {retries}", found,
                    counted=counted(number[verdict], "retry", "retries"),
                )  # fmt: skip
    names = [name for name, _ in sorted(of_workload.items(), key=lambda item: (-item[1], item[0]))[:WORKLOADS_DRAWN]]
    draw_chart(
        retries_by_verdict,
        names,
        {(row.workload, row.verdict): row.retries for row in found},
        VERDICTS,
        key="verdict_chart",
        alt="; ".join(f"{word}: {number[verdict]}" for verdict, word in VERDICTS.items()),
    )
    more(len(names), len(of_workload), "workloads")
    why(found, retries, note="The budget belongs to the run: [retry] of faultlens.toml.")


def _breakers() -> None:
    heading("Circuit breakers", "A full signature seen twice in a run is one attempt counted twice: stop and diagnose.")
    found = in_pages(
        "breakers_page", circuit_breaker, _breaker_list, noun=("breaker", "breakers"), rows=BREAKERS_A_PAGE,
        **filters().parameters,
    )  # fmt: skip
    if found.first is None:
        nothing("No breaker opened: no full signature repeats within a run.")
    why(found, counted(found.first.matching, "breaker") if found.first else "no breaker")


def _breaker_list(found: Answer[BreakerRow]) -> None:
    run_ids = tuple((row.run_id, row.opened_by) for row in found)
    table(
        found.rows,
        {
            "Open": lambda _: "Open",
            "Breaker": lambda r: "✓ closed by a recovery" if r.state.startswith("closed") else "✕ open at the end",
            "Error": lambda r: r.error_code,
            "Agent": lambda r: r.agent,
            "Attempts": lambda r: r.attempts,
            "Repeats": lambda r: r.repeats,
            "After it opened": lambda r: r.after_opening,
            "Opened": lambda r: moment(r.opened_at),
            "Run": lambda r: r.run_name,
            "Signature": lambda r: r.signature,
        },
        alt="Circuit breakers that opened",
        config={
            "Open": st.column_config.ButtonColumn(
                "", key="open_breaker", width=70, type="tertiary", on_click=_open, args=("open_breaker", run_ids)
            ),
            "After it opened": count_column(help="Thrash: the breaker should have stopped them"),
        },
        optional=("Agent",),
    )


def _thrash() -> None:
    heading("Thrash", "Who repeats most without changing anything. Counts, not rates: a busy agent stands higher.")
    found = ask(retry_thrash, **filters().parameters)
    left, right = st.columns(2, gap="medium")
    for column, kind, title in ((left, "agent", "Agent"), (right, "place", "Tool or place")):
        rows = [row for row in found if row.kind == kind]
        with column:
            if rows:
                table(
                    rows,
                    {
                        title: lambda r: r.name,
                        "Unchanged": lambda r: r.unchanged,
                        "Retries": lambda r: r.retries,
                        "Runs": lambda r: r.runs,
                    },
                    alt=f"Retries by {kind}",
                    shown_rows=8,
                )
            else:
                nothing(f"No retry here records {'an agent' if kind == 'agent' else 'a place'}.")
    more(len(found), matching(found), "agents and places")
    why(found, counted(matching(found), "agent or place", "agents and places"))


def _attempts() -> None:
    heading("Every retry", "In the order of each run; indented below the retry that caused it, where a record says so.")
    verdict = st.pills("Verdict", list(VERDICTS), key="verdict", bind="query-params", format_func=lambda v: VERDICTS[v])
    found = in_pages(
        "retries_page", retry_audit, _attempt_list, noun=("retry", "retries"), **filters().parameters, verdict=verdict
    )
    if found.first is None:
        nothing("No retry has this verdict.", next_step="Clear the verdict.")
    why(found, counted(matching(found), "retry", "retries"))


def _attempt_list(found: Answer[RetryRow]) -> None:
    rows = found.rows
    depth = _depths(rows)
    table(
        rows,
        {
            "Open": lambda _: "Open",
            "Verdict": lambda r: VERDICTS.get(r.verdict, r.verdict),
            "Attempt": lambda r: indented(depth[r.run_id, r.of_event], f"attempt {r.attempt}"),
            "Of": lambda r: r.error_code or r.tool_error_class,
            "Step": lambda r: r.step,
            "Agent": lambda r: r.agent,
            "Action": lambda r: r.action,
            "Budget of the run": lambda r: f"{r.budget_used} of {r.budget_of_run}",
            "Run": lambda r: r.run_name,
        },
        alt="Retries with their verdicts",
        config={
            "Open": st.column_config.ButtonColumn(
                "", key="open_retry", width=70, type="tertiary", on_click=_open,
                args=("open_retry", tuple((row.run_id, row.of_event) for row in rows)),
            ),
            "Verdict": st.column_config.TextColumn(width=160),
            # As wide as the deepest indent: the grid measures a sample of the rows only.
            "Attempt": st.column_config.TextColumn(width=100 + 14 * min(max(depth.values(), default=0), DEEPEST + 4)),
        },
        optional=("Agent", "Action"),
    )  # fmt: skip


def _depths(rows: Sequence[RetryRow]) -> dict[tuple[str, str], int]:
    """How many retries stand above each, also where its cause stands on another page or is filtered away."""
    here = {(row.run_id, row.event_id) for row in rows}
    partly = dict.fromkeys(row.run_id for row in rows if row.caused_by and (row.run_id, row.caused_by) not in here)
    whole = [ask(retry_audit, run=run_id, limit=RETRIES_OF_A_RUN).rows for run_id in partly]
    return depths([*rows, *(row for of_run in whole for row in of_run)])


def _open(key: str, places: tuple[tuple[str, str | None], ...]) -> None:
    pressed = row_pressed(key, tuple(str(number) for number in range(len(places))))
    if pressed is not None:
        run_id, event_id = places[int(pressed)]
        st.switch_page(VIEWS / "run.py", query_params={"run": run_id} | ({"event": event_id} if event_id else {}))


if __name__ == "__main__":
    render()
