"""The rows of a file twice over: once to learn what belongs together, once to say what each row means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from ingest.json_text import Decoded, Fault, Line, decode, lines
from ingest.source import Source

# So much text is kept as it was read first; what comes after it in a larger file is read again.
KEPT_TEXT = 16 * 1024 * 1024

Read = TypeVar("Read")


class Passes(Generic[Read]):
    """Two passes over one file; `row` makes of a line what both passes want to see."""

    def __init__(self, source: Source, row: Callable[[Line, Decoded | Fault], Read]) -> None:
        self._source = source
        self._row = row
        self._kept: list[tuple[Line, Read]] = []
        self._last = 0
        self._has_more = False

    def first(self) -> Iterator[Read]:
        """Every row, in order; to be read to its end, or to where it is damaged, before the second pass begins."""
        text = 0
        self._has_more = True
        for line in self._lines():
            row = self._read(line)
            text += len(line.text)
            if text <= KEPT_TEXT:
                self._kept.append((line, row))
                self._last = line.number
            yield row
        self._has_more = text > KEPT_TEXT

    def second(self) -> Iterator[tuple[Line, Read]]:
        """Every row once more, with its line."""
        yield from self._handed_out()
        if self._has_more:
            yield from ((line, self._read(line)) for line in self._lines() if line.number > self._last)

    def _handed_out(self) -> Iterator[tuple[Line, Read]]:
        """What was kept; a row that was handed out is kept no longer."""
        self._kept.reverse()
        while self._kept:
            yield self._kept.pop()

    def _lines(self) -> Iterator[Line]:
        with self._source.open() as stream:
            yield from lines(stream)

    def _read(self, line: Line) -> Read:
        return self._row(line, line.fault or decode(line.text))
