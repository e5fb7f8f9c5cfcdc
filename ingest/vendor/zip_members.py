"""A zip file's members in memory, never on the disk: unsafe names, bombs and damage are named and passed by.

A file that lost its end has no directory; what its local headers still show is read.
"""

from __future__ import annotations

import io
import struct
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO

if sys.version_info >= (3, 14):
    import zipfile

    from compression import zstd
else:
    from backports import zstd
    from backports.zstd import zipfile

MAGIC = b"PK\x03\x04"
EMPTY_MAGIC = b"PK\x05\x06"
# A sample of half a gigabyte is real; beyond this, or this many times its packed size, it is a bomb.
LARGEST = 2 * 1024**3
_MOST_MEMBERS = 100_000
_HIGHEST_RATIO = 1_500
_ALWAYS_ALLOWED = 64 * 1024**2
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Member:
    """A member's name and bytes, or why it has none."""

    name: str
    data: bytes = b""
    reason: str | None = None
    message: str = ""


def is_zip(sample: bytes) -> bool:
    """The bytes begin like a zip file."""
    return sample.startswith((MAGIC, EMPTY_MAGIC))


def members(data: bytes, wanted: str = "") -> Iterator[Member]:
    """Every member whose name begins with `wanted`, in the order of their names; folders are none."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, struct.error, NotImplementedError):
        yield from sorted(_recovered(data, wanted), key=lambda member: member.name)
        return
    with archive:
        infos = sorted(archive.infolist(), key=lambda info: info.filename)
        for info in infos[:_MOST_MEMBERS]:
            if info.filename.startswith(wanted) or not is_safe(info.filename):
                yield from _member(archive, info)


def has_directory(data: bytes) -> bool:
    """The file has the directory that closes a complete zip file."""
    return zipfile.is_zipfile(io.BytesIO(data))


def is_safe(name: str) -> bool:
    """The name stays inside the archive."""
    path = PurePosixPath(name.replace("\\", "/"))
    return not path.is_absolute() and ".." not in path.parts and ":" not in name[:2] and "\x00" not in name


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[Member]:
    if info.is_dir():
        return
    if not is_safe(info.filename):
        yield Member(
            info.filename, reason="unsafe_path", message=f"the member {info.filename!r} points out of the archive"
        )
        return
    allowed = _allowed(info.compress_size)
    try:
        with archive.open(info) as stream:
            yield _bounded(info.filename, stream, allowed)
    except (zipfile.BadZipFile, zlib.error, zstd.ZstdError, EOFError, OSError, ValueError) as error:
        yield Member(info.filename, reason="damaged_member", message=f"{info.filename}: {error}")
    except (RuntimeError, NotImplementedError) as error:  # encrypted, or a method that Python does not know
        yield Member(info.filename, reason="unreadable_member", message=f"{info.filename}: {error}")


def _allowed(packed: int) -> int:
    return min(LARGEST, max(_ALWAYS_ALLOWED, packed * _HIGHEST_RATIO))


def _bounded(name: str, stream: IO[bytes], allowed: int) -> Member:
    """The bytes as far as they are allowed; what the directory says of their number is not believed."""
    found: list[bytes] = []
    left = allowed
    while chunk := stream.read(min(_CHUNK, left + 1)):
        left -= len(chunk)
        if left < 0:
            return _bomb(name, allowed)
        found.append(chunk)
    return Member(name, b"".join(found))


def _bomb(name: str, allowed: int) -> Member:
    return Member(name, reason="zip_bomb", message=f"{name} unpacks to more than {allowed} bytes; it was not read on")


def _recovered(data: bytes, wanted: str) -> Iterator[Member]:
    """The members that local headers show, as long as each can be unpacked to its end."""
    at = data.find(MAGIC)
    while at >= 0 and at + _LOCAL_HEADER.size <= len(data):
        fields = _LOCAL_HEADER.unpack_from(data, at)
        method, packed, name_length, extra_length = fields[3], fields[7], fields[9], fields[10]
        begin = at + _LOCAL_HEADER.size + name_length + extra_length
        name = data[at + _LOCAL_HEADER.size :][:name_length].decode("utf-8", errors="replace")
        member, end = _unpacked(name, data, begin, method, packed)
        if name and not name.endswith("/") and (name.startswith(wanted) or member.reason == "unsafe_path"):
            yield member
        at = data.find(MAGIC, max(end, at + 4))


def _unpacked(name: str, data: bytes, begin: int, method: int, packed: int) -> tuple[Member, int]:
    """The member and where it ends; without a recorded size its compression says where."""
    if not is_safe(name):
        return Member(name, reason="unsafe_path", message=f"the member {name!r} points out of the archive"), begin
    if method == _STORED:
        end = begin + packed
        return (Member(name, data[begin:end]) if packed and end <= len(data) else _cut(name)), end
    if method not in (_DEFLATED, _ZSTANDARD):
        return Member(name, reason="unreadable_member", message=f"{name}: compression method {method}"), begin
    try:
        return _inflated(name, data, begin, method, packed)
    except (zlib.error, zstd.ZstdError, EOFError) as error:
        return Member(name, reason="damaged_member", message=f"{name}: {error}"), begin


def _inflated(name: str, data: bytes, begin: int, method: int, packed: int) -> tuple[Member, int]:
    unpacker = zlib.decompressobj(-15) if method == _DEFLATED else zstd.ZstdDecompressor()
    allowed = _allowed(packed or len(data) - begin)
    content = unpacker.decompress(data[begin:], allowed + 1)
    if len(content) > allowed:
        return _bomb(name, allowed), begin
    if not unpacker.eof:
        return _cut(name), len(data)
    return Member(name, content), len(data) - len(unpacker.unused_data)


def _cut(name: str) -> Member:
    return Member(name, reason="damaged_member", message=f"{name}: the file ends inside this member")
