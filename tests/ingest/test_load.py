"""Damage planted in native files, each with the right result; and every record accounted for."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd

from ingest.load import NothingThere, ingest
from ingest.registry import UnknownFormat
from tests.ingest.loaded import RUN, Loaded, assert_accounted, content, error, line, load_bytes, loaded

TWENTY_DIGITS = "12345678901234567890"


def nested(depth: int) -> bytes:
    return b'{"record": "error_event", "run_id": "r", "x": ' + b"[" * depth + b"]" * depth + b"}\n"


# what stands between a good first and a good last line: (id, planted bytes, records it is, stored, (line, reason))
PLANTED: list[tuple[str, bytes, int, int, tuple[int, str] | None]] = [
    ("bad escape in the middle", rb'{"record": "error_event", "run_id": "r", "details": "C:\qux"}' + b"\n", 1, 0,
     (2, "bad_escape")),
    ("text after the object", RUN[:-1] + b" done\n", 1, 0, (2, "text_after_value")),
    ("two objects in a line", RUN[:-1] + RUN, 1, 0, (2, "text_after_value")),
    ("cut in the middle of the file", b'{"record": "error_ev\n', 1, 0, (2, "not_json")),
    ("not UTF-8", b'{"record": "error_event", "run_id": "r", "details": "caf\xe9"}\n', 1, 0, (2, "not_utf8")),
    ("raw NUL", b'{"record": "error_event", "run_id": "r", "details": "\0"}\n', 1, 0, (2, "control_character")),
    ("NUL alone", b"\0\0\0\n", 1, 0, (2, "not_json")),
    ("5,000 digits", b'{"record": "error_event", "run_id": "r", "n": ' + b"9" * 5000 + b"}\n", 1, 0, (2, "bad_number")),
    ("larger than any double", b'{"record": "span", "run_id": "r", "span_id": "s", "cost_usd": 1e999}\n', 1, 0,
     (2, "bad_number")),
    ("a list", b"[1, 2]\n", 1, 0, (2, "not_an_object")),
    ("null", b"null\n", 1, 0, (2, "not_an_object")),
    ("log text", b"INFO starting\n", 1, 0, (2, "not_json")),
    ("unknown record kind", line("retry"), 1, 0, (2, "unknown_record")),
    ("record that is a list", line("run").replace(b'"run"', b'["run"]'), 1, 0, (2, "unknown_record")),
    ("no record kind", b'{"run_id": "r"}\n', 1, 0, (2, "unknown_record")),
    ("no run_id", b'{"record": "error_event"}\n', 1, 0, (2, "missing_run_id")),
    ("run_id null", line("error_event", None), 1, 0, (2, "missing_run_id")),
    ("run_id empty", line("error_event", ""), 1, 0, (2, "missing_run_id")),
    ("run_id a list", line("error_event", ["r"]), 1, 0, (2, "missing_run_id")),
    ("span without span_id", line("span"), 1, 0, (2, "invalid_field")),
    ("text where a number is wanted", line("span", span_id="s", input_tokens="many"), 1, 0, (2, "invalid_field")),
    ("fraction where a count is wanted", line("span", span_id="s", input_tokens=1.5), 1, 0, (2, "invalid_field")),
    ("object where text is wanted", error(details={"a": 1}), 1, 0, (2, "invalid_field")),
    ("list where text is wanted", error(agent=["Scout"]), 1, 0, (2, "invalid_field")),
    ("text where truth is wanted", error(transient="perhaps"), 1, 0, (2, "invalid_field")),
    ("seq beyond 64 bit", error(seq=10**20), 1, 0, (2, "invalid_field")),
    ("step beyond 64 bit", error(step=10**20), 1, 0, (2, "invalid_field")),
    ("step of a chain beyond 64 bit", line("recovery_event", steps=[{"step": 10**20}]), 1, 0, (2, "invalid_field")),
    ("cost beyond any double", line("span", span_id="s", cost_usd=10**400), 1, 0, (2, "invalid_field")),
    ("steps that are no list", line("recovery_event", steps="analyse"), 1, 0, (2, "invalid_field")),
    ("context without a set", line("context", step_id="3"), 1, 0, (2, "no_context_set")),
    ("context without a step", line("context", required=[]), 1, 0, (2, "missing_step_id")),
    ("a set that is no list", line("context", step_id="3", required="adr-7"), 1, 0, (2, "invalid_field")),
    ("an item without an id", line("context", step_id="3", required=[{"revision": 3}]), 1, 0, (2, "invalid_field")),
    ("nested too deep to be read", nested(100_000), 1, 0, (2, "too_deep")),
    ("blank lines", b"\n  \n\t\n\r\n", 0, 0, None),
    ("CRLF", error("E_CRLF").replace(b"\n", b"\r\n"), 1, 1, None),
    ("300 levels", nested(300), 1, 1, None),
    ("300 levels in a step of a chain", line("recovery_event", steps=[{"x": json.loads("[" * 300 + "]" * 300)}]), 1, 1,
     None),
    ("NaN and Infinity", b'{"record": "error_event", "run_id": "r", "y": NaN, "x": -Infinity}\n', 1, 1, None),
    ("duplicate key", b'{"record": "error_event", "run_id": "r", "agent": "a", "agent": "b"}\n', 1, 1, None),
    ("lone surrogate", rb'{"record": "error_event", "run_id": "r", "details": "\ud83d"}' + b"\n", 1, 1, None),
    ("escaped NUL", rb'{"record": "error_event", "run_id": "r", "details": "\u0000"}' + b"\n", 1, 1, None),
    ("unknown enum value", error(level="L9"), 1, 1, None),
    ("unknown clock", line("run", clock="sundial"), 1, 1, None),
    ("unknown status", line("run", status="exploded"), 1, 1, None),
    ("a share in prose", line("recovery_event", confidence="high"), 1, 1, None),
    ("a share of three dots", line("recovery_event", confidence="1.2.3%"), 1, 1, None),
    ("a share that is true", line("recovery_event", confidence=True), 1, 1, None),
    ("a share of 400 digits", line("recovery_event", confidence=10**400), 1, 1, None),
    ("a step of a power", error(step="\u00b2"), 1, 1, None),
    ("attributes that are no object", error(attributes=[1]), 1, 1, None),
    ("time of 5,000 digits", error(occurred_at="9" * 5000), 1, 1, None),
    ("orphan", line("span", span_id="s", parent_span_id="nobody"), 1, 1, None),
    ("own parent", line("span", span_id="s", parent_span_id="s"), 1, 1, None),
    ("cycle", line("span", span_id="a", parent_span_id="b") + line("span", span_id="b", parent_span_id="a"),
     2, 2, None),
    ("children first", line("span", span_id="c", parent_span_id="p") + line("span", span_id="p"), 2, 2, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("planted", "records", "stored", "rejection"), [case[1:] for case in PLANTED], ids=[case[0] for case in PLANTED]
)
def test_planted_damage_costs_only_its_own_line(
    tmp_path: Path, planted: bytes, records: int, stored: int, rejection: tuple[int, str] | None
) -> None:
    found = load_bytes(tmp_path, RUN + planted + error("E_LAST", event_id="last"))
    assert found.counts == (records + 2, stored + 2, 0, records - stored, 0)
    assert found.values("SELECT error_code FROM error_events WHERE event_id = 'last'") == ["E_LAST"]
    refused = found.rows("SELECT line, offset_bytes, reason, raw FROM rejections")
    if rejection is None:
        assert refused == []
    else:
        (row,) = refused
        assert (row["line"], row["reason"], row["offset_bytes"]) == (*rejection, len(RUN))
        assert planted.decode(errors="replace").startswith((row["raw"] or "")[:40])


FLAGGED = [
    (error(level="L9"), "error_events", "level", "L9", "unknown_value"),
    (error(tool_error_class="cosmic"), "error_events", "tool_error_class", "cosmic", "unknown_value"),
    (error(level="l3"), "error_events", "level", "L3", None),
    (line("recovery_event", chain="CHAIN_Z"), "recovery_events", "chain", "CHAIN_Z", "unknown_value"),
    (line("recovery_event", outcome="SOLVED"), "recovery_events", "outcome", "SOLVED", "unknown_value"),
    (line("recovery_event", confidence=1.5), "recovery_events", "confidence", None, "out_of_range"),
    (line("recovery_event", confidence="80%"), "recovery_events", "confidence", 0.8, None),
    (line("recovery_event", confidence="80 %"), "recovery_events", "confidence", 0.8, None),
    (error(occurred_at="2026-11-30T12:00:00"), "error_events", "occurred_at", "2026-11-30 12:00:00+00:00",
     "naive_time"),
    (error(occurred_at="2026-11-30T12:00:00+02:00"), "error_events", "occurred_at", "2026-11-30 10:00:00+00:00", None),
    (error(occurred_at=1796040000), "error_events", "occurred_at", "2026-11-30 12:00:00+00:00", None),
    (error(occurred_at=1796040000000), "error_events", "occurred_at", "2026-11-30 12:00:00+00:00", None),
    (error(occurred_at=1796040000000000), "error_events", "occurred_at", "2026-11-30 12:00:00+00:00", None),
    (error(occurred_at=1796040000000000000), "error_events", "occurred_at", "2026-11-30 12:00:00+00:00", None),
    (error(occurred_at="0001-01-01T00:00:00Z"), "error_events", "occurred_at", None, "time_never_set"),
    (error(occurred_at="yesterday"), "error_events", "occurred_at", None, "bad_time"),
    (error(step="seven"), "error_events", "step", "seven", "unknown_step"),
    (rb'{"record": "error_event", "run_id": "r", "details": "\ud83d"}' + b"\n", "error_events", "details", "\ufffd",
     "lone_surrogate"),
    (b'{"record": "error_event", "run_id": "r", "agent": "a", "agent": "b"}\n', "error_events", "agent", "b",
     "duplicate_key"),
    (b'{"record": "recovery_event", "run_id": "r", "confidence": NaN}\n', "recovery_events", "confidence", None, "nan"),
    (rb'{"record": "error_event", "run_id": "r", "details": "a\u0000b"}' + b"\n", "error_events", "details", "a\0b",
     None),
]  # fmt: skip


@pytest.mark.parametrize(("planted", "table", "column", "value", "flag"), FLAGGED)
def test_what_was_assumed_or_is_unknown_is_kept_and_flagged(  # noqa: PLR0917 - one a column of the table
    tmp_path: Path, planted: bytes, table: str, column: str, value: object, flag: str | None
) -> None:
    row = load_bytes(tmp_path, RUN + planted).one(f"SELECT {column} AS found, flags FROM {table}")
    found = row["found"] if value is None or isinstance(value, float) else str(row["found"])
    assert (found, row["flags"]) == (value, [flag] if flag else None)


def test_a_value_that_could_not_be_read_is_kept_as_an_attribute(tmp_path: Path) -> None:
    found = load_bytes(
        tmp_path,
        line("run", clock="sundial", status="exploded")
        + error(occurred_at="yesterday", color="red", attributes={"a": 1})
        + error(attributes=[1, 2])
        + line("recovery_event", confidence="high"),
    )
    kept = [json.loads(text) for text in found.values("SELECT attributes FROM error_events ORDER BY seq")]
    assert kept == [{"occurred_at": "yesterday", "color": "red", "a": 1}, {"attributes": [1, 2]}]
    assert json.loads(found.one("SELECT attributes FROM recovery_events")["attributes"]) == {"confidence": "high"}
    run = found.one("SELECT status, status_reason, clock, flags, attributes FROM runs")
    assert (run["status"], run["flags"]) == ("unknown", ["unknown_value"])
    assert "exploded" in run["status_reason"]
    assert json.loads(run["attributes"]) == {"clock": "sundial", "status": "exploded"}


@pytest.mark.parametrize(
    ("encoded", "stored"),
    [
        ((RUN + error()).decode().encode("utf-8-sig"), 2),
        ((RUN + error()).decode().encode("utf-16"), 2),
        (("\ufeff" + (RUN + error()).decode()).encode("utf-16-be"), 2),
        (("\ufeff" + (RUN + error(details="a\u2028b\x85c")).decode()).encode("utf-16-le"), 2),
        ((RUN + error()).replace(b"\n", b"\r\n"), 2),
        (b"\n" + RUN + error(), 2),
        (gzip.compress(RUN + error()), 2),
        (zstd.compress(RUN + error()), 2),
    ],
    ids=["BOM", "UTF-16", "UTF-16 BE", "separators in UTF-16", "CRLF", "blank first line", "gzip", "zstd"],
)
def test_encodings_and_archives_are_read_whatever_the_name_says(tmp_path: Path, encoded: bytes, stored: int) -> None:
    assert load_bytes(tmp_path, encoded, "no-name").counts == (stored, stored, 0, 0, 0)


def test_20_digits_stay_as_they_are(tmp_path: Path) -> None:
    number = int(TWENTY_DIGITS)
    found = load_bytes(
        tmp_path,
        line("run", number)
        + line("span", number, span_id=number)
        + line("context", number, step_id=number, required=[number]),
    )
    assert found.one("SELECT native_id, run_id FROM runs") == {
        "native_id": TWENTY_DIGITS, "run_id": f"faultlens:{TWENTY_DIGITS}",
    }  # fmt: skip
    assert found.values("SELECT span_id FROM spans") == [TWENTY_DIGITS]
    assert found.one("SELECT step_id, item_id FROM context_items") == {
        "step_id": TWENTY_DIGITS,
        "item_id": TWENTY_DIGITS,
    }


class TestFilesThatAreNotWhatTheyShouldBe:
    @pytest.mark.parametrize(
        ("data", "why"),
        [(b"", "empty"), (b"\n \n", "format"), (b"hello\nworld\n", "format"), (b"\x89PNG\r\n\x1a\n\0\0", "format"),
         (b'{"messages": []}\n', "format"), (b"\x1f\x8b\x08\x00garbage", "damaged"),
         (b"\x28\xb5\x2f\xfd!!!", "damaged")],
        ids=["empty", "blank", "text", "binary", "other JSON", "bad gzip", "bad zstd"],
    )  # fmt: skip
    def test_named_it_is_refused_and_in_a_folder_ignored(self, tmp_path: Path, data: bytes, why: str) -> None:
        folder = tmp_path / "folder"
        folder.mkdir()
        (folder / "odd").write_bytes(data)
        (folder / "good.jsonl").write_bytes(RUN)
        named = loaded(tmp_path / "a.duckdb", folder / "odd").file
        assert (named.status, named.counts.records) == ("refused", 0)
        assert why in (named.reason or "")
        below = loaded(tmp_path / "b.duckdb", folder)
        assert [(Path(file.path).name, file.status) for file in below.report.files] == [
            ("good.jsonl", "loaded"),
            ("odd", "ignored"),
        ]
        assert (loaded(tmp_path / "c.duckdb", folder / "odd").report.exit_code(), below.report.exit_code()) == (1, 0)

    def test_a_cut_archive_gives_what_stands_before_the_cut(self, tmp_path: Path) -> None:
        body = RUN + b"".join(error(f"E_{os.urandom(8).hex()}") for _ in range(2000))
        found = load_bytes(tmp_path, gzip.compress(body)[:-2000], "cut.jsonl.gz")
        records, stored, _, rejected, _ = found.counts
        assert (rejected, records - stored) == (1, 1)
        assert stored > 1000
        assert found.values("SELECT reason FROM rejections") == ["damaged_archive"]

    def test_a_folder_with_the_store_in_it_can_be_ingested_again(self, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_bytes(RUN)
        loaded(tmp_path / "faultlens.duckdb", tmp_path)
        again = loaded(tmp_path / "faultlens.duckdb", tmp_path)
        assert again.report.exit_code() == 0
        assert {Path(file.path).name: file.status for file in again.report.files}["a.jsonl"] == "unchanged"

    def test_30_mb_in_one_line_are_read(self, tmp_path: Path) -> None:
        found = load_bytes(tmp_path, RUN + error(details="x" * 30_000_000) + b'{"cut": "' + b"x" * 30_000_000 + b"\n")
        assert found.counts == (3, 2, 0, 1, 0)
        assert found.values("SELECT length(details) FROM error_events") == [30_000_000]

    def test_20_000_bad_lines_are_all_kept(self, tmp_path: Path) -> None:
        found = load_bytes(tmp_path, RUN + line("retry", details="password=hunter2hunter2") * 20_000)
        assert found.counts == (20_001, 1, 0, 20_000, 0)


class TestTheLastLine:
    CUT = error("E_CUT")[:-20]

    def test_a_cut_one_is_skipped_and_read_when_the_file_has_grown(self, tmp_path: Path) -> None:
        first = load_bytes(tmp_path, RUN + self.CUT)
        assert first.counts == (2, 1, 0, 0, 1)
        assert first.file.skipped_because == {"incomplete_last_line": 1}
        assert first.report.exit_code() == 0
        grown = load_bytes(tmp_path, RUN + error("E_CUT") + error("E_NEW"))
        assert grown.counts == (3, 2, 1, 0, 0)
        assert grown.values("SELECT error_code FROM error_events ORDER BY seq") == ["E_CUT", "E_NEW"]
        assert grown.values("SELECT count(*) FROM skipped_records") == [0]

    def test_a_cut_one_with_a_line_end_is_refused(self, tmp_path: Path) -> None:
        assert load_bytes(tmp_path, RUN + self.CUT + b"\n").counts == (2, 1, 0, 1, 0)

    def test_a_whole_one_without_a_line_end_is_read(self, tmp_path: Path) -> None:
        assert load_bytes(tmp_path, RUN + error()[:-1]).counts == (2, 2, 0, 0, 0)

    def test_garbage_without_a_line_end_is_refused(self, tmp_path: Path) -> None:
        assert load_bytes(tmp_path, RUN + b"the agent stopped here").counts == (2, 1, 0, 1, 0)

    def test_one_cut_inside_a_character_is_skipped(self, tmp_path: Path) -> None:
        cut = '{"record": "error_event", "run_id": "r", "details": "é'.encode()[:-1]
        assert load_bytes(tmp_path, RUN + cut).counts == (2, 1, 0, 0, 1)

    @pytest.mark.parametrize("at", [*range(7, len(error()), 7), len(error()) - 2])
    def test_wherever_it_is_cut_nothing_is_lost_once_it_is_whole(self, tmp_path: Path, at: int) -> None:
        assert load_bytes(tmp_path, RUN + error()[:at]).counts[3] == 0
        assert load_bytes(tmp_path, RUN + error()).values("SELECT count(*) FROM error_events") == [1]


class TestTheSameAgain:
    BODY = RUN + error() * 3 + line("span", span_id="s") + b"garbage\n"

    def test_the_same_bytes_store_nothing_and_say_so(self, tmp_path: Path) -> None:
        first = load_bytes(tmp_path, self.BODY)
        before = content(first.store)
        again = load_bytes(tmp_path, self.BODY)
        assert (first.counts, again.counts) == ((6, 5, 0, 1, 0), (6, 0, 5, 1, 0))
        assert again.file.status == "unchanged"
        assert content(again.store) == before
        assert again.values("SELECT count(*) FROM rejections") == [1]

    def test_also_under_another_path(self, tmp_path: Path) -> None:
        load_bytes(tmp_path, self.BODY)
        again = load_bytes(tmp_path, self.BODY, "copy.jsonl")
        assert (again.file.status, again.counts) == ("unchanged", (6, 0, 5, 1, 0))

    def test_also_within_one_call(self, tmp_path: Path) -> None:
        for name in ("a.jsonl", "b.jsonl"):
            (tmp_path / name).write_bytes(self.BODY)
        found = loaded(tmp_path / "s.duckdb", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
        assert [file.status for file in found.report.files] == ["loaded", "unchanged"]
        assert found.counts == (12, 5, 5, 2, 0)
        assert found.report.totals.runs == 1

    @pytest.mark.parametrize("pack", [gzip.compress, zstd.compress], ids=["gzip", "zstd"])
    def test_a_packed_copy_stores_nothing(self, tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
        before = content(load_bytes(tmp_path, self.BODY).store)
        packed = load_bytes(tmp_path, pack(self.BODY), "trace.packed")
        assert packed.counts == (6, 0, 5, 1, 0)
        assert content(packed.store) == before

    def test_read_as_another_format_it_is_another_reading(self, tmp_path: Path) -> None:
        load_bytes(tmp_path, b"garbage\n", format="faultlens")
        assert load_bytes(tmp_path, b"garbage\n", format="bijux_agent").file.status != "unchanged"

    def test_a_grown_file_adds_what_is_new_and_takes_the_place_of_its_shorter_version(self, tmp_path: Path) -> None:
        first = load_bytes(tmp_path, self.BODY)
        ids = first.values("SELECT event_id FROM error_events ORDER BY seq")
        grown = load_bytes(tmp_path, self.BODY + error() + error("E_NEW") + b"more garbage\n")
        assert grown.counts == (9, 2, 5, 2, 0)
        assert grown.values("SELECT event_id FROM error_events ORDER BY seq")[:3] == ids
        files = grown.rows("SELECT status, superseded_by IS NULL AS newest FROM source_files ORDER BY records")
        assert files == [{"status": "superseded", "newest": False}, {"status": "loaded", "newest": True}]
        assert grown.values("SELECT line FROM rejections ORDER BY line") == [6, 9]
        shorter = load_bytes(tmp_path, self.BODY, "rotated.jsonl")
        assert shorter.file.status == "unchanged"

    def test_grown_by_garbage_alone_it_adds_a_rejection(self, tmp_path: Path) -> None:
        load_bytes(tmp_path, self.BODY)
        grown = load_bytes(tmp_path, self.BODY + b"more garbage\n")
        assert grown.counts == (7, 0, 5, 2, 0)
        assert grown.values("SELECT line FROM rejections ORDER BY line") == [6, 7]

    def test_a_finished_span_takes_the_place_of_its_unfinished_version(self, tmp_path: Path) -> None:
        opened = line("span", span_id="s", started_at="2026-11-30T09:00:00Z", name="call")
        closed = line(
            "span",
            span_id="s",
            started_at="2026-11-30T09:00:00Z",
            name="call",
            ended_at="2026-11-30T09:00:05Z",
            status="ok",
        )
        assert load_bytes(tmp_path, RUN + opened, "a").counts == (2, 2, 0, 0, 0)
        finished = load_bytes(tmp_path, closed, "b")
        assert finished.counts == (1, 1, 0, 0, 0)
        assert finished.values("SELECT status FROM spans") == ["ok"]
        reverse = load_bytes(tmp_path, opened + b"\n", "c")
        assert reverse.counts == (1, 0, 1, 0, 0)
        assert reverse.values("SELECT status FROM spans") == ["ok"]

    def test_both_versions_in_one_file_are_one_span(self, tmp_path: Path) -> None:
        opened, closed = line("span", span_id="s"), line("span", span_id="s", ended_at="2026-11-30T09:00:05Z")
        for number, body in enumerate((opened + closed, closed + opened)):
            folder = tmp_path / str(number)
            folder.mkdir()
            found = load_bytes(folder, body)
            assert found.counts == (2, 1, 1, 0, 0)
            assert found.values("SELECT ended_at IS NOT NULL FROM spans") == [True]


class TestArguments:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        folder = tmp_path / "traces"
        (folder / "deep").mkdir(parents=True)
        (folder / "a.jsonl").write_bytes(line("run", "a"))
        (folder / "deep" / "b.jsonl").write_bytes(line("run", "b"))
        (folder / "notes.md").write_text("# notes")
        return folder

    def names(self, found: Loaded) -> list[tuple[str, str]]:
        return [(Path(file.path).name, file.status) for file in found.report.files]

    def test_a_folder_is_searched_to_its_depth(self, tmp_path: Path, folder: Path) -> None:
        found = loaded(tmp_path / "s.duckdb", folder)
        assert self.names(found) == [("a.jsonl", "loaded"), ("notes.md", "ignored"), ("b.jsonl", "loaded")]
        assert found.report.exit_code() == 0

    def test_a_glob_names_what_it_matches(self, tmp_path: Path, folder: Path) -> None:
        found = loaded(tmp_path / "s.duckdb", str(folder / "**" / "*.jsonl"))
        assert sorted(self.names(found)) == [("a.jsonl", "loaded"), ("b.jsonl", "loaded")]

    def test_a_file_whose_name_looks_like_a_pattern_is_that_file(self, tmp_path: Path) -> None:
        (tmp_path / "run[1].jsonl").write_bytes(RUN)
        assert loaded(tmp_path / "s.duckdb", tmp_path / "run[1].jsonl").counts == (1, 1, 0, 0, 0)

    def test_a_path_met_twice_is_read_once(self, tmp_path: Path, folder: Path) -> None:
        assert len(loaded(tmp_path / "s.duckdb", folder / "a.jsonl", folder / "a.jsonl").report.files) == 1

    def test_standard_input(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(RUN))))
        found = loaded(tmp_path / "s.duckdb", "-")
        assert (found.file.path, found.counts) == ("-", (1, 1, 0, 0, 0))

    def test_a_pipe_is_read_like_standard_input(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(RUN,))
        writer.start()
        found = loaded(tmp_path / "s.duckdb", pipe)
        writer.join()
        assert (found.file.path, found.counts) == (str(pipe), (1, 1, 0, 0, 0))

    @pytest.mark.parametrize("missing", ["nowhere.jsonl", "no*.jsonl", "link"])
    def test_a_path_with_nothing_there_is_a_wrong_call(self, tmp_path: Path, missing: str) -> None:
        (tmp_path / "link").symlink_to(tmp_path / "nowhere.jsonl")
        with pytest.raises(NothingThere, match="no such file"):
            ingest([str(tmp_path / missing)], tmp_path / "s.duckdb")

    def test_beside_one_that_exists_it_is_refused(self, tmp_path: Path, folder: Path) -> None:
        found = loaded(tmp_path / "s.duckdb", folder / "a.jsonl", tmp_path / "nowhere.jsonl")
        assert [(file.status, file.reason) for file in found.report.files] == [
            ("loaded", None),
            ("refused", "not_found"),
        ]
        assert found.report.exit_code() == 1

    def test_a_workload_that_is_given_wins(self, tmp_path: Path) -> None:
        found = load_bytes(tmp_path, line("run", "a", workload="said") + error(run_id="b"), workload="given")
        assert found.values("SELECT workload FROM runs ORDER BY run_id") == ["given", "given"]

    def test_without_one_the_record_says_it_or_it_is_default(self, tmp_path: Path) -> None:
        found = load_bytes(tmp_path, line("run", "a", workload="said") + line("error_event", "b"))
        assert found.values("SELECT workload FROM runs ORDER BY run_id") == ["said", "default"]

    def test_a_format_that_is_given_is_not_recognised_again(self, tmp_path: Path) -> None:
        assert load_bytes(tmp_path, b"x\n" * 60 + RUN, format="faultlens").counts == (61, 1, 0, 60, 0)
        with pytest.raises(UnknownFormat, match="no format 'xml'"):
            load_bytes(tmp_path, RUN, format="xml")


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_run_in_three_files_is_the_same_as_in_one(tmp_path: Path, order: tuple[int, ...]) -> None:
    at = "2026-11-30T09:00:{:02}Z".format
    pieces = [
        line("run", status="running", started_at=at(0)) + line("span", span_id="s", started_at=at(1))
        + error("E_1", occurred_at=at(2)),
        error("E_2", occurred_at=at(4)) + line("recovery_event", chain="A", occurred_at=at(3))
        + line("diagnosis", occurred_at=at(9), observed_at="VERIFY"),
        line("run", status="failed", ended_at=at(9)) + line("span", span_id="s", started_at=at(1), ended_at=at(8))
        + line("recovery_event", chain="B", occurred_at=at(5)),
    ]  # fmt: skip
    whole = load_bytes(tmp_path, b"".join(pieces), "whole.jsonl")
    store = tmp_path / "pieces.duckdb"
    for number in order:
        path = tmp_path / f"piece-{number}.jsonl"
        path.write_bytes(pieces[number])
        assert_accounted(loaded(store, path).report)
    assert content(store) == content(whole.store)
    together = loaded(tmp_path / "together.duckdb", *(tmp_path / f"piece-{number}.jsonl" for number in order))
    assert content(together.store) == content(whole.store)


def test_records_without_an_order_keep_their_place_in_their_own_file(tmp_path: Path) -> None:
    """The attempt belongs to the failure before it in its file, also where another file tells of the same run."""
    at = "2026-11-30T09:00:{:02}Z".format
    (tmp_path / "a.jsonl").write_bytes(error("E_A", occurred_at=at(10)) + line("recovery_event", chain="A"))
    (tmp_path / "b.jsonl").write_bytes(error("E_B1", occurred_at=at(1)) + error("E_B2", occurred_at=at(2)))
    for number, names in enumerate((("a", "b"), ("b", "a"))):
        found = [loaded(tmp_path / f"{number}.duckdb", tmp_path / f"{name}.jsonl") for name in names][-1]
        belongs_to = found.values(
            "SELECT error_code FROM recovery_events JOIN error_events ON error_events.event_id = error_event_id"
        )
        assert belongs_to == ["E_A"]
