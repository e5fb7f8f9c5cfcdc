"""A source: one file with its companions, read as bytes, unpacked as its magic bytes say.

Recognition looks at `Head`: the first bytes and the first records. A file's name decides nothing.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

from ingest import json_text
from ingest.store.errors import FaultlensError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

HEAD_BYTES = 256 * 1024
FIRST_RECORDS = 50
GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
ZIP_MAGIC = b"PK"
PARQUET_MAGIC = b"PAR1"
_CHUNK = 1 << 20
# An archive is about a tenth of what it holds; of a small one it does not matter to anybody.
_PACKED = 10
_WORTH_A_LOOK = 1 << 18
# What a cut or corrupted archive raises, depending on where the damage lies.
DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile, zstd.ZstdError)


class Damaged(FaultlensError):
    """A compressed file that cannot be unpacked to its end."""


def unpacked(path: Path) -> BinaryIO:
    """The file opened for reading, gzip and zstd layers removed whatever its name says."""
    with path.open("rb") as file:
        magic = file.read(4)
    if magic[:2] == GZIP_MAGIC:
        return cast("BinaryIO", gzip.open(path, "rb"))
    if magic == ZSTD_MAGIC:
        return cast("BinaryIO", zstd.open(path, "rb"))
    return path.open("rb")


def text_size(path: Path) -> int:
    """About how many bytes the file has once it is unpacked."""
    size = path.stat().st_size if path.exists() else 0
    return size * _PACKED if size >= _WORTH_A_LOOK and is_packed(path) else size


def is_packed(path: Path) -> bool:
    """The file is compressed: an archive, or a table that packs its columns."""
    with path.open("rb") as file:
        magic = file.read(4)
    return magic[:2] in (GZIP_MAGIC, ZIP_MAGIC) or magic in (ZSTD_MAGIC, PARQUET_MAGIC)


def path_text(path: str | Path) -> str:
    """The path as text that can be stored and printed: bytes of a name that are not UTF-8 stand as escapes."""
    return os.fsencode(path).decode("utf-8", errors="backslashreplace")


def sha256(path: Path) -> str:
    """The digest of the file's bytes as they lie on the disk."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def sha256_of_first(path: Path, size: int) -> str:
    """The digest of the first `size` bytes: equal to an older version's when the file has only grown."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        left = size
        while left > 0 and (chunk := file.read(min(_CHUNK, left))):
            digest.update(chunk)
            left -= len(chunk)
    return digest.hexdigest()


@dataclass(frozen=True)
class Source:
    """A file to be read. `shown` is the path as told to people, `below` the path below the given argument."""

    path: Path
    shown: str
    below: str
    companions: tuple[Path, ...] = ()
    workload: str | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """The file and its companions."""
        return (self.path, *self.companions)

    @contextmanager
    def open(self, companion: Path | None = None) -> Iterator[BinaryIO]:
        """The unpacked bytes of the file, or of one of its companions."""
        with unpacked(companion or self.path) as stream:
            yield stream

    def data(self, companion: Path | None = None) -> bytes:
        """All the unpacked bytes at once."""
        with self.open(companion) as stream:
            return stream.read()

    def part(self, companion: Path) -> str:
        """How a companion is named in places and messages: its path as seen from the main file."""
        return path_text(Path(os.path.relpath(companion, self.path.parent)).as_posix())

    @cached_property
    def digest(self) -> str:
        """The digest of the file's bytes, as they were when this was asked first."""
        return sha256(self.path)

    @cached_property
    def head(self) -> Head:
        """The first bytes and records, for recognition; of a damaged archive what stands before the damage."""
        sample = b""
        try:
            with self.open() as stream:
                while len(sample) < HEAD_BYTES and (piece := stream.read1(HEAD_BYTES - len(sample))):  # type: ignore[attr-defined]
                    sample += piece
        except DAMAGE as error:
            if not sample:
                raise Damaged(f"{self.shown}: the archive is damaged or cut: {error}") from None
        return Head(self, sample)


@dataclass(frozen=True)
class Head:
    """What recognition may look at."""

    source: Source
    sample: bytes

    @property
    def name(self) -> str:
        """The file's own name, for messages."""
        return self.source.path.name

    @cached_property
    def text(self) -> str:
        """The sample as text, byte order marks and encodings resolved; undecodable bytes are replaced."""
        return json_text.decoded_leniently(self.sample)

    @cached_property
    def first_records(self) -> tuple[Any, ...]:
        """The JSON values of the first lines that hold one whole value each; others are passed over."""
        found: list[Any] = []
        with suppress(*DAMAGE), self.source.open() as stream:
            found.extend(json_text.first_values(stream, FIRST_RECORDS))
        return tuple(found)

    @cached_property
    def document(self) -> Any:
        """The whole file as one JSON value, or None where it is not one."""
        if not self.text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
            return None
        if self._begins_as_lines:
            # A second line after a whole value would be text after the value: no need to read the whole file.
            return None
        if self._is_one_line and self.first_records:
            return self.first_records[0]
        with suppress(*DAMAGE):
            return json_text.whole_document(self.source.data())
        return None

    @cached_property
    def _is_one_line(self) -> bool:
        with suppress(*DAMAGE), self.source.open() as stream:
            return sum(1 for _ in islice(json_text.lines(stream), 2)) == 1
        return False

    @cached_property
    def _begins_as_lines(self) -> bool:
        with suppress(*DAMAGE), self.source.open() as stream:
            return not self._is_one_line and json_text.is_lines(stream)
        return False

    @cached_property
    def is_lines(self) -> bool:
        """The first line holds a whole value and others follow, or is a broken one with whole objects below it."""
        if self._begins_as_lines:
            return True
        if self._is_one_line or not is_text(self.sample):
            return False
        with suppress(*DAMAGE), self.source.open() as stream:
            lines = [line.text for line in islice(json_text.lines(stream), FIRST_RECORDS)]
            below = (line for line in lines[1:] if line.startswith("{"))
            return (
                lines[:1] != [] and not json_text.may_begin_document(lines[0]) and any(map(json_text.is_value, below))
            )
        return False

    @cached_property
    def glimpsed(self) -> dict[tuple[str, ...], list[dict[str, Any]]]:
        """The first objects of the file, by the envelopes they were looked for in: most adapters ask for the same."""
        return {}

    def documents(self) -> Iterator[dict[str, Any]]:
        """The JSON objects to judge the file by: the document itself, or the first lines."""
        if isinstance(self.document, dict):
            yield self.document
            return
        if isinstance(self.document, list):
            yield from (value for value in self.document[:FIRST_RECORDS] if isinstance(value, dict))
            return
        yield from (value for value in self.first_records if isinstance(value, dict))


def is_text(sample: bytes) -> bool:
    """No NUL bytes, unless the file is UTF-16."""
    return sample.startswith(json_text.UTF16_MARKS) or b"\x00" not in sample


def as_stream(data: bytes) -> BinaryIO:
    """The bytes as a stream, for readers that take one."""
    return io.BytesIO(data)
