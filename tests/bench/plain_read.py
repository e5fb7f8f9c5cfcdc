"""What ingest is compared with: DuckDB reads the same file, with explicit types, into a table of a new file.

One table, one row a line, nothing checked, nothing derived, and one bad line would end it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb

# The columns a reader would name to take native lines into one table; lists and unions stay JSON.
NATIVE = {
    "record": "VARCHAR", "run_id": "VARCHAR", "seq": "BIGINT", "workload": "VARCHAR", "name": "VARCHAR",
    "status": "VARCHAR", "started_at": "TIMESTAMPTZ", "ended_at": "TIMESTAMPTZ", "occurred_at": "TIMESTAMPTZ",
    "span_id": "VARCHAR", "parent_span_id": "VARCHAR", "kind": "VARCHAR", "phase": "VARCHAR", "agent": "VARCHAR",
    "step_index": "BIGINT", "model": "VARCHAR", "input_tokens": "BIGINT", "output_tokens": "BIGINT",
    "cost_usd": "DOUBLE", "level": "VARCHAR", "type": "VARCHAR", "error_code": "VARCHAR", "tool_error_class": "VARCHAR",
    "step": "VARCHAR", "details": "VARCHAR", "result": "VARCHAR", "location": "VARCHAR", "state_hash": "VARCHAR",
    "chain": "VARCHAR", "trigger": "VARCHAR", "confidence": "DOUBLE", "auto_executed": "BOOLEAN", "outcome": "VARCHAR",
    "steps": "JSON", "action": "VARCHAR", "step_id": "VARCHAR", "required": "VARCHAR[]", "retrieved": "VARCHAR[]",
    "eligible": "VARCHAR[]", "composed": "VARCHAR[]", "consumed": "VARCHAR[]", "current": "VARCHAR[]",
}  # fmt: skip

_VALUE = (
    "STRUCT(stringValue VARCHAR, intValue VARCHAR, doubleValue DOUBLE, boolValue BOOLEAN,"
    " arrayValue STRUCT(values STRUCT(stringValue VARCHAR)[]))"
)
_ATTRIBUTES = f"STRUCT(key VARCHAR, value {_VALUE})[]"
_EVENTS = f"STRUCT(timeUnixNano VARCHAR, name VARCHAR, attributes {_ATTRIBUTES})[]"
_SPANS = (
    "STRUCT(traceId VARCHAR, spanId VARCHAR, parentSpanId VARCHAR, name VARCHAR, kind BIGINT,"
    f" startTimeUnixNano VARCHAR, endTimeUnixNano VARCHAR, attributes {_ATTRIBUTES}, events {_EVENTS},"
    " status STRUCT(code BIGINT, message VARCHAR), flags BIGINT)[]"
)
_SCOPES = f"STRUCT(scope STRUCT(name VARCHAR, version VARCHAR), spans {_SPANS})[]"
OTLP = {"resourceSpans": f"STRUCT(resource STRUCT(attributes {_ATTRIBUTES}), scopeSpans {_SCOPES})[]"}


def native(file: str, folder: str) -> None:
    """Native lines."""
    _read(file, folder, NATIVE)


def otlp(file: str, folder: str) -> None:
    """OTLP lines, a request with all its spans in one nested column."""
    _read(file, folder, OTLP)


def objects(file: str, folder: str) -> None:
    """Lines of any kind, each a JSON value that nobody looked into: what transcripts allow."""
    with _database(folder) as con:
        con.execute(
            f"CREATE TABLE lines AS SELECT * FROM read_json_objects('{file}', format = 'nd',"
            " ignore_errors = true, maximum_object_size = 67108864)"
        ).fetchall()


def _read(file: str, folder: str, columns: dict[str, str]) -> None:
    named = ", ".join(f"{name}: '{kind}'" for name, kind in columns.items())
    with _database(folder) as con:
        con.execute(
            f"CREATE TABLE lines AS SELECT * FROM read_json('{file}', columns = {{{named}}}, format = 'nd')"
        ).fetchall()


def _database(folder: str) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(str(Path(tempfile.mkdtemp(prefix="plain-", dir=folder)) / "plain.duckdb"))
