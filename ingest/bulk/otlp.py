"""OTLP JSON lines set by set: SQL takes the spans apart, and what few distinct things mean is read once a window.

A span of which SQL cannot be certain (an odd value, a link, a declared fact) goes to the records alone, with its
resource and scope; a line of another form goes there as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from ingest.adapters import otlp_json
from ingest.bulk import otlp_meanings as meanings
from ingest.bulk import places
from ingest.bulk.format import BulkFile, BulkFormat, Staged
from ingest.bulk.json_columns import literal
from ingest.json_text import Decoded, decode
from ingest.otel.decisions import HANDOFF_EVENTS
from ingest.otel.errors import EXCEPTION_EVENTS
from ingest.otel.meaning import NAMED_KINDS, OPERATIONS
from ingest.otel.messages import MESSAGE_EVENTS
from ingest.otel.span import KINDS, STATUSES
from ingest.source_stage import POSITIONS_A_LINE, POSITIONS_A_UNIT


@cache
def _statement(name: str) -> str:
    return (files("ingest.bulk") / "otlp_sql" / f"{name}.sql").read_text(encoding="utf-8")


_SHARES = 32
# Lines without a request of spans that may be spans.
_HAS_OTHERS = """
    SELECT 1 FROM otlp_lines WHERE line NOT IN (SELECT line FROM otlp_spans) AND contains(text, '"traceId"') LIMIT 1
"""


class OtlpReader:
    """Reads the windows of one file."""

    def __init__(self, file: BulkFile) -> None:
        self._con = file.con
        self._run("0_words")
        for name, words in _WORDS.items():
            self._keep(name, pa.table({"text": list(words), "word": pa.array(list(words.values()), pa.string())}))
        position = f"line * {POSITIONS_A_LINE} + ordinal * {POSITIONS_A_UNIT}"
        self._con.execute(f"CREATE OR REPLACE TEMP MACRO otlp_unit(line, ordinal) AS {file.unit('line', 'ordinal')}")
        self._con.execute(f"CREATE OR REPLACE TEMP MACRO otlp_position(line, ordinal) AS {position}")
        workload = "NULL" if file.workload is None else literal(file.workload)
        handoffs = "|".join(sorted(HANDOFF_EVENTS))
        self._con.execute(f"SET VARIABLE otlp_handoffs = '(?i){handoffs}'")
        self._con.execute(f"SET VARIABLE otlp_file = {literal(file.file_id)}")
        self._con.execute(f"SET VARIABLE otlp_workload = {workload}")

    def stage(self, lines: pa.Table) -> Staged:
        """The spans that are certain are staged; the others, and lines of another form, are left."""
        self._con.register("otlp_lines", _in_shares(lines))
        try:
            return self._staged()
        finally:
            self._con.unregister("otlp_lines")

    def _staged(self) -> Staged:
        self._take_apart()
        self._learn()
        self._run("2_read")
        left = self._left()
        self._keep("digests", meanings.digests(self._con.execute(_INPUTS).fetchall()))
        self._stage_failures()
        self._run("3_rows")
        self._run("4_runs")
        runs = self._column("SELECT DISTINCT otlp_run(trace_id) FROM otlp_read WHERE reason IS NULL")
        units = self._con.execute("SELECT count(*) FROM otlp_read WHERE reason IS NULL").fetchall()[0][0]
        return Staged(units, runs, runs, irregular=left)

    def _take_apart(self) -> None:
        """Every span and every event of a span is a row."""
        self._run("1_requests", "1_fields")
        if self._con.execute(_HAS_OTHERS).fetchall():
            self._run("1_bare_spans", "1_fields")
        self._run("1_ordinals")
        self._run("1_events")

    def _learn(self) -> None:
        """What the distinct things of the window mean is in tables beside the spans."""
        for name, source, column, read in _DISTINCT:
            self._keep(name, read(self._column(f"SELECT DISTINCT {column} FROM {source}")))
        self._run("2_events")
        documents = meanings.Documents()
        for row, attributes in self._con.execute(_statement("2_documents")).fetchall():
            documents.add(row, attributes)
        for name, table in documents.tables().items():
            self._keep(name, table)

    def _stage_failures(self) -> None:
        self._run("3_failures")
        said = self._con.execute("SELECT span_row, kind, http, error_code, details FROM otlp_failures").fetchall()
        self._keep("classes", meanings.classes(said))
        places.normalise(self._con, "SELECT location FROM otlp_failures")
        self._con.execute(
            f"{_statement('3_errors')} FROM ({places.signed('SELECT * FROM otlp_failures')})"
            " JOIN otlp_classes USING (span_row)"
        ).fetchall()

    def _left(self) -> pa.Table:
        """The spans that are left, each alone; whole lines where something has to be said about all spans of theirs."""
        spans = self._table(_statement("5_left"))
        texts = zip(spans["line"].to_pylist(), spans["text"].to_pylist(), strict=True)
        flagged = sorted({line for line, text in texts if not _is_plain(text)})
        self._con.execute("SET VARIABLE otlp_flagged = ?", [flagged])
        self._run("6_whole_lines")
        lines = self._table("SELECT * FROM otlp_whole_lines")
        if lines.num_rows:
            spans = spans.filter(pc.invert(pc.is_in(spans["line"], lines["line"].combine_chunks())))
        return pa.concat_tables([lines, spans], promote_options="default")

    def _table(self, query: str) -> pa.Table:
        return self._con.sql(query).to_arrow_table()

    def _run(self, *parts: str) -> None:
        for statement in duckdb.extract_statements("".join(_statement(part) for part in parts)):
            self._con.execute(statement).fetchall()

    def _keep(self, name: str, table: pa.Table) -> None:
        self._con.register("otlp_batch", table)
        self._con.execute(f"CREATE OR REPLACE TEMP TABLE otlp_{name} AS SELECT * FROM otlp_batch").fetchall()
        self._con.unregister("otlp_batch")

    def _column(self, query: str) -> list[str]:
        return [row[0] for row in self._con.execute(query).fetchall()]


def _in_shares(lines: pa.Table) -> pa.Table:
    """The lines in batches of equal size: a line may hold many spans, and a thread takes a batch at a time."""
    share = -(-lines.num_rows // _SHARES)
    return pa.Table.from_batches(lines.to_batches(max_chunksize=max(share, 1)), lines.schema)


def _is_plain(text: str) -> bool:
    """There is nothing to be said about the JSON, such as a key that stands twice."""
    decoded = decode(text)
    return isinstance(decoded, Decoded) and not decoded.flags


# What has to be known of a window before its spans can be read: the table, the distinct column, and who reads it.
_DISTINCT = (
    ("resources", "otlp_spans", "resource", meanings.resources),
    ("scopes", "otlp_spans", "scope", meanings.scopes),
    ("shapes", "otlp_spans", "keys", meanings.shapes),
    ("event_shapes", "otlp_events", "keys", meanings.event_shapes),
)
_INPUTS = "SELECT DISTINCT input, input_is FROM otlp_read WHERE reason IS NULL AND input_is IN ('json', 'span')"


def _numbered(words: Sequence[str], prefix: str) -> dict[str, str]:
    """JSON for each word of an enumeration: its number, or its name."""
    by_number = {str(number): word for number, word in enumerate(words)}
    return by_number | {f'"{prefix}{word.upper()}"': word for word in words}


_WORDS: dict[str, Mapping[str, str | None]] = {
    "kinds": {"": None, **_numbered(KINDS, "SPAN_KIND_")},
    "statuses": {"": "unset", **_numbered(STATUSES, "STATUS_CODE_")},
    "operations": OPERATIONS,
    "named_kinds": NAMED_KINDS,
    "event_kinds": dict.fromkeys(MESSAGE_EVENTS, "message") | dict.fromkeys(EXCEPTION_EVENTS, "exception"),
}
BULK = BulkFormat(adapter=otlp_json.ADAPTER.name, begin=OtlpReader, items=otlp_json.items)
