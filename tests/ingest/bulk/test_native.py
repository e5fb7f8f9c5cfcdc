"""Native lines read set by set are the rows that the record path makes of them, whatever the lines are like."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import pytest
from backports import zstd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest import native
from ingest.bulk import native as bulk_native
from ingest.bulk import reading
from ingest.bulk.windows import windows
from tests.bench.data import write
from tests.ingest.bulk.both import Ways, same_rows, same_stores
from tests.ingest.bulk.odd_lines import lines
from tests.ingest.loaded import RUN, error, line
from tests.ingest.test_load import FLAGGED, PLANTED

SAMPLES = sorted(path for path in Path("sample_traces").rglob("*.jsonl") if b'"record":' in path.read_bytes()[:2_000])
# Lines that SQL reads at once, of every kind that it reads at all.
EVERY_KIND: tuple[bytes, ...] = (
    RUN,
    line("run", status="failed", started_at="2026-11-30T09:00:00Z", workload="w", clock="wall"),
    line("span", span_id="s1", started_at="2026-11-30T09:00:00Z", input_tokens=5, cost_usd=0.25),
    error(level="L3", step="3/7", phase="EXECUTE", location="src/a.py:12", state_hash="9f"),
    error(observed_at="VERIFY / 3", originated_at="PLAN", trigger="t", root_cause="r", exit_code=3),
    line("recovery_event", chain="CHAIN_B", confidence=0.8, auto_executed=True, outcome="RECOVERED", duration=2,
         steps=[{"step": 1, "agent": "Scout", "action": "look", "result": "SUCCESS"}], artifacts=["a", "b"]),
    line("guardrail_event", level="L2", action="PAUSE", step=4, data_classes=["personal"]),
    line("context", step_id="3", required=["adr-7"], retrieved=["adr-7@3", {"id": "x", "revision": "1"}], composed=[]),
    line("context_op", op="compaction", trigger_no=5, escalated=False),
    line("diagnosis", observed_at="VERIFY", originated_at="PLAN", fix_at="origin", status="open", diagnosis_id="d1"),
    line("delegation", task_id="t", from_agent="a", to_agent="b", hop_count=2, visited=["a"], denied=False),
    line("wait", waiter="a", holder="b", since="2026-11-30T09:00:00Z", until="2026-11-30T09:01:00Z"),
    line("task_owner", task_id="t", agent="a", since=1796040000),
    line("handoff", from_agent="a", to_agent="b", status="refused", bounce=1),
    line("replay", replay_of="r0", verdict="acceptable", dimension="artifact", expected="a", observed="b"),
    line("reported_metrics", chain="CHAIN_A", attempts=4, success_rate=0.5),
)  # fmt: skip


def good(count: int) -> Iterator[bytes]:
    """Regular lines, no two alike."""
    for number in range(count):
        yield error("E_LIMIT", seq=number, details=f"step {number}", agent="Scout")


def windows_of(size: int) -> Any:
    """Files are read in windows of about so many bytes."""
    return patch.object(reading, "windows", lambda stream: windows(stream, size))


def both(folder: Path, data: bytes, name: str = "trace.jsonl") -> Ways:
    path = folder / name
    path.write_bytes(data)
    return same_rows(path)


class TestWhichWay:
    def test_every_line_of_the_bench_is_read_in_sets(self, tmp_path: Path) -> None:
        path = tmp_path / "bench.jsonl"
        write(path, events=6_000, runs=120)
        assert same_stores(tmp_path, path) == Ways(6_000, Counter())

    @pytest.mark.parametrize("one", EVERY_KIND, ids=lambda one: json.loads(one)["record"])
    def test_every_kind_that_comes_in_volume_is_read_in_sets(self, tmp_path: Path, one: bytes) -> None:
        found = both(tmp_path, one * 3)
        assert (found.set_based, found.left) == (3, 0)

    def test_those_are_all_kinds_but_the_catalogue(self) -> None:
        assert {json.loads(one)["record"] for one in EVERY_KIND} == native.RECORDS.keys() - {"catalogue"}

    def test_bad_lines_among_good_ones_are_the_only_ones_left(self, tmp_path: Path) -> None:
        planted = [case[1] for case in PLANTED if case[1].strip() and not case[1].strip().startswith(b"\n")]
        planted += [case[0] for case in FLAGGED]
        lot = list(good(6_000))
        for number, piece in enumerate(planted):
            lot.insert(number * 70 + 5, piece)
        found = both(tmp_path, b"".join(lot))
        assert found.set_based >= 6_000
        # Which of them SQL may read by itself is its own affair, as long as the rows are right.
        assert 40 <= found.left <= sum(piece.count(b"\n") for piece in planted)

    @pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
    def test_a_sample(self, path: Path) -> None:
        same_rows(path)

    def test_lines_with_attributes(self, tmp_path: Path) -> None:
        odd = {"b": {"z": 1, "a": [1.0, 1e16, 1e-7, "\u00e9\x1b"]}, "a": None}
        data = (
            error(attributes=odd) + line("error_event", color="red", **odd) + error(attributes={"a": 1}, color="red")
            + line("context", step_id="1", required=["a"], attributes=odd)
            + line("span", span_id="s", attributes=odd, x=True)
            + line("run", attributes={}) + line("recovery_event", chain="A", attributes=odd, steps=[])
        )  # fmt: skip
        found = both(tmp_path, data * 2)
        assert (found.set_based, found.left) == (14, 0)

    @pytest.mark.parametrize(
        "one",
        [error(recorded_seq=1), line("run", source="me"), line("run", identity="x"), line("error_event", flags=[]),
         line("error_event", attributes=[1]), line("context", step_id="1", required=[], members=[]),
         line("error_event", n=float("nan")), line("span", span_id="s", source=1)],
    )  # fmt: skip
    def test_a_key_that_is_no_attribute_to_the_record_path(self, tmp_path: Path, one: bytes) -> None:
        both(tmp_path, one * 2)


class TestOddLines:
    @pytest.mark.parametrize("oddness", [0.02, 0.1, 0.4])
    @pytest.mark.parametrize("seed", [1, 2])
    def test_every_key_with_every_sort_of_value(self, tmp_path: Path, seed: int, oddness: float) -> None:
        found = both(tmp_path, RUN + lines(seed, 3_000, oddness))
        assert found.set_based > 300
        assert found.left > 300

    def test_what_follows_for_the_store(self, tmp_path: Path) -> None:
        path = tmp_path / "odd.jsonl"
        path.write_bytes(RUN + lines(3, 2_000, 0.1))
        assert same_stores(tmp_path, path).set_based > 500

    # Values as JSON has them, under keys of every kind of record and under others.
    JSON = st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text()
        | st.sampled_from(["L3", "3/7", "A", "a@1"]),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
        max_leaves=8,
    )
    KEYS = st.sampled_from(sorted({key for kind in native.RECORDS for key in native.columns_of(kind)})) | st.text(
        max_size=6
    )
    LINE = st.tuples(
        st.sampled_from(sorted(native.RECORDS)), st.dictionaries(KEYS, JSON, max_size=8), st.booleans(), st.booleans()
    )

    @settings(
        max_examples=25,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(st.lists(LINE, min_size=20, max_size=120))
    def test_lines_that_nobody_thought_of(
        self, tmp_path: Path, some: list[tuple[str, dict[str, Any], bool, bool]]
    ) -> None:
        made = [
            json.dumps(
                {"record": kind, "run_id": "r", **body}, ensure_ascii=is_ascii, separators=(",", ":") if tight else None
            )
            for kind, body, is_ascii, tight in some
        ]
        both(tmp_path, RUN + "\n".join(made).encode("utf-8", "surrogatepass") + b"\n")


class TestFiles:
    def test_three_identical_records_are_three_whichever_way_each_is_read(self, tmp_path: Path) -> None:
        same = error("E_SAME", observed_at="VERIFY", originated_at="PLAN")
        recovered = line(
            "recovery_event", chain="A", steps=[{"step": 1, "agent": None, "action": "fix", "result": "FAILED"}]
        )
        context = line("context", step_id="1", required=["a@1"], composed=["a@1"])
        # The same content, written so that SQL leaves it: a number as 1.0 is no count, a list with an escape no list.
        data = (same + recovered + context) * 2 + same.replace(b'"E_SAME"', rb'"E_\u0053AME"')
        data += recovered.replace(b'"step": 1', b'"step": true') + context.replace(b'"a@1"', rb'"\u0061@1"').replace(
            b"}", b",}"
        )
        data += (same + recovered + context.replace(b'"a@1"', rb'"\u0061@1"')) * 3
        path = tmp_path / "same.jsonl"
        path.write_bytes(data)
        with windows_of(300):
            assert same_rows(path).left > 0
            same_stores(tmp_path, path)

    def test_windows_of_any_size_give_the_same(self, tmp_path: Path) -> None:
        path = tmp_path / "odd.jsonl"
        path.write_bytes(RUN + b"".join(EVERY_KIND) * 10 + lines(7, 300, 0.1))
        for size in (4_000, 40_000):
            with windows_of(size):
                assert same_rows(path).set_based > 200

    @pytest.mark.parametrize(
        "data",
        [
            b"".join(EVERY_KIND).replace(b"\n", b"\r\n"),
            b"\xef\xbb\xbf" + b"".join(EVERY_KIND),
            b"\n\n" + b"".join(EVERY_KIND) + b"  \n",
            b"".join(EVERY_KIND)[:-1],
            b"".join(EVERY_KIND)[:-30],
            b"".join(EVERY_KIND) + b"the agent stopped here",
            b"".join(EVERY_KIND) + '{"record": "error_event", "details": "é'.encode()[:-1],
            gzip.compress(b"".join(EVERY_KIND)),
            zstd.compress(b"".join(EVERY_KIND)),
            gzip.compress(b"".join(good(3_000)))[:-2_000],
            b"".join(EVERY_KIND) + error(details="x" * 9_000_000) + RUN,
        ],
        ids=["CRLF", "BOM", "blank lines", "no last line end", "cut last line", "garbage at the end", "cut character",
             "gzip", "zstd", "cut gzip", "9 MB in a line"],
    )  # fmt: skip
    def test_a_file_is_read_to_its_end(self, tmp_path: Path, data: bytes) -> None:
        assert both(tmp_path, data).set_based > 10

    def test_a_grown_file_and_the_same_again(self, tmp_path: Path) -> None:
        path, grown, packed = tmp_path / "a.jsonl", tmp_path / "grown", tmp_path / "a.jsonl.gz"
        body = b"".join(good(300)) + b"".join(EVERY_KIND) * 2 + b"garbage\n" + error("E_CUT")[:-10]
        grown.mkdir()
        longer = body + error("E_CUT")[-10:] + error("E_CUT") + b"".join(EVERY_KIND) + b"more garbage\n"
        packed.write_bytes(gzip.compress(longer))
        path.write_bytes(body)
        first = same_stores(tmp_path, path, path)
        assert first.set_based == 300 + 2 * len(EVERY_KIND)
        other = _Growing(path, (body, longer))
        assert same_stores(grown, other, other, packed).set_based > first.set_based  # type: ignore[arg-type]

    def test_a_workload_that_was_asked_for(self, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl"
        path.write_bytes(b"".join(EVERY_KIND) * 2)
        assert same_stores(tmp_path, path, workload="o'brien's").left == 0

    def test_what_sql_stumbles_over_is_read_record_by_record(self, tmp_path: Path) -> None:
        def stumble(*_: Any) -> int:
            raise duckdb.ConversionException("no")

        with patch.dict(bulk_native._STAGED, context=stumble):
            found = both(tmp_path, b"".join(EVERY_KIND) * 3)
        assert (found.set_based, found.reasons["sql_failed"]) == (0, 3 * len(EVERY_KIND))

    def test_a_small_file_is_not_worth_a_set(self, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl"
        path.write_bytes(RUN)
        assert reading.format_for(*_asked(path)) is None


class _Growing:
    """A path that holds more every time it is asked for."""

    def __init__(self, path: Path, bodies: tuple[bytes, ...]) -> None:
        self._path = path
        self._bodies = bodies
        self._asked = 0

    def __str__(self) -> str:
        self._path.write_bytes(self._bodies[self._asked % len(self._bodies)])
        self._asked += 1
        return str(self._path)


def _asked(path: Path) -> tuple[Any, Any]:
    from ingest.registry import named
    from ingest.source import Source

    return named("faultlens"), Source(path, path.name, path.name)
