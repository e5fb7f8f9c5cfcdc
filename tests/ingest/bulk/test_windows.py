"""Windows hold the lines of a file as reading it by lines gives them."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest import json_text
from ingest.bulk import windows as bulk_windows
from ingest.bulk.windows import windows
from ingest.json_text import Line, line_of, lines
from ingest.source import DAMAGE, unpacked

PIECES = [
    b"", b"\n", b"\r\n", b"{}\n", b'{"a": 1}\r\n', b" \t\n", b"caf\xc3\xa9\n", b"caf\xe9\n", b"\0\n", b"\xed\xa0\x80\n",
    b"x" * 300, b"\xef\xbb\xbf", b"\xe2\x80\xa8\n", b"\r", b"last", b"\n\n\n",
]  # fmt: skip


def by_window(data: bytes, size: int) -> list[Line]:
    found: list[Line] = []
    for window in windows(io.BufferedReader(io.BytesIO(data)), size):
        for row in window.lines.to_pylist():
            found += line_of(row["text"].encode(), row["line"], row["offset_bytes"])
        found += window.odd
    return sorted(found, key=lambda line: line.number)


def by_line(data: bytes) -> list[Line]:
    return list(lines(io.BytesIO(data)))


@pytest.mark.parametrize("size", [1, 7, 64, 1 << 20])
@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_a_piece_of_a_file(piece: bytes, size: int) -> None:
    for data in (piece, b"{}\n" + piece, b"{}\n" + piece + b"{}\n", piece + b"\n{}"):
        assert by_window(data, size) == by_line(data)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=12), max_size=30).map(b"".join), st.integers(1, 200))
def test_any_bytes(data: bytes, size: int) -> None:
    if not data.startswith(json_text.UTF16_MARKS):
        assert by_window(data, size) == by_line(data)


def test_the_text_of_a_window_is_in_batches_that_two_threads_can_share() -> None:
    (window,) = windows(io.BufferedReader(io.BytesIO(b"{}\n" * 20_000)), 1 << 20)
    assert [batch.num_rows for batch in window.lines.to_batches()] == [8_192, 8_192, 3_616]
    assert (window.last_line, window.odd) == (20_000, ())


def test_a_line_that_is_longer_than_any_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "MAX_LINE", 100)
    monkeypatch.setattr(bulk_windows, "LONGEST", 50)
    for length in (98, 99, 100, 101, 250):
        data = b"{}\n" + b"x" * length + b"\n{}\n" + b"y" * length
        for size in (10, 130, 1_000):
            assert by_window(data, size) == by_line(data), (length, size)


def test_a_long_line_is_not_for_sql(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_windows, "LONGEST", 50)
    (window,) = windows(io.BufferedReader(io.BytesIO(b"{}\n" + b"x" * 60 + b"\n{}\n")), 1_000)
    assert (window.lines.column("line").to_pylist(), [line.number for line in window.odd]) == ([1, 3], [2])


@pytest.mark.parametrize("keep", [0.3, 0.6, 0.95])
def test_a_damaged_archive_gives_the_same_lines_before_the_damage(tmp_path: Path, keep: float) -> None:
    body = b"".join(b'{"number": %d}\n' % (number * 7919 % 100_003) for number in range(20_000))
    packed = gzip.compress(body)
    path = tmp_path / "cut.gz"
    path.write_bytes(packed[: int(len(packed) * keep)])
    assert _until_damage(path, in_windows=True) == _until_damage(path, in_windows=False)


def _until_damage(path: Path, *, in_windows: bool) -> int:
    """How many lines came before the damage."""
    count = 0
    with unpacked(path) as stream:
        found = (
            (window.lines.num_rows for window in windows(stream, 5_000)) if in_windows else (1 for _ in lines(stream))
        )
        try:
            for more in found:
                count += more
        except DAMAGE:
            return count
    raise AssertionError("the damage was not noticed")
