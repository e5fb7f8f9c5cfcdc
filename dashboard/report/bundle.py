"""Reports of many runs as a folder that opens from disk: an index and one page a run."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

from dashboard.report.document import Cell, Document, Link, Paragraph, Redaction, Section, Table, recorded, words
from dashboard.report.html import html
from dashboard.report.markdown import markdown
from dashboard.report.told import counted, moment
from queries.runs.runs import RunRow


def page_name(run_id: str, form: str) -> str:
    """The file of a run's report; the digest keeps apart what a file system would take for the same."""
    digest = hashlib.sha256(run_id.encode()).hexdigest()[:10]
    readable = re.sub(r"[^A-Za-z0-9.-]+", "-", run_id).strip("-.")[:80]
    return f"{readable or 'run'}-{digest}.{form}"


def index(rows: Sequence[RunRow], form: str) -> str:
    """The page that lists the reports."""
    header = ("Report", "Outcome", "Workload", "Started (UTC)", "Errors", "Recoveries", "Findings")
    said = Paragraph(words(f"{counted(len(rows), 'run')}, the newest first; runs without a clock last."))
    table = Table(header, tuple(tuple(_cells(row, form)) for row in rows))
    document = Redaction().document(Document("Postmortems", "faultlens", (Section("Runs", (said, table)),)))
    return html(document) if form == "html" else markdown(document)


def _cells(row: RunRow, form: str) -> Iterator[Cell]:
    yield (Link(row.name or row.native_id, page_name(row.run_id, form), is_recorded=True),)
    yield recorded(row.status)
    yield recorded(row.workload)
    yield words(moment(row.started_at) if row.clock == "wall" else "no clock")
    yield words(f"{row.errors:,}")
    yield words(f"{row.recoveries:,}")
    yield words("–" if row.findings is None else f"{row.findings:,}")
