"""Files of lines with bad ones among them, at places that depend on nothing but the number asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

# As broken writers leave them: cut off, no JSON at all, and JSON that is no object. Each is refused once.
_FORMS: tuple[Callable[[bytes], bytes], ...] = (
    lambda line: line[: len(line) // 2],
    lambda _: b"Traceback (most recent call last):",
    lambda _: b"17",
    lambda _: b'"text"',
)


def spoil(source: Path, target: Path, *, lines: int, bad: int) -> int:
    """The target is the source, of so many lines, with that many of them bad; returns how many became bad."""
    every, spoilt = max(1, lines // bad), 0
    with source.open("rb") as clean, target.open("wb") as dirty:
        for number, line in enumerate(clean):
            if number % every == every // 2 and spoilt < bad:
                dirty.write(_FORMS[spoilt % len(_FORMS)](line.rstrip(b"\n")) + b"\n")
                spoilt += 1
            else:
                dirty.write(line)
    return spoilt


def line_count(file: Path) -> int:
    """How many lines the file has."""
    with file.open("rb") as lines:
        return sum(block.count(b"\n") for block in iter(lambda: lines.read(1 << 20), b""))
