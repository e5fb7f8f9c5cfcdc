"""How long the Context Diff takes over a million context items: `python -m tests.bench.context_items [items]`.

Prints the derivation at load and every query of the page, each asked five times; nothing here fails a build.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from ingest.derive import steps
from ingest.store import Lease, memory_connection, open_store, publication
from queries.catalogue import named
from tests.bench.measure import clocked

ITEMS_A_STEP = 22  # 3 required, 8 retrieved, 5 eligible, 2 composed, 2 consumed, 2 current
STEPS_A_RUN = 10
REQUIRED = json.dumps([[f"workload-{n}", "*", f"doc-{n}"] for n in range(3)])


def write(path: Path, items: int) -> float:
    """A store with so many context items; the seconds that deriving them took."""
    runs = items // ITEMS_A_STEP // STEPS_A_RUN
    with memory_connection() as con, publication(path, con) as draft:
        con.execute(f"USE {draft.alias}")
        con.execute(_RUNS, {"runs": runs})
        con.execute(_SPANS, {"runs": runs, "steps": STEPS_A_RUN})
        con.execute(_SETS)
        con.execute(_ITEMS)
        con.execute("CREATE TEMP TABLE context_carried (run_id VARCHAR, step_id VARCHAR, to_step_id VARCHAR)")
        took = clocked(lambda: dict(steps.steps())["50_context_lost.sql"](con)).clock_s
        con.execute("USE memory")
    return took


_RUNS = """
    INSERT INTO runs (run_id, source, native_id, workload, name, status, started_at, clock)
    SELECT 'faultlens:r' || n, 'faultlens', 'r' || n, 'workload-' || n % 12, 'run ' || n, 'failed',
           TIMESTAMPTZ '2026-11-01 00:00:00+00' + to_minutes(n), 'wall'
    FROM range($runs) AS numbers (n)
"""
_SPANS = """
    INSERT INTO spans (run_id, span_id, seq, agent, kind)
    SELECT 'faultlens:r' || n, 's' || k, k, ['Scout', 'Builder', 'Radar', 'Sherpa'][k % 4 + 1], 'step'
    FROM range($runs) AS numbers (n), range($steps) AS places (k)
"""
_SETS = """
    INSERT INTO context_sets (run_id, event_id, step_id, set_name, recorded, seq, basis)
    SELECT run_id, run_id || span_id || set_name, span_id, set_name, true, seq, 'recorded'
    FROM spans, (SELECT unnest(['required', 'retrieved', 'eligible', 'composed', 'consumed', 'current']) AS set_name)
    -- Some steps of some workloads do not say what they needed.
    WHERE set_name <> 'required' OR hash(run_id) % 3 > 0
"""
_ITEMS = """
    INSERT INTO context_items (run_id, event_id, step_id, set_name, item_id, revision)
    SELECT run_id, event_id, step_id, set_name, 'doc-' || (hash(run_id, step_id) + k * k) % 900,
           CAST(hash(k) % 3 AS VARCHAR)
    FROM context_sets,
         range(CASE set_name WHEN 'required' THEN 3 WHEN 'retrieved' THEN 8 WHEN 'eligible' THEN 5 ELSE 2 END) AS n (k)
"""


def asked(lease: Lease) -> dict[str, Callable[[], object]]:
    """The queries of the page: over all runs, with and without declared items, then for one run."""
    of_page: dict[str, dict[str, object]] = {
        "context_stage_shares": {},
        "context_lost_items": {"limit": 50},
        "context_stage": {"limit": 200, "located": True},
        "context_classes": {},
    }
    of_run = ("context_stage", "context_diff", "context_step_sets", "context_journey", "context_classes")
    return {
        **{name: _question(lease, name, **given, required=REQUIRED) for name, given in of_page.items()},
        **{
            f"{name} (none declared)": _question(lease, name, **given, required="[]") for name, given in of_page.items()
        },
        **{f"{name} of a run": _question(lease, name, run="faultlens:r77", required=REQUIRED) for name in of_run},
    }


def _question(lease: Lease, name: str, **given: object) -> Callable[[], object]:
    return lambda: named(name).function(lease, **given)


def main(items: int) -> None:
    """The table is printed."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "bench.duckdb"
        derived = write(path, items)
        with open_store(path).lease() as lease:
            counts = lease.rows(
                "SELECT (SELECT count(*) FROM context_items) AS items, (SELECT count(*) FROM context_lost) AS lost,"
                " (SELECT count(*) FROM context_steps) AS steps"
            )[0]
            shown = ", ".join(f"{number:,} {what}" for what, number in counts.items())
            print(f"{shown}; derived in {derived:.1f} s")
            print(f"{'':<44} {'wall':>8} {'cpu':>8}   ms, medians of five; cpu is what a busy machine does not change")
            for name, ask in asked(lease).items():
                wall, cpu = _milliseconds(ask)
                print(f"{name:<44} {wall:8.0f} {cpu:8.0f}")


def _milliseconds(ask: Callable[[], object]) -> tuple[float, float]:
    found = [clocked(ask) for _ in range(5)]
    return 1000 * median(one.clock_s for one in found), 1000 * median(one.cpu_s for one in found)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
