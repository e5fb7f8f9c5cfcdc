"""`faultlens lint`: every fault of a native file with its line, stricter than ingest."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from ingest.lint import faults
from tests.ingest.loaded import RUN, error, line

SAMPLES = Path(__file__).parents[2] / "sample_traces" / "faultlens"
FAULTS: list[tuple[str, bytes, str, str]] = [
    ("bad escape", rb'{"record": "run", "run_id": "\q"}' + b"\n", "bad_escape", "character"),
    ("text after", RUN[:-1] + b" x\n", "text_after_value", "character 34"),
    ("no JSON", b"hello\n", "not_json", "character 1"),
    ("not UTF-8", b'{"record": "run", "run_id": "\xe9"}\n', "not_utf8", "byte 30"),
    ("unknown record", line("retry"), "unknown_record", "known are: run"),
    ("no run id", line("run", None), "missing_run_id", "run_id"),
    ("wrong type", line("span", span_id="s", input_tokens="x"), "invalid_field", "input_tokens"),
    ("unknown key", error(colour="red"), "unknown_key", "`colour` is no column of error_event"),
    ("unknown value", error(level="L9"), "unknown_value", "outside its list"),
    ("naive time", error(occurred_at="2026-11-30T12:00:00"), "naive_time", "UTC is assumed"),
    ("no time", error(occurred_at="soon"), "bad_time", "cannot be read"),
    ("never set", error(occurred_at="0001-01-01T00:00:00Z"), "time_never_set", "year 1"),
    ("out of range", line("recovery_event", confidence=80), "out_of_range", "0 and 1"),
    ("step in prose", error(step="third"), "unknown_step", "X/Y"),
    ("NaN", b'{"record": "recovery_event", "run_id": "r", "confidence": NaN}\n', "nan", "no JSON"),
    ("twice", b'{"record": "run", "run_id": "r", "run_id": "s"}\n', "duplicate_key", "twice"),
    ("half a pair", rb'{"record": "run", "run_id": "r", "name": "\ud800"}' + b"\n", "lone_surrogate", "U+FFFD"),
    ("cut", error()[:-5], "incomplete_last_line", "cut"),
]


@pytest.mark.parametrize(
    ("planted", "reason", "words"), [case[1:] for case in FAULTS], ids=[case[0] for case in FAULTS]
)
def test_a_fault_is_found_with_its_line(planted: bytes, reason: str, words: str) -> None:
    (found,) = faults(Path("-"), RUN + b"\n" + planted)
    assert (found.line, found.reason) == (3, reason)
    assert words in found.message


@pytest.mark.parametrize("sample", ["every_kind.jsonl", "contract.jsonl"])
def test_the_good_samples_are_valid(sample: str) -> None:
    assert list(faults(SAMPLES / sample)) == []


@pytest.mark.parametrize("data", [b"", b"\n\n"])
def test_a_file_without_a_record_is_a_fault(data: bytes) -> None:
    assert [(found.line, found.reason) for found in faults(Path("-"), data)] == [(1, "empty_file")]


def test_archives_are_looked_into_and_a_cut_one_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(RUN))
    assert list(faults(path)) == []
    path.write_bytes(gzip.compress(RUN)[:-12])
    assert [found.reason for found in faults(path)][-1] == "damaged_archive"
