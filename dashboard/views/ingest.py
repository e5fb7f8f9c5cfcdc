"""What was loaded, what was refused and why, and a place to load more."""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePath

import streamlit as st

from dashboard.cards import facts, heading
from dashboard.filters import options_with_asked
from dashboard.notices import not_in_this_store, nothing, unusable
from dashboard.page import Page
from dashboard.paging import in_pages
from dashboard.reading import ask, store_argument, store_url
from dashboard.sections import draw
from dashboard.tables import table
from dashboard.why import why
from dashboard.wording import counted, moment, said
from ingest.derive.version import version
from ingest.load import ingest
from ingest.report import IngestReport
from ingest.store import FaultlensError
from queries.ingest_health.files import FileRow, files
from queries.ingest_health.ingest_totals import IngestTotalsRow, ingest_totals
from queries.ingest_health.judged_by import judged_by
from queries.ingest_health.rejection_reasons import rejection_reasons
from queries.ingest_health.rejections import RejectionRow, rejections
from queries.ingest_health.skipped import SkippedRow, skipped
from queries.reader import Answer

PAGE = Page(
    "Ingest", "Data", 1, "upload_file", "Files with their counts, refused records with their raw text, and an upload."
)
REPORT = "_upload_report"
STATUS_GLYPHS = {"loaded": "✓", "unchanged": "=", "refused": "✕", "ignored": "·", "superseded": "↻"}


def render() -> None:
    """The page is drawn."""
    st.title("Ingest", anchor=False)
    totals = ask(ingest_totals)
    if totals.first and totals.first.files:
        with st.container(border=True):
            facts(_totals(totals.first))
            _judged()
            why(totals, counted(totals.first.files, "file"), note="records = stored + duplicates + rejected + skipped")
    else:
        nothing("Nothing was ingested yet.", next_step="Upload a file below, or on a command line:")
        st.code(f"faultlens ingest PATH --store {store_argument()}", language="bash")
    draw(_upload, _files, _quarantine, _skipped)


def _totals(row: IngestTotalsRow) -> dict[str, str]:
    return {
        "Files": f"{row.files:,}",
        "Refused files": f"{row.refused:,}",
        "Ignored files": f"{row.ignored:,}",
        "Last ingest": moment(row.last_ingest),
        "Stored": f"{row.stored:,} of {row.records:,} records",
        "Duplicates": f"{row.duplicates:,}",
        "Rejected": f"{row.rejected:,}",
        "Skipped": f"{row.skipped:,}",
    }


def _judged() -> None:
    """Whether runs are shown as other rules than this version's judged them, and what to do about it."""
    current = version()
    older = sum(row.runs for row in ask(judged_by) if row.version != current)
    if older:
        st.text(f"{counted(older, 'run')} judged by older rules, or other retry budgets. To judge them again:")
        st.code(f"faultlens rebuild --store {store_argument()}", language="bash")


def _upload() -> None:
    heading(
        "Upload",
        "Files are recognised by their content. What was there already is stored once, also from another path.",
    )
    with st.form("upload", clear_on_submit=True):
        uploaded = st.file_uploader("Files", accept_multiple_files=True, key="uploaded")
        workload = st.text_input(
            "Workload", key="upload_workload", placeholder="what the records say, unless you name one"
        )
        sent = st.form_submit_button("Ingest", type="primary", icon=":material/upload:")
    if sent and not uploaded:
        nothing("No file was chosen.", next_step="Choose one or more files first.")
    elif sent:
        _ingest_uploaded([(file.name, file.getvalue()) for file in uploaded], workload.strip() or None)
    if report := st.session_state.get(REPORT):
        _result(report)


def _ingest_uploaded(uploaded: list[tuple[str, bytes]], workload: str | None) -> None:
    with tempfile.TemporaryDirectory(prefix="upload-") as folder:
        shown = {}
        for number, (name, content) in enumerate(uploaded):
            # A folder each: two uploads may bear the same name.
            path = Path(folder, str(number), Path(name).name or "unnamed")
            path.parent.mkdir()
            path.write_bytes(content)
            shown[str(path)] = path.name
        try:
            st.session_state[REPORT] = ingest(list(shown), store_url(), workload=workload, shown=shown)
        except FaultlensError as refusal:
            st.session_state[REPORT] = None
            unusable(str(refusal))
            return
    # The figures of this render are of the generation before.
    st.rerun()


def _result(report: IngestReport) -> None:
    total = report.totals
    with st.container(border=True):
        st.badge("Ingested", icon=":material/check:", color="green")
        st.text(
            f"{counted(total.runs, 'run')}: {total.stored:,} of {counted(total.records, 'record')} stored, "
            f"{counted(total.duplicates, 'duplicate')}, {total.rejected:,} rejected, {total.skipped:,} skipped "
            f"in {report.seconds:.1f} s."
        )
        table(
            report.files,
            {
                "Status": lambda f: f"{STATUS_GLYPHS.get(f.status, '?')} {f.status}",
                "File": lambda f: Path(f.path).name,
                "Format": lambda f: f.format,
                "Runs": lambda f: f.counts.runs,
                "Records": lambda f: f.counts.records,
                "Stored": lambda f: f.counts.stored,
                "Duplicates": lambda f: f.counts.duplicates,
                "Rejected": lambda f: f.counts.rejected,
                "Skipped": lambda f: f.counts.skipped,
                "Reason": lambda f: f.reason,
            },
            alt="Result of the upload, by file",
            optional=("Reason",),
        )


def _files() -> None:
    heading("Files", "Every record is accounted for: records = stored + duplicates + rejected + skipped.")
    search = st.text_input(
        "Search files", key="file_search", type="search", bind="query-params", placeholder="Path, format, status"
    )
    found = in_pages("files_page", files, _file_list, noun=("file", "files"), search=search or None)
    if found.first is None:
        nothing("No file to show." if not search else "No file matches the search.")
    else:
        why(found, counted(found.first.matching, "file"))


def _file_list(found: Answer[FileRow]) -> None:
    table(
        found.rows,
        {
            "Status": lambda r: f"{STATUS_GLYPHS.get(r.status, '?')} {r.status}",
            "File": lambda r: PurePath(r.path).name,
            "Format": lambda r: r.format,
            "Records": lambda r: r.records,
            "Stored": lambda r: r.stored,
            "Duplicates": lambda r: r.duplicates,
            "Rejected": lambda r: r.rejected,
            "Skipped": lambda r: r.skipped,
            "Accounted": lambda r: "✓ all" if r.accounted else "✕ no",
            "Ingested": lambda r: r.ingested_at,
            "Companion of": lambda r: r.companion_of and PurePath(r.companion_of).name,
            "Reason": lambda r: r.reason,
            "Folder": lambda r: str(PurePath(r.path).parent),
        },
        alt="Files that were ingested, with what became of their records",
        config={
            "File": st.column_config.TextColumn(width=210),
            "Ingested": st.column_config.DatetimeColumn("Ingested (UTC)", format="YYYY-MM-DD HH:mm:ss", timezone="UTC"),
        },
        optional=("Companion of", "Reason"),
    )


def _quarantine() -> None:
    heading("Quarantine", "Refused records, where each stands and why. Choose a row to see its raw text.")
    reasons = ask(rejection_reasons)
    if not reasons.rows:
        nothing("No record was refused.")
        return
    known = [row.reason for row in reasons]
    options = options_with_asked("reason", known)
    reason = st.selectbox(
        "Reason", options, index=None, placeholder="All", key="reason", bind="query-params", width=320
    )
    found = in_pages(
        "refused_page", rejections, _refused_list, noun=("refused record", "refused records"), reason=reason
    )
    if found.first is None:
        not_in_this_store("No record was refused for this reason", said(reason))
    else:
        why(found, counted(found.first.matching, "refused record"))


def _refused_list(found: Answer[RejectionRow]) -> None:
    chosen = table(
        found.rows,
        {
            "File": lambda r: r.path,
            "Line": lambda r: r.line,
            "Offset": lambda r: r.offset_bytes,
            "Reason": lambda r: r.reason,
            "Message": lambda r: r.message,
            "Part": lambda r: r.part,
        },
        alt="Refused records with file, line, offset and reason",
        config={
            "Offset": st.column_config.NumberColumn("Offset (bytes)"),
            "Message": st.column_config.TextColumn(width="large"),
        },
        key=f"quarantine_table_{found.parameters['offset']}",
        on_select="rerun",
        selection_mode="single-row",
    )
    rows = chosen.selection.rows
    _raw(found.rows[rows[0] if rows and rows[0] < len(found) else 0])


def _raw(row: RejectionRow) -> None:
    with st.container(border=True):
        st.caption("Raw text of the chosen record, cut at 2,000 characters, secrets masked")
        st.text(f"{said(row.path)}, line {said(row.line)}: {said(row.message)}")
        st.code(row.raw or "not recorded", language=None, wrap_lines=True)


def _skipped() -> None:
    heading(
        "Skipped",
        "Left out on purpose: templates, quotations, an incomplete last line that is read when the file has grown.",
    )
    found = in_pages("skipped_page", skipped, _skipped_list, noun=("file and reason", "files and reasons"))
    if found.first is None:
        nothing("No record was skipped.")
    else:
        records = counted(sum(row.records for row in found), "skipped record")
        why(found, f"{records} of the files shown")


def _skipped_list(found: Answer[SkippedRow]) -> None:
    table(
        found.rows,
        {"File": lambda r: r.path, "Reason": lambda r: r.reason, "Records": lambda r: r.records},
        alt="Skipped records by file and reason",
        config={"File": st.column_config.TextColumn(width="large")},
        shown_rows=8,
    )


if __name__ == "__main__":
    render()
