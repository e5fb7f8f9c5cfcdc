"""`python -m tests.bench`: how fast ingest, publishing and every named query are on 100,000 events. Prints a table."""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb

from ingest.load import ingest
from ingest.registry import adapters
from ingest.store import memory_connection, open_store, publication
from queries.catalogue import queries
from tests.bench import data

ROOT = Path(__file__).parents[2]
TARGET_MS = 300
# The columns a reader would name to take the same file into one table; lists and unions stay JSON.
TYPED = (
    "record VARCHAR, run_id VARCHAR, seq BIGINT, workload VARCHAR, name VARCHAR, status VARCHAR,"
    " started_at TIMESTAMPTZ, ended_at TIMESTAMPTZ, occurred_at TIMESTAMPTZ, span_id VARCHAR, parent_span_id VARCHAR,"
    " kind VARCHAR, phase VARCHAR,"
    " agent VARCHAR, step_index BIGINT, model VARCHAR, input_tokens BIGINT, output_tokens BIGINT, cost_usd DOUBLE,"
    " level VARCHAR, type VARCHAR, error_code VARCHAR, tool_error_class VARCHAR, step VARCHAR, details VARCHAR,"
    " result VARCHAR, location VARCHAR, state_hash VARCHAR, chain VARCHAR, trigger VARCHAR, confidence DOUBLE,"
    " auto_executed BOOLEAN, outcome VARCHAR, steps JSON, action VARCHAR, step_id VARCHAR, required VARCHAR[],"
    " retrieved VARCHAR[], eligible VARCHAR[], composed VARCHAR[], consumed VARCHAR[], current VARCHAR[]"
)


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock and of the processor: on a busy machine only the second can be compared."""
    began = time.process_time()
    clock = seconds(work)
    return clock, time.process_time() - began


def plain_read(file: Path, folder: Path) -> None:
    """DuckDB reads the same file with explicit types into a table of a file."""
    columns = (
        "{" + ", ".join(f"{name}: '{kind}'" for name, kind in (each.split(" ", 1) for each in TYPED.split(", "))) + "}"
    )
    with duckdb.connect(str(folder / "plain.duckdb")) as con:
        con.execute(
            f"CREATE OR REPLACE TABLE lines AS SELECT * FROM read_json('{file}', columns = {columns}, format = 'nd')"
        )


def ingest_table(file: Path, folder: Path, events: int) -> Path:
    size = file.stat().st_size / 1e6
    store = folder / "bench.duckdb"
    adapters()
    found = {
        "faultlens ingest": measured(lambda: ingest([str(file)], store)),
        "the same file again": measured(lambda: ingest([str(file)], store)),
        "DuckDB, plain typed read": sorted(measured(lambda: plain_read(file, folder)) for _ in range(3))[1],
    }
    plain = found["DuckDB, plain typed read"][0]
    print(f"\n{'ingest':<34}{'seconds':>9}{'processor s':>13}{'records/s':>12}{'MB/s':>8}{'of plain read':>15}")
    for name, (clock, cpu) in found.items():
        print(f"{name:<34}{clock:>9.2f}{cpu:>13.2f}{events / clock:>12,.0f}{size / clock:>8.1f}{plain / clock:>14.0%}")
    print(f"store {store.stat().st_size / 1e6:.1f} MB from {size:.1f} MB of lines")
    return store


def publish_table(store: Path, folder: Path) -> None:
    copy = folder / "published.duckdb"
    shutil.copyfile(store, copy)

    def publish() -> None:
        with memory_connection() as con, publication(copy, con) as draft:
            con.execute(f"DELETE FROM {draft.alias}.rejections WHERE false").fetchall()

    small = folder / "small.jsonl"

    def one_more() -> None:
        small.write_text(f'{{"record": "run", "run_id": "{time.time_ns()}"}}\n')
        ingest([str(small)], copy)

    print(f"\n{'publish':<34}{'ms':>9}")
    for name, work in (("a change of the whole store", publish), ("ingest of one more record", one_more)):
        print(f"{name:<34}{1000 * statistics.median(seconds(work) for _ in range(5)):>9.0f}")


def query_table(store: Path) -> None:
    """Cold: a store opened anew, so that nothing of the generation is attached yet; the median of three."""
    found = {name: statistics.median(_cold(store, name) for _ in range(3)) for name in queries()}
    slowest = max(found, key=lambda name: found[name])
    print(f"\n{'query, cold':<34}{'ms':>9}   target {TARGET_MS} ms")
    for name, took in sorted(found.items(), key=lambda item: -item[1]):
        mark = "   OVER" if took * 1000 > TARGET_MS else "   slowest" if name == slowest else ""
        print(f"{name:<34}{took * 1000:>9.1f}{mark}")


def _cold(store: Path, name: str) -> float:
    query = queries()[name]
    needed = [key for key, value in query.parameters.items() if value.default is value.empty]
    values = {key: _value(key) for key in needed}
    with closing(open_store(store)) as opened:

        def ask() -> None:
            with opened.lease() as lease:
                query.ask(lease, values)

        return seconds(ask)


def _value(parameter: str) -> str:
    return {"run": "faultlens:bench-000007", "event": "s3", "step": "3"}.get(parameter, "x")


def help_line() -> None:
    def ask() -> None:
        subprocess.run(
            [sys.executable, "-m", "dashboard.cli", "--help"], cwd=ROOT, stdout=subprocess.DEVNULL, check=True
        )

    print(f"\n{'faultlens --help':<34}{1000 * min(seconds(ask) for _ in range(3)):>9.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=2_000)
    options = parser.parse_args()
    load = os.getloadavg()[0]
    print(
        f"{options.events:,} events over {options.runs:,} runs; "
        f"{os.cpu_count()} cores, load {load:.1f}, DuckDB {duckdb.__version__}"
    )
    with tempfile.TemporaryDirectory(prefix="faultlens-bench-") as name:
        folder = Path(name)
        file = folder / "bench.jsonl"
        data.write(file, events=options.events, runs=options.runs)
        store = ingest_table(file, folder, options.events)
        publish_table(store, folder)
        query_table(store)
    help_line()
    print(f"{'most memory held':<34}{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:>9.0f} MB")


if __name__ == "__main__":
    main()
