"""The native format read set by set: most lines never become a Python object.

A window is split by kind of record; every kind has its statements. A line that is left by its own is irregular.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from ingest.adapters import faultlens
from ingest.bulk import attributes, content, native_contexts, native_recoveries, places
from ingest.bulk.format import IRREGULAR, LINES, UNITS_A_LINE, BulkFile, BulkFormat, Staged
from ingest.bulk.native_columns import kinds
from ingest.bulk.native_kinds import OF_KIND, Kind
from ingest.bulk.native_looks import Look
from ingest.bulk.native_rows import Rows, event_id
from ingest.native import DIAGNOSIS_BESIDE
from ingest.records import Diagnosis, Run

# What DuckDB reads and Python does not (a comma too many), or reads otherwise (a NUL).
_NOT_STRICT = r"regexp_matches(text, ',\s*[}\]]') OR contains(text, '\u0000')"
_KIND = f"CASE WHEN {_NOT_STRICT} THEN NULL ELSE TRY(json_extract_string(text, '$.record')) END"
# So many lines are worth a second look before they are left to the record path.
WORTH_LEARNING = 100
_LOOKS = 3


class NativeReader:
    """Reads the windows of one file."""

    def __init__(self, file: BulkFile) -> None:
        self._con = file.con
        self._file = file
        self._rows = Rows(file)
        self._looks = {name: Look(kind) for name, kind in kinds().items()}

    def stage(self, lines: pa.Table) -> Staged:
        """The regular lines of the window are staged, kind by kind."""
        kind_of = self._con.sql(f"SELECT {_KIND} AS kind FROM {LINES}").to_arrow_table().column("kind").combine_chunks()
        among = self._units(lines)
        left, tables, units = [], [], 0
        for name in pc.unique(kind_of).to_pylist():
            of_kind = lines.filter(pc.equal(kind_of, name)) if name else lines.filter(pc.is_null(kind_of))
            if name not in self._looks:
                left.append(of_kind.append_column("reason", pa.repeat("kind", of_kind.num_rows)))
                continue
            irregular = self._stage(self._looks[name], of_kind, among)
            units += of_kind.num_rows - irregular.num_rows
            left.append(irregular)
            tables.append(self._looks[name].kind.model.TABLE)
        return Staged(
            units,
            runs=self._run_ids(tables, among),
            described=self._run_ids([table for table in tables if table == Run.TABLE], among),
            irregular=pa.concat_tables(table.cast(IRREGULAR) for table in left),
        )

    def _stage(self, look: Look, lines: pa.Table, among: str) -> pa.Table:
        """The regular lines of a kind are staged; the others, with the reason."""
        self._con.register(OF_KIND, lines)
        if not look.kind.shapes:
            look.learn(self._con)
        for _ in range(_LOOKS):
            if _STAGED.get(look.kind.name, _simple)(self._rows, self._con, look.kind, among) == lines.num_rows:
                return IRREGULAR.empty_table()
            lines = self._con.sql(
                f"SELECT * FROM {OF_KIND} WHERE line NOT IN (SELECT line FROM {look.kind.model.TABLE} WHERE {among})"
            ).to_arrow_table()
            self._con.register(OF_KIND, lines)
            if lines.num_rows < WORTH_LEARNING or not look.learn(self._con):
                break
        reasons = f"SELECT line, offset_bytes, text, {look.kind.reason()} AS reason FROM ({look.kind.read()})"
        return self._con.sql(reasons).to_arrow_table()

    def _units(self, lines: pa.Table) -> str:
        """SQL: a row came with this window."""
        low, high = (str(value) for value in pc.min_max(lines.column("line")).as_py().values())
        return f"unit BETWEEN {self._file.unit(low)} AND {self._file.unit(high, str(UNITS_A_LINE - 1))}"

    def _run_ids(self, tables: Sequence[str], among: str) -> list[str]:
        parts = " UNION ".join(f"SELECT run_id FROM {table} WHERE {among}" for table in tables)
        return [str(run_id) for (run_id,) in self._rows.run(parts)] if parts else []


def _simple(rows: Rows, _con: duckdb.DuckDBPyConnection, kind: Kind, _among: str) -> int:
    return rows.record(kind, f"FROM ({kind.typed()}) WHERE regular")


def _errors(rows: Rows, con: duckdb.DuckDBPyConnection, kind: Kind, among: str) -> int:
    """The failures with their signatures, and the diagnoses that stand beside them."""
    places.normalise(con, f"SELECT json_extract_string(text, '$.location') AS location FROM {OF_KIND}")
    typed = f"SELECT *, {event_id(kind)} AS own_id FROM ({kind.typed()}) WHERE regular"
    signed = {"signature": "own_signature", "signature_partial": "own_partial"}
    staged = rows.record(kind, f"FROM ({places.signed(typed)})", event_id="own_id", **signed)
    if {"observed_at", "originated_at"} <= kind.columns.keys():
        _diagnoses(rows, kind, among)
    return staged


def _diagnoses(rows: Rows, kind: Kind, among: str) -> None:
    """From the failures that these lines just became: their own columns are staged, with their ids."""
    beside = {name: f'"{name}"' for name in DIAGNOSIS_BESIDE if name in kind.columns}
    fields = kind.identities() | {"basis": "'recorded'"}
    kept = {name: text for name, text in fields.items() if name in {"run_id", "basis", *beside}}
    rows.insert(
        Diagnosis.TABLE,
        {"run_id": "run_id", **beside, "basis": "'recorded'", "for_event": "event_id", "counted": "true",
         "diagnosis_id": content.digest(Diagnosis, kept)},
        f"FROM {kind.model.TABLE} WHERE {among} AND observed_at <> '' AND originated_at <> ''"
        f" AND line IN (SELECT line FROM {OF_KIND})", "1",
    )  # fmt: skip


def _recoveries(rows: Rows, _con: duckdb.DuckDBPyConnection, kind: Kind, _among: str) -> int:
    return native_recoveries.stage(rows, kind)


def _contexts(rows: Rows, _con: duckdb.DuckDBPyConnection, kind: Kind, _among: str) -> int:
    return native_contexts.stage(rows, kind)


_STAGED: dict[str, Callable[[Rows, duckdb.DuckDBPyConnection, Kind, str], int]] = {
    "error_event": _errors,
    "recovery_event": _recoveries,
    "context": _contexts,
}

BULK = BulkFormat(adapter="faultlens", begin=NativeReader, items=faultlens.items, prepare=attributes.register)
