"""A file as windows of whole lines: an Arrow table each, cut from the bytes without a copy a line.

A line that DuckDB must not be handed (not UTF-8, marked, not ended, very long) stands apart, as it was read.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import DEFAULT_BUFFER_SIZE, BufferedReader
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from ingest import json_text
from ingest.json_text import UTF8_MARK, Line, line_of, rest_of_line
from ingest.source import DAMAGE

# Each of two hands has one, another is read ahead, and what the record path looks at may still hold a fourth.
WINDOW_BYTES = 24 * 1024 * 1024
# So many lines go to a thread at once.
BATCH_LINES = 8 * 1024
# A longer line goes through the record path: DuckDB copies texts by the thousand.
LONGEST = 4 * 1024 * 1024
_LINE_FEED = 10


@dataclass(frozen=True, slots=True)
class Window:
    """Whole lines of a file: those that are text, and those that are `odd`."""

    lines: pa.Table
    odd: tuple[Line, ...]
    last_line: int
    size: int


@dataclass(frozen=True, slots=True)
class _Block:
    """Whole lines as bytes, or a piece of one line that is not ended."""

    data: bytes
    number: int
    offset: int
    ended: bool = True


def windows(stream: BinaryIO, size: int = WINDOW_BYTES) -> Iterator[Window]:
    """The windows of a file, each read by another thread while the one before it is worked on."""
    coming = (_window(block) for block in _blocks(stream, size))
    with ThreadPoolExecutor(1, "windows") as reader:
        ahead = reader.submit(next, coming, None)
        while (window := ahead.result()) is not None:
            ahead = reader.submit(next, coming, None)
            yield window


def _blocks(stream: BinaryIO, size: int) -> Iterator[_Block]:
    """Whole lines, about `size` bytes at once; where an archive is damaged, those before the damage come first."""
    number, offset, kept = 1, 0, b""
    while True:
        piece, damage = _read(stream, size)
        data = kept + piece
        end = data.rfind(b"\n") + 1
        if end:
            yield _Block(data[:end], number, offset)
            number, offset = number + data.count(b"\n"), offset + end
        kept = data[end:]
        if damage is not None:
            raise damage
        if json_text.is_overlong(kept):
            rest = rest_of_line(stream)
            yield _Block(kept, number, offset, ended=False)
            number, offset, kept = number + 1, offset + len(kept) + rest, b""
        elif not piece:
            break
    if kept:
        yield _Block(kept, number, offset, ended=False)


def _read(stream: BinaryIO, size: int) -> tuple[bytes, Exception | None]:
    """About `size` bytes, or what could be read before the archive turned out to be damaged."""
    # In the portions that reading by lines would ask for: so a damaged archive gives the same bytes.
    portion = size if isinstance(stream, BufferedReader) else DEFAULT_BUFFER_SIZE
    pieces: list[bytes] = []
    found = 0
    try:
        while found < size and (piece := stream.read1(portion)):  # type: ignore[attr-defined]
            pieces.append(piece)
            found += len(piece)
    except DAMAGE as damage:
        return b"".join(pieces), damage
    return pieces[0] if len(pieces) == 1 else b"".join(pieces), None


def _window(block: _Block) -> Window:
    if not block.ended:
        apart = tuple(_line(block, 0, 0, len(block.data)))
        return Window(_table([], [], pa.array([], pa.string())), apart, block.number, len(block.data))
    ends = np.flatnonzero(np.frombuffer(block.data, np.uint8) == _LINE_FEED) + 1
    starts = np.concatenate(([0], ends[:-1]))
    texts = pa.StringArray.from_buffers(
        len(ends), pa.py_buffer(np.concatenate(([0], ends)).astype(np.int32)), pa.py_buffer(block.data)
    )
    table = _table(np.arange(block.number, block.number + len(ends)), starts + block.offset, texts)
    odd = _odd(block, starts, ends, texts)
    lines = tuple(line for index in odd for line in _line(block, index, int(starts[index]), int(ends[index])))
    if odd:
        mask = np.ones(len(ends), bool)
        mask[odd] = False
        table = table.filter(pa.array(mask))
    return Window(_in_batches(table), lines, block.number + len(ends) - 1, len(block.data))


def _line(block: _Block, index: int, start: int, end: int) -> Iterator[Line]:
    # Cut where reading by lines would cut it: then it says of itself that it is too long.
    return line_of(block.data[start : min(end, start + json_text.MAX_LINE)], block.number + index, block.offset + start)


def _odd(block: _Block, starts: np.ndarray, ends: np.ndarray, texts: pa.Array) -> list[int]:
    """Which lines are not for DuckDB."""
    found = set(np.flatnonzero(ends - starts > LONGEST).tolist())
    if block.number == 1 and block.data.startswith(UTF8_MARK):
        found.add(0)
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        found |= {
            index
            for index, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))
            if not _is_utf8(block.data[start:end])
        }
    return sorted(found)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _table(numbers: object, offsets: object, texts: pa.Array) -> pa.Table:
    return pa.table({
        "line": pa.array(numbers, pa.int64()), "offset_bytes": pa.array(offsets, pa.int64()), "text": texts,
    })  # fmt: skip


def _in_batches(table: pa.Table) -> pa.Table:
    return pa.Table.from_batches(table.to_batches(max_chunksize=BATCH_LINES), table.schema)
