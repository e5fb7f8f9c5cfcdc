"""`python -m tests.soak.spark_parity STORE OUT`: every portable query on both engines, compared row by row.

Writes JSON: one entry a call with the query, its parameters, the rows and the first difference. Runs in the environment
that `test_spark.py` makes.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ingest.store import Lease, open_store
from queries.catalogue import queries
from queries.engines.session import session
from queries.engines.spark import spark_engine
from queries.reader import Answer, Engine, Query

TOLERANCE = 1e-12
WINDOW = {"since": datetime(2026, 11, 8, tzinfo=UTC), "until": datetime(2026, 11, 21, 12, 30, tzinfo=UTC)}
SETS: dict[str, dict[str, Any]] = {
    "none": {},
    "window": WINDOW,
    "until": {"until": WINDOW["until"]},
    "workload": {"workload": "payments"},
    "nobody": {"workload": "nobody's workload"},
    "source and window": {"source": "faultlens", **WINDOW},
    "derived": {"derived": True},
    "page": {"limit": 7, "offset": 3},
}
BANDS = {
    "default": {"window": "7d"},
    "payments": {"low": 0.1, "high": 0.2, "window": "50 attempts", "risk_bearing": True},
}
REQUIRED = [["payments", "*", "refund-policy"], ["payments", "3", "limits-2026"], ["default", "*", "doc-7"]]
OWN: dict[str, list[dict[str, Any]]] = {
    "runs": [{"sort": sort} for sort in ("oldest", "longest", "most_errors", "name")]
    + [{"search": "case"}, {"status": "failed"}],
    "signatures": [{"state": "ongoing"}, {"state": "resolved", "resolved_after_s": 86_400}],
    "escalation_band": [{"bands": json.dumps(BANDS)}, {"bands": json.dumps(BANDS), **WINDOW}],
    "context_stage": [{"stage": 3}, {"located": True}, {"required": json.dumps(REQUIRED)}],
    "context_stage_shares": [{"required": json.dumps(REQUIRED)}],
    "recovery_trend": [{"measure": "escalation"}, {"chain": "A"}],
    "recovery_calibration": [{"chain": "B"}],
    "findings": [{"severity": "critical"}],
    "rejections": [{"reason": "bad_json"}],
    "files": [{"search": "JSONL"}],
}


def parameter_sets(query: Query, names: list[str]) -> Iterator[dict[str, Any]]:
    """What of each set the query takes, each call once; its own ones where it is asked with every set."""
    seen: list[dict[str, Any]] = []
    chosen = [SETS[name] for name in names] + (OWN.get(query.name, []) if len(names) == len(SETS) else [])
    for values in chosen:
        taken = {name: value for name, value in values.items() if name in query.parameters}
        if taken not in seen:
            seen.append(taken)
            yield taken


def difference(one: Answer[Any], other: Answer[Any]) -> str | None:
    """The first thing in which two answers differ."""
    if len(one.rows) != len(other.rows):
        return f"{len(one.rows)} rows and {len(other.rows)}"
    if dict(one.left_out) != dict(other.left_out):
        return f"left out: {one.left_out} and {other.left_out}"
    for number, (row, twin) in enumerate(zip(one.rows, other.rows, strict=True)):
        for field in dataclasses.fields(row):
            mine, theirs = getattr(row, field.name), getattr(twin, field.name)
            if not same(mine, theirs):
                return f"row {number}, {field.name}: {mine!r} and {theirs!r}"
    return None


def same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def compared(query: Query, lease: Lease, engine: Engine, values: dict[str, Any]) -> dict[str, Any]:
    """One call on both engines."""
    entry = {"query": query.name, "parameters": {name: str(value) for name, value in values.items()}}
    wanted = query.function(lease, **values)
    began = time.monotonic()
    try:
        found = difference(wanted, query.function(engine, **values))
    except Exception as error:  # noqa: BLE001 - one query that fails must not hide the others
        found = f"{type(error).__name__}: {str(error)[:500]}"
    return {**entry, "rows": len(wanted), "seconds": round(time.monotonic() - began, 2), "difference": found}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.soak.spark_parity", description=__doc__)
    parser.add_argument("store")
    parser.add_argument("out", type=Path)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--only", nargs="+", help="These queries alone.")
    parser.add_argument("--interpret", action="store_true", help="Spark compiles nothing: quicker on few rows.")
    options = parser.parse_args()
    if options.interpret:
        session().conf.set("spark.sql.codegen.wholeStage", "false")
        session().conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    portable = [
        query for query in queries().values() if query.is_portable and query.name in (options.only or queries())
    ]
    with open_store(options.store).lease() as lease, spark_engine(lease) as engine:
        found = [
            compared(query, lease, engine, values)
            for query in portable
            for values in parameter_sets(query, options.sets)
        ]
    options.out.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
