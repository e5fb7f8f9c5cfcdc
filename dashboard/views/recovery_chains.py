"""What the recovery chains achieved, how sure that is, and whether they kept their own rules."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard.cards import figure, heading
from dashboard.charts.recovery import confidence_against_success, day_by_day, success_by_chain
from dashboard.drawn import draw_chart
from dashboard.filters import filters
from dashboard.notices import no_runs, nothing
from dashboard.page import Page
from dashboard.reading import ask
from dashboard.recovery.panels import (
    draw_attempts,
    draw_failing_steps,
    draw_handovers,
    draw_reported,
    draw_selection,
    draw_thresholds,
)
from dashboard.sections import draw
from dashboard.why import why
from dashboard.wording import ABSENT, counted, interval, share
from queries.overview.totals import totals
from queries.reader import Answer
from queries.recovery.recovery_calibration import recovery_calibration
from queries.recovery.recovery_calibration_score import CalibrationScoreRow, recovery_calibration_score
from queries.recovery.recovery_chains import RecoveryChainRow, recovery_chains
from queries.recovery.recovery_trend import recovery_trend

PAGE = Page("Recovery chains", "Reliability", 2, "healing", "What chains A, B and C achieved, and how sure that is.")
ENOUGH_TO_RANK = 10
MEASURES = ("Success", "Escalation")


def render() -> None:
    """The page is drawn."""
    st.title("Recovery chains", anchor=False)
    what = ask(totals, **filters().parameters).first
    if what is None or not what.runs:
        no_runs()
        return
    with_derived = st.toggle(
        "Count derived attempts too",
        key="derived",
        bind="query-params",
        help="Rates use recorded attempts only, unless derived ones are asked for. Derived ones have no chain.",
    )
    asked = {**filters().parameters, "derived": with_derived}
    found = ask(recovery_chains, **asked)
    if not any(row.attempts for row in found):
        nothing(
            "No attempt of chain A, B or C is recorded here.",
            next_step="They come from recovery events: _RECOVERY_EVENT blocks, or recovery_event records. "
            "Widen the filters, or ingest a journal.",
        )
        why(found, "no attempt")
        return
    draw(partial(_chains, found), *(partial(part, asked) for part in (_calibration, _trend, _rules, draw_attempts)))


def _chains(found: Answer[RecoveryChainRow]) -> None:
    with st.grid(3, min_column_width=250):
        for row in found:
            _card(row, found)
    draw_chart(
        success_by_chain,
        found.rows,
        key="chains_chart",
        alt="; ".join(f"chain {row.chain}: {row.recovered} of {row.finished} recovered" for row in found),
    )


def _card(row: RecoveryChainRow, found: Answer[RecoveryChainRow]) -> None:
    beside = (
        f"{row.recovered:,} of {row.finished:,} finished, 95 %: {interval(row.success_low, row.success_high)}\n\n"
        f"Collapsed {share(row.success_rate_collapsed)} ({row.recovered_collapsed:,} of {row.finished_collapsed:,})\n\n"
        f"{row.escalated:,} escalated ({row.handed_over:,} handed on), {row.aborted:,} aborted, "
        f"{row.unfinished:,} unfinished\n\n"
        f"{row.auto_executed:,} by itself, {row.asked:,} asked, average confidence {_confidence(row.avg_confidence)}"
    )
    figure(
        _title(row),
        share(row.success_rate),
        beside,
        found,
        counted=f"{counted(row.attempts, 'attempt')} of chain {row.chain}, {row.finished:,} finished",
        note="Recovered ÷ finished. ABORTED and ESCALATED are in the denominator. Collapsed: attempts of one run, "
        "chain and full signature are one attempt with the outcome of the last. The interval is Wilson's.",
    )


def _title(row: RecoveryChainRow) -> str:
    if not row.finished:
        return f"Chain {row.chain} – nothing finished"
    if row.finished < ENOUGH_TO_RANK:
        return f"Chain {row.chain} – n = {row.finished}: do not rank"
    return f"Chain {row.chain} – success, n = {row.finished:,}"


def _confidence(value: float | None) -> str:
    return ABSENT if value is None else f"{value:.2f}"


def _calibration(asked: dict[str, object]) -> None:
    heading("Confidence against success", "On the diagonal, a confidence of 80 % recovers four times in five.")
    bins = ask(recovery_calibration, **asked)
    scores = ask(recovery_calibration_score, **asked)
    overall = scores.first
    if overall is None:
        nothing("No finished attempt records a confidence, so it cannot be compared.")
        return
    chart, figures = st.columns([3, 2], gap="medium")
    with chart:
        draw_chart(
            confidence_against_success,
            bins.rows,
            key="calibration_chart",
            alt=f"Confidence against success of {overall.attempts} attempts; the gap is {_points(overall.gap)}",
        )
    with figures:
        measured = counted(
            overall.attempts, "finished attempt with a confidence", "finished attempts with a confidence"
        )
        figure(
            "Gap",
            _points(overall.gap),
            f"{_too_sure(overall)}: confidence {share(overall.avg_confidence)}, success {share(overall.success_rate)}"
            f" (n = {overall.attempts:,})",
            scores,
            counted=measured,
            note="Average confidence minus success rate, over the same attempts.",
        )
        figure(
            "Brier score",
            f"{overall.brier or 0:.3f}",
            f"0 is perfect; always saying the average would score {overall.brier_of_base_rate or 0:.3f}"
            f" (n = {overall.attempts:,})",
            scores,
            counted=measured,
            note="The mean of (confidence − recovered)². Over the other number, it tells less than the average.",
        )
        st.caption(
            "By chain: "
            + ", ".join(f"{s.chain} gap {_points(s.gap)} (n = {s.attempts:,})" for s in scores if s.chain)
            + "."
        )


def _points(gap: float | None) -> str:
    return ABSENT if gap is None else f"{100 * gap:+.1f} points".replace("-", "−")


def _too_sure(score: CalibrationScoreRow) -> str:
    if score.gap is None or abs(score.gap) < 0.02:
        return "About right"
    return "Too sure" if score.gap > 0 else "Too modest"


def _trend(asked: dict[str, object]) -> None:
    heading("Day by day", "Limits are Laney's: they allow for days that differ more than pure chance would make them.")
    measure = st.segmented_control(
        "Rate", MEASURES, key="measure", bind="query-params", default="Success", label_visibility="collapsed"
    )  # fmt: skip
    found = ask(recovery_trend, **asked, measure=(measure or "Success").lower())
    if not found.rows:
        nothing("No finished attempt has a time, so there are no days.")
        return
    draw_chart(
        day_by_day,
        found.rows,
        (measure or "Success").lower(),
        key="trend_chart",
        alt=f"{len(found)} days, {sum(bool(day.outside) for day in found)} outside what chance allows",
    )
    first = found.rows[0]
    if first.overdispersion is None:
        st.caption("Fewer than 8 days, or days that do not vary: no limits.")
    else:
        st.caption(
            f"Days differ {first.overdispersion:.1f} times as much as chance alone; "
            f"{counted(sum(bool(day.outside) for day in found), 'day')} of {len(found)} outside."
        )
    why(found, counted(sum(day.finished for day in found), "finished attempt with a time"))


def _rules(asked: dict[str, object]) -> None:
    heading("Did the chains keep their rules?", "Thresholds, attempts, the chosen chain, failing steps, hand-overs.")
    thresholds, selection, steps, handed, reported = st.tabs(
        ["Thresholds and attempts", "Chain chosen", "Where chains fail", "Hand-overs", "Reported beside recomputed"]
    )
    with thresholds:
        draw_thresholds(asked)
    with selection:
        draw_selection(asked)
    with steps:
        draw_failing_steps(asked)
    with handed:
        draw_handovers(asked)
    with reported:
        draw_reported(asked)


if __name__ == "__main__":
    render()
