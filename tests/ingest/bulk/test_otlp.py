"""OTLP lines read set by set are the rows that the record path makes of them, whatever their spans are like."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ingest.bulk import reading
from ingest.bulk.reading import in_bulk
from ingest.bulk.stage import BulkStage
from ingest.bulk.windows import windows
from ingest.discover import Found
from ingest.reading import examined, parse
from ingest.registry import named
from ingest.source import Source
from ingest.source_stage import SourceStage
from ingest.staging import RECORD_TABLES, staged_in
from tests.bench.otlp_data import write
from tests.ingest.bulk import otlp_lines
from tests.ingest.bulk.both import Ways, bulk_from, same_stores, ways
from tests.ingest.otel.otlp import request, span

SAMPLES = Path("sample_traces/otlp_json")
# Of each sample, how many of its spans are read set by set.
SHARES = {
    "declared_facts.jsonl": (2, 5),
    "mcp_server_chain_trace.json": (3, 3),
    "mixed_signals.jsonl": (2, 2),
    "older_names.json": (0, 2),
    "otel_circular_delegation.json": (3, 3),
    "otel_multi_agent_trace.json": (4, 4),
    "otlp2jaeger-in.json": (2, 2),
    "otlp2jaeger-multi-in-combined.json": (4, 4),
    "otlp_file_exporter.jsonl": (5, 6),
    "otlp_protobuf_json_BASE64_ids.json": (0, 6),
}
GOOD = span(1, attributes={"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 5})


def staged(path: Path, workload: str | None, *, in_sets: bool) -> dict[str, list[str]]:
    """Every row that is staged, without the numbers of the staging; what is said of a run counts where it is first."""
    with staged_in(None) as staging:
        file = examined(Found(Source(path, path.name, path.name), named=True), named("otlp_json"))
        assert file.adapter is not None
        if in_sets:
            stage: SourceStage = BulkStage(staging, file.file_ids, workload)
            assert isinstance(stage, BulkStage)
            parse(file, in_bulk(file.adapter, reading.formats()["otlp_json"], stage), stage)
        else:
            stage = SourceStage(staging, file.file_ids, workload)
            parse(file, file.adapter, stage)
        staging.flush()
        first = "QUALIFY row_number() OVER (PARTITION BY run_id, event_id ORDER BY unit NULLS LAST, rowid) = 1"
        found = {
            table: staging.con.sql(f"FROM {table} {first if table == 'run_records' else ''}")
            .to_arrow_table()
            .to_pylist()
            for table in RECORD_TABLES
        }
        rows = {table: sorted(_told(row) for row in rows) for table, rows in found.items()}
        told = (file.report.counts, sorted(map(str, file.rejections)), sorted(map(str, file.skips)), sorted(stage.runs))
        return {**rows, "told": [str(told), str(stage.units)]}


def _told(row: dict[str, Any]) -> str:
    return str({key: value for key, value in row.items() if key not in {"unit", "guessed", "counted"}})


def same_spans(folder: Path, lines: Iterable[bytes] | bytes, workload: str | None = None) -> Ways:
    """The lines are staged alike both ways; how many of their spans went which way."""
    path = folder / "spans.jsonl"
    path.write_bytes(lines if isinstance(lines, bytes) else b"".join(lines))
    with bulk_from(0) as seen:
        sets = staged(path, workload, in_sets=True)
    records = staged(path, workload, in_sets=False)
    for name, wanted in records.items():
        more, less = Counter(sets[name]) - Counter(wanted), Counter(wanted) - Counter(sets[name])
        assert (list(more)[:2], list(less)[:2]) == ([], []), name
    return ways(seen)


def line(*spans: Any, **more: Any) -> bytes:
    return json.dumps({**request(*spans), **more}).encode() + b"\n"


def as_lines(path: Path) -> bytes:
    """The sample as lines, a document being one."""
    if path.suffix == ".jsonl":
        return path.read_bytes()
    return json.dumps(json.loads(path.read_bytes())).encode() + b"\n"


# ------------------------------------------------------------------------------------------------------------- samples
def test_every_sample_has_its_share() -> None:
    assert set(SHARES) == {path.name for path in SAMPLES.glob("*.json*")}


@pytest.mark.parametrize("name", sorted(SHARES))
def test_samples(tmp_path: Path, name: str) -> None:
    found = same_spans(tmp_path, as_lines(SAMPLES / name) * 3)
    regular, _ = SHARES[name]
    assert found.set_based == 3 * regular


def test_samples_in_whole_stores(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_bytes(b"".join(as_lines(SAMPLES / name) for name in sorted(SHARES)))
    same_stores(tmp_path, path)


def test_generated_spans_are_all_regular(tmp_path: Path) -> None:
    path = tmp_path / "generated.jsonl"
    write(path, spans=2_000)
    found = same_stores(tmp_path, path)
    assert (found.set_based, found.left) == (2_000, 0)


# --------------------------------------------------------------------------------------------------- what is left alone
LEFT: list[tuple[str, dict[str, Any]]] = [
    ("other_form", {**GOOD, "extra": 1}),
    ("other_form", {**GOOD, "attributes": [{"key": "a", "value": {"doubleValue": "NaN"}}]}),
    ("other_form", {**GOOD, "kind": "SOMETHING"}),
    ("names", {**GOOD, "attributes": GOOD["attributes"] * 2}),
    ("declared", span(1, attributes={"faultlens.observed_at": "VERIFY"})),
    ("named_like_ours", span(1, attributes={"input_digest": "x"})),
    ("id", {**GOOD, "traceId": "ABCDEF0123456789ABCDEF0123456789"}),
    ("id", {**GOOD, "parentSpanId": GOOD["spanId"]}),
    ("time", {**GOOD, "endTimeUnixNano": "1796000000"}),
    ("time", span(1, at=(5, 1))),
    ("field", {**GOOD, "flags": "x"}),
    ("meaning", span(1, attributes={"gen_ai.tool.name": ""})),
    ("guardrail", span(1, attributes={"openinference.span.kind": "GUARDRAIL"})),
    ("handoff", span(1, "transfer to Bob")),
    ("handoff", span(1, "execute_tool transfer_to_refunds", attributes={"gen_ai.operation.name": "execute_tool"})),
    ("events", span(1, events=[("handoff", {})])),
    ("documents", span(1, attributes={"retrieval.documents": "no list"})),
    ("links", {**GOOD, "links": [{"traceId": "a", "spanId": "b"}]}),
    ("escapes", span(1, attributes={"a": "\\u001b"})),
]  # fmt: skip


@pytest.mark.parametrize(("reason", "odd"), LEFT)
def test_one_odd_span_is_left_alone_and_takes_no_other_with_it(
    tmp_path: Path, reason: str, odd: dict[str, Any]
) -> None:
    before, after = span(7, "before"), span(8, "after")
    found = same_spans(tmp_path, line(before, odd, after))
    assert (found.set_based, found.reasons) == (2, Counter({reason: 1}))


WHOLE: list[bytes] = [
    line(GOOD, 5),
    line(GOOD, extra=1),
    line(GOOD).replace(b'"kind": 1', b'"kind": 1, "kind": 1'),
    line(GOOD).replace(b'"intValue": "5"', b'"doubleValue": NaN'),
    line(GOOD).replace(b"}]", b"},]", 1),
    line(GOOD).replace(b'"chat"', b'"\\ud800"'),
    b'{"resourceSpans": []}\n',
    b"nothing\n",
    b"[1]\n",
]


@pytest.mark.parametrize("whole", WHOLE)
def test_a_line_of_another_form_is_left_as_a_whole(tmp_path: Path, whole: bytes) -> None:
    found = same_spans(tmp_path, [line(span(7)), whole, line(span(8))])
    assert (found.set_based, found.reasons) == (2, Counter({"form": 1}))


def test_what_has_to_be_said_of_a_line_is_said_of_every_span_of_it(tmp_path: Path) -> None:
    twice = line(span(7), {**GOOD, "extra": {"a": 1}}, span(8)).replace(b'{"a": 1}', b'{"a": 1, "a": 2}')
    assert same_spans(tmp_path, twice).set_based == 0


def test_a_span_a_line(tmp_path: Path) -> None:
    found = same_spans(tmp_path, (json.dumps(span(number)).encode() + b"\n" for number in range(1, 5)))
    assert (found.set_based, found.left) == (4, 0)


def test_a_status_is_an_object_or_the_records_look_at_it(tmp_path: Path) -> None:
    statuses: tuple[Any, ...] = (
        [],
        {},
        "",
        "a",
        "ok",
        1,
        17,
        None,
        [{}],
        {"code": None},
        {"code": []},
        {"message": ""},
    )
    said = [{**span(number), "status": status} for number, status in enumerate(statuses, start=2)]
    text = [{**span(90), "status": [], "attributes": [{"key": "told", "value": {"stringValue": '"status":{}'}}]}]
    found = same_spans(tmp_path, (line(one) for one in [*said, *text]))
    assert found.set_based > 0
    assert found.left > 0


# ---------------------------------------------------------------------------------------------------------- many files
@pytest.mark.parametrize("seed", range(4))
def test_usual_spans_of_any_kind(tmp_path: Path, seed: int) -> None:
    found = same_spans(tmp_path, otlp_lines.write(seed, 120, odd=False))
    assert found.set_based > found.left


# The first line of 229 is no JSON.
@example(seed=229)
@given(seed=st.integers(100, 10_000))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_odd_spans_of_any_kind(tmp_path: Path, seed: int) -> None:
    same_spans(tmp_path, otlp_lines.write(seed, 40, odd=True))


def test_runs_over_several_windows_are_described_once(tmp_path: Path) -> None:
    with patch.object(reading, "windows", lambda stream: windows(stream, 20_000)):
        same_spans(tmp_path, otlp_lines.write(5, 60, odd=True))


def test_a_workload_that_was_asked_for(tmp_path: Path) -> None:
    same_spans(tmp_path, line(GOOD, span(2)), workload="it's mine")


def test_an_archive_whose_last_line_is_still_written(tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl.gz"
    path.write_bytes(gzip.compress(line(GOOD, span(2)) * 3 + line(span(3))[:-40]))
    assert same_stores(tmp_path, path).set_based > 0
