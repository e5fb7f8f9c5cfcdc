"""A large file from a small one: its lines over and over, each time as other runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

Mark = Callable[[bytes, int], bytes]
_TRACE = re.compile(rb'"traceId":"..')


def native(lines: bytes, copy: int) -> bytes:
    """Native lines whose runs are this copy's own."""
    return lines.replace(b'"bench-', b'"b%04d-' % copy)


def otlp(lines: bytes, copy: int) -> bytes:
    """OTLP lines whose traces are this copy's own, of at most 256."""
    return _TRACE.sub(b'"traceId":"%02x' % copy, lines)


def write(target: Path, source: Path, copies: int, mark: Mark) -> int:
    """The target holds the source so many times; its size in bytes."""
    lines = source.read_bytes()
    with target.open("wb") as file:
        for copy in range(copies):
            file.write(mark(lines, copy))
    return target.stat().st_size
