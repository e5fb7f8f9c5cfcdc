"""A store of millions of spans in minutes: records drawn by SQL, derived and published by the code that ingest runs.

`python -m tests.bench.big_store PATH --spans 1000000` makes one. The same spans and seed give the same records.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import duckdb

from ingest import merge
from ingest.records import CATALOGUE
from ingest.staging import RECORD_TABLES, Staging
from ingest.store import Publication, open_store

LONG_RUN = "long-run"
LONG_RUN_SPANS = 10_000
# 20 to 200 spans a run, each number as likely as any other.
SPANS_A_RUN = 110
RUNS_AT_ONCE = 4_000
RUNS_A_FILE = 500
DAYS = 180
_SQL = Path(__file__).with_suffix(".sql")


def build(path: Path | str, *, spans: int = 1_000_000, seed: int = 11, runs_at_once: int = RUNS_AT_ONCE) -> Path:
    """The store has about so many spans, one run of 10,000 among them, and four more records to ten spans."""
    store = Path(path)
    store.unlink(missing_ok=True)
    runs = runs_of(spans)
    staging = Staging()
    try:
        with open_store(store) as opened, opened.publication(staging.con) as draft:
            for first in range(0, runs, runs_at_once):
                _load(staging, draft, first, min(first + runs_at_once, runs), runs=runs, seed=seed)
            _insert_files(staging.con, draft, files=-(-runs // RUNS_A_FILE), seed=seed)
    finally:
        staging.close()
    return store


def runs_of(spans: int) -> int:
    """How many runs a store of so many spans has."""
    return max(2, 1 + (spans - LONG_RUN_SPANS) // SPANS_A_RUN)


def _load(staging: Staging, draft: Publication, first: int, last: int, *, runs: int, seed: int) -> None:
    """One batch of runs as ingest would load it."""
    con = staging.con
    for table in (*RECORD_TABLES, *merge.derived_tables(con)):
        con.execute(f"DELETE FROM {table}").fetchall()
    given = {
        "seed": seed, "first_run": first, "last_run": last, "all_runs": runs, "long_run_spans": LONG_RUN_SPANS,
        "days": DAYS,
    }  # fmt: skip
    for name, value in given.items():
        con.execute(f"SET VARIABLE {name} = {value}").fetchall()
    con.execute(_SQL.read_text(encoding="utf-8")).fetchall()
    replaced = f"SELECT run_id FROM run_records UNION SELECT '{CATALOGUE}'"
    con.execute(f"CREATE OR REPLACE TEMP TABLE replaced AS {replaced}").fetchall()
    con.execute(
        "CREATE OR REPLACE TABLE file_paths AS SELECT DISTINCT file_id, file_id AS path FROM run_records"
    ).fetchall()
    merge.replace(staging, draft, is_known=False)


def _insert_files(con: duckdb.DuckDBPyConnection, draft: Publication, *, files: int, seed: int) -> None:
    """Every file that the runs came from is recorded, with what was refused of it and left out."""
    con.execute(_DRAWN.format(files=files, seed=seed)).fetchall()
    for table, rows in _OF_FILES.items():
        draft.bring(con, "drawn_rows", rows)
        draft.within(con).execute(f"INSERT INTO {draft.alias}.{table} BY NAME SELECT * FROM drawn_rows").fetchall()


_DRAWN = """
CREATE OR REPLACE TEMP TABLE drawn_files AS
SELECT n, left(sha256(concat('file', n, '/', {seed})), 64) AS file_id, {files} - n AS hours
FROM range({files}) AS files (n)
"""
# Of every file some lines were refused and some left out; the numbers are the same for each.
_OF_FILES = {
    "source_files": """
        SELECT file_id, 'traces/day-' || lpad(CAST(n AS VARCHAR), 5, '0') || '.jsonl' AS path, 'otlp_json' AS format,
               1 AS adapter_version, 4000000 AS bytes, 80000 AS records, 79970 AS stored, 5 AS duplicates,
               20 AS rejected, 5 AS skipped, 'loaded' AS status,
               TIMESTAMPTZ '2026-11-30 00:00:00Z' - to_hours(hours) AS ingested_at
        FROM drawn_files
    """,
    "rejections": """
        SELECT file_id, k * 37 AS line, k * 1800 AS offset_bytes,
               ['bad_json', 'bad_time', 'missing_field', 'too_deep'][1 + (n + k) % 4] AS reason, 'refused' AS message,
               'x' AS raw
        FROM drawn_files, range(20) AS lines (k)
    """,
    "skipped_records": "SELECT file_id, 1 AS line, 'template' AS reason, 5 AS records FROM drawn_files",
}


def describe(path: Path) -> str:
    """How many records of each kind it has, and how large it is."""
    with open_store(path) as store, store.lease() as lease:
        rows = {table: lease.rows(f"SELECT count(*) AS n FROM {table}")[0]["n"] for table in ("runs", *RECORD_TABLES)}
    return f"{path.stat().st_size / 1e6:,.0f} MB; " + ", ".join(f"{n:,} {table}" for table, n in rows.items() if n)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.big_store", description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--spans", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    began, worked = time.monotonic(), time.process_time()
    build(options.path, spans=options.spans, seed=options.seed)
    took, of_cpu = time.monotonic() - began, time.process_time() - worked
    print(f"{took:.0f} s, {of_cpu:.0f} processor s, DuckDB {duckdb.__version__}")
    print(describe(options.path))


if __name__ == "__main__":
    main()
