"""How the runs of this store end, what fails most, and what is not known."""

from __future__ import annotations

import streamlit as st

from dashboard.cards import facts, figure, heading
from dashboard.charts.outcomes import failed_shares, outcomes_by_workload
from dashboard.drawn import draw_chart
from dashboard.filters import filters
from dashboard.notices import no_runs, nothing
from dashboard.page import Page
from dashboard.reading import ask
from dashboard.sections import draw
from dashboard.tables import count_column, more, table, widest
from dashboard.why import why
from dashboard.wording import OUTCOMES, count, counted, interval, moment, outcome, share
from queries.failures.error_codes import error_codes
from queries.failures.signatures import signatures
from queries.failures.unclassified import unclassified
from queries.ingest_health.ingest_totals import ingest_totals
from queries.overview.failed_share import failed_share
from queries.overview.outcomes import outcomes
from queries.overview.totals import totals

PAGE = Page("Overview", "Incident review", 1, "monitoring", "How runs end, what fails most, and what is not known.")
WORKLOADS_DRAWN = 14
MOST_SHOWN = 50


def render() -> None:
    """The page is drawn."""
    st.title("Overview", anchor=False)
    what = ask(totals, **filters().parameters)
    if not what.first or not what.first.runs:
        no_runs()
        _ingest_health()
        return
    draw(_key_figures, _outcomes, _failed_most, _not_known, _ingest_health)


def _key_figures() -> None:
    what = ask(totals, **filters().parameters)
    shares = ask(failed_share, **filters().parameters)
    missing = ask(unclassified, **filters().parameters)
    loaded = ask(ingest_totals)
    row, all_runs, ingest = what.first, shares.first, loaded.first
    if row is None or all_runs is None or ingest is None:
        return
    unclassified_errors = sum(m.errors for m in missing if m.missing == "no class on any axis")
    with st.grid(5, min_column_width=160):
        figure(
            "Runs", count(row.runs), f"in {counted(row.workloads, 'workload')}", what, counted=counted(row.runs, "run")
        )
        figure(
            "Failed share", share(all_runs.rate),
            f"{all_runs.failed:,} of {all_runs.decided:,}, 95 %: {interval(all_runs.rate_low, all_runs.rate_high)}",
            shares, counted=f"{counted(all_runs.decided, 'run')} with a known outcome",
            left_out={"runs still running": row.running_runs, "runs with unknown outcome": row.unknown_runs},
            note="Failed ÷ runs with a known outcome. A veto, an escalation, an abort, an interruption and a refusal "
            "are outcomes of their own and no failures. The interval is Wilson's.",
        )  # fmt: skip
        figure(
            "Errors", count(row.errors), f"in {counted(row.spans, 'span')}", what,
            counted=counted(row.errors, "error event"),
            note="An error is a failed operation; how its run ended is another question.",
        )  # fmt: skip
        figure(
            "Unclassified", count(unclassified_errors), "errors with no class on any axis", missing,
            counted=counted(unclassified_errors, "error"), note="Shown by type under Failure classes; never guessed.",
        )  # fmt: skip
        figure(
            "Rejected", count(ingest.rejected), f"of {ingest.records:,} records, all files", loaded,
            counted=counted(ingest.records, "record"), note="Filters do not apply: a refused record belongs to no run.",
        )  # fmt: skip


def _outcomes() -> None:
    heading("How runs ended", "By workload, with the failed share of each. A veto is neither failure nor success.")
    ended = ask(outcomes, **filters().parameters)
    shares = ask(failed_share, **filters().parameters)
    by_size = sorted((s for s in shares if s.workload is not None), key=lambda s: (-s.runs, s.workload or ""))
    drawn = [s.workload for s in by_size[:WORKLOADS_DRAWN] if s.workload is not None]
    statuses = [*OUTCOMES, *sorted({row.status for row in ended} - set(OUTCOMES))]
    worst = max(by_size, key=lambda s: s.rate or 0)
    by_outcome, by_share = st.columns([3, 2])
    with by_outcome:
        st.caption("Runs by outcome")
        draw_chart(
            outcomes_by_workload,
            ended.rows,
            drawn,
            {status: outcome(status) for status in statuses},
            key="outcomes_chart",
            alt=f"Runs by outcome for {len(drawn)} workloads, {counted(sum(row.runs for row in ended), 'run')} in all",
        )
        why(ended, counted(sum(row.runs for row in ended), "run"))
    with by_share:
        st.caption("Failed share with its 95 % interval")
        draw_chart(
            failed_shares,
            {s.workload: s for s in shares if s.workload is not None},
            drawn,
            key="shares_chart",
            alt=f"Failed share by workload with 95 % intervals; the highest is {share(worst.rate)}",
        )
        why(shares, counted(sum(s.decided for s in by_size), "run") + " with a known outcome")
    more(len(drawn), len(by_size), "workloads")


def _failed_most() -> None:
    heading(
        "What failed most", "A signature is one failure wherever it happens: stage, code, place and state together."
    )
    by_signature, by_code = st.tabs(["Signatures", "Error codes"])
    with by_signature:
        draw(_signatures)
    with by_code:
        draw(_codes)


def _signatures() -> None:
    found = ask(signatures, **filters().parameters, limit=MOST_SHOWN)
    if not found.rows:
        nothing(
            "No error here has a signature.", next_step="A signature needs a machine code and a phase, place or state."
        )
        return
    top = widest(row.occurrences for row in found)
    table(
        found.rows,
        {
            "Code": lambda r: r.error_code or r.type,
            "Where": lambda r: r.location,
            "Phase": lambda r: r.phase,
            "Occurrences": lambda r: r.occurrences,
            "Runs": lambda r: r.runs,
            "Repeats in a run": lambda r: r.repeats_in_run,
            "Certain": lambda r: "≈ possibly the same" if r.partial else "● the same",
            "Last seen": lambda r: r.last_seen,
            "Signature": lambda r: r.signature,
        },
        alt="Failures by signature, the most frequent first",
        config={
            "Occurrences": st.column_config.ProgressColumn(format="%d", min_value=0, max_value=top, width="small"),
            "Last seen": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm", timezone="UTC"),
            "Certain": st.column_config.TextColumn(help="A partial signature is only possibly the same failure."),
        },
        shown_rows=8,
    )
    more(len(found), found.rows[0].matching, "signatures")
    errors = counted(sum(row.occurrences for row in found), "error with a signature", "errors with a signature")
    why(found, f"{errors}, of the signatures shown")


def _codes() -> None:
    found = ask(error_codes, **filters().parameters, limit=MOST_SHOWN)
    if not found.rows:
        nothing("No errors here.")
        return
    table(
        found.rows,
        {
            "Code": lambda r: r.code,
            "Named by": lambda r: r.named_by,
            "Errors": lambda r: r.errors,
            "Runs": lambda r: r.runs,
            "Transient": lambda r: r.transient,
        },
        alt="Errors by code, the most frequent first",
        config={
            "Errors": st.column_config.ProgressColumn(
                format="%d", min_value=0, max_value=widest(row.errors for row in found), width="small"
            )
        },
        shown_rows=8,
    )
    more(len(found), found.rows[0].matching, "codes")
    why(found, f"{counted(sum(row.errors for row in found), 'error')}, of the codes shown")


def _not_known() -> None:
    heading("What is not known", "Unset is shown as not recorded. Nothing is guessed, and nothing here is in a rate.")
    what = ask(totals, **filters().parameters)
    missing = ask(unclassified, **filters().parameters)
    if what.first is None:
        return
    rows: list[tuple[str, str, int]] = [
        ("Runs whose outcome the records do not say", "run", what.first.unknown_runs),
        ("Runs still running", "run", what.first.running_runs),
        ("Runs without a time", "run", what.first.undated_runs),
    ]
    rows += [
        (f"Errors: {said}", "error", sum(m.errors for m in missing if m.missing == said))
        for said in dict.fromkeys(row.missing for row in missing)
    ]
    table(
        rows,
        # The number first: a narrow screen shows no second column.
        {"Count": lambda r: r[2], "Of": lambda r: "runs" if r[1] == "run" else "errors", "What": lambda r: r[0]},
        alt="What is not known about runs and errors",
        config={
            "Count": count_column(width=80),
            "Of": st.column_config.TextColumn(width=80),
            "What": st.column_config.TextColumn(width="large"),
        },
    )
    why(missing, f"{counted(what.first.runs, 'run')}, {counted(what.first.errors, 'error')}")


def _ingest_health() -> None:
    heading("Ingest", "What was read from files, over the whole store.")
    loaded = ask(ingest_totals)
    row = loaded.first
    if row is None or not row.files:
        nothing(
            "No file was ingested yet.", next_step="Run faultlens ingest PATH, or upload a file on the Ingest page."
        )
        return
    with st.container(border=True):
        facts(
            {
                "Files": f"{row.files:,}",
                "Refused files": f"{row.refused:,}",
                "Records": f"{row.records:,}",
                "Stored": f"{row.stored:,}",
                "Duplicates": f"{row.duplicates:,}",
                "Rejected": f"{row.rejected:,}",
                "Skipped": f"{row.skipped:,}",
                "Last ingest": moment(row.last_ingest),
            }
        )
        why(loaded, counted(row.files, "file"), note="records = stored + duplicates + rejected + skipped")


if __name__ == "__main__":
    render()
