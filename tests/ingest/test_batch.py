"""Rows in memory become columns of Arrow with the types of the staging tables."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, time, timedelta, timezone
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest import batch
from ingest.batch import Batch
from ingest.records import ContextItem, ContextSet, Record, RecoveryEvent, RecoveryStep, Span
from ingest.rows import Where, rows_of
from ingest.staging import Staging

WHERE: Where = ("f", None, 7, 1, 3, None)


def taken(*records: Record) -> dict[str, pa.Table]:
    staging = Staging()
    one = Batch(staging.schemas)
    staging.close()
    for record in records:
        for row in rows_of(record, "e"):
            one.add(row, WHERE)
    return one.taken()


def test_a_time_keeps_its_microseconds_and_its_zone_becomes_utc() -> None:
    times = (
        datetime(2026, 11, 1, 9, 0, 0, 123_456, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(9999, 12, 31, tzinfo=timezone(timedelta(hours=2))),
    )
    spans = [Span(run_id="r", span_id=str(number), started_at=time) for number, time in enumerate(times)]
    found = taken(*spans, Span(run_id="r", span_id="none"))["spans"]
    assert found.column("started_at").to_pylist() == [*times, None]
    assert "ended_at" not in found.column_names


def test_a_record_without_flags_or_attributes_has_none() -> None:
    spans = [Span(run_id="r", span_id="a"), Span(run_id="r", span_id="b", flags=("nan",), attributes={"x": [1, "é"]})]
    found = taken(*spans)["spans"]
    assert found.column("flags").to_pylist() == [None, ["nan"]]
    assert found.column("attributes").to_pylist() == [None, '{"x":[1,"é"]}']
    assert (found.column("file_id").to_pylist(), found.column("line").to_pylist()) == (["f", "f"], [7, 7])


def test_parts_stand_before_their_record_and_an_empty_list_is_one() -> None:
    context = ContextSet(run_id="r", step_id="1", set_name="required", members=(ContextItem(item_id="a"),))
    recovery = RecoveryEvent(run_id="r", artifacts=(), steps=(RecoveryStep(step=1, action="fix"),))
    found = taken(context, recovery)
    assert found["context_items"].to_pylist()[0]["item_id"] == "a"
    assert found["context_sets"].to_pylist()[0]["items"] == 1
    assert found["recovery_steps"].to_pylist()[0]["action"] == "fix"
    assert found["recovery_events"].column("artifacts").to_pylist() == [[]]


def test_long_texts_fill_it_before_many_rows_do() -> None:
    staging = Staging()
    one = Batch(staging.schemas)
    staging.close()
    (row,) = rows_of(Span(run_id="r", span_id="a", attributes={"x": "y" * batch.TEXT}), "a")
    states = [one.is_full]
    one.add(row, WHERE)
    states.append(one.is_full)
    one.taken()
    assert [*states, one.is_full] == [False, True, False]


MAKES_ARRAYS = """
import json, sys
from ingest.batch import leave_pandas_out
if {leaves_out}:
    leave_pandas_out()
import pyarrow as pa
table = pa.table({{"a": ["x", None], "b": [[1], None]}})
has_pandas = "pandas" in sys.modules
import pandas
print(json.dumps([has_pandas, table.to_pylist(), len(table.to_pandas())]))
"""


@pytest.mark.parametrize("leaves_out", [False, True])
def test_arrays_are_made_without_pandas_where_it_is_left_out_and_it_can_still_be_imported(*, leaves_out: bool) -> None:
    code = MAKES_ARRAYS.format(leaves_out=leaves_out)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rows = [{"a": "x", "b": [1]}, {"a": None, "b": None}]
    assert json.loads(done.stdout) == [not leaves_out, rows, 2]


READS_A_TABLE = """
import sys
from pathlib import Path
from ingest.batch import leave_pandas_out
from ingest.otel.span_table import rows
from ingest.source import Source
if {leaves_out}:
    leave_pandas_out()
print(list(rows(Source(Path({path!r}), "t", "t"))))
"""


@pytest.mark.parametrize("leaves_out", [False, True])
def test_a_table_of_times_reads_the_same_where_pandas_is_left_out(tmp_path: Path, *, leaves_out: bool) -> None:
    # 2023-11-14 22:13:20 and a little, as a table has it at the top and inside a list of objects.
    at, path = 1_700_000_000_000_000_123, tmp_path / "t.parquet"
    moment = pa.struct([("timestamp", pa.timestamp("ns"))])
    columns = {
        "took": pa.array([1_000_000_123], pa.duration("ns")), "clock": pa.array([1_000_000_123], pa.time64("ns")),
        "events": pa.array([[{"timestamp": at}]], pa.list_(moment)), "event": pa.array([{"timestamp": at}], moment),
    }  # fmt: skip
    pq.write_table(pa.table(columns), path)
    code = READS_A_TABLE.format(leaves_out=leaves_out, path=str(path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    when = {"timestamp": datetime(2023, 11, 14, 22, 13, 20)}  # noqa: DTZ001 - the table names no zone
    row = {"took": timedelta(seconds=1), "clock": time(0, 0, 1), "events": [when], "event": when}
    assert done.stdout == f"{[(1, row)]}\n"
