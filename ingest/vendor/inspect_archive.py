"""An Inspect `.eval` archive: the header or what the journal has of it, then every sample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest import json_text
from ingest.adapter import Item, Place, Rejected, Unreadable
from ingest.json_text import Decoded, Fault
from ingest.source import Source
from ingest.vendor.inspect_sample import Log, log_items, sample_items
from ingest.vendor.values import mapping
from ingest.vendor.zip_members import Member, is_zip, members

_HEADER, _JOURNAL, _SAMPLES = "header.json", "_journal/start.json", "samples/"
_SIGNS = (b"header.json", b"_journal/start.json", b"samples/", b"summaries.json")


def is_archive(sample: bytes, source: Source) -> bool:
    """The names of the members are those of a log, by its first header or its directory."""
    if not is_zip(sample):
        return False
    return any(sign in sample for sign in _SIGNS) or any(sign in source.data()[-65_536:] for sign in _SIGNS)


def archive_items(source: Source) -> Iterator[Item]:
    """The samples; a member that cannot be read is refused and takes no other with it."""
    data = source.data()
    header, faults = _header(data)
    yield from faults
    log = Log.of(header)
    read = 0
    for member in members(data, _SAMPLES):
        read += 1
        yield from _sample(member, log)
    if read == 0 and not header.get("eval"):
        raise Unreadable("damaged_archive", "no member of this archive can be read")
    if read == 0:
        yield from log_items(log, Place(), ())


def _header(data: bytes) -> tuple[dict[str, Any], list[Rejected]]:
    """The header; of a log that never got one, the journal's beginning, with the status it then had."""
    faults: list[Rejected] = []
    for name in (_HEADER, _JOURNAL):
        for member in members(data, name):
            found = _decoded(member)
            if isinstance(found, Rejected):
                faults.append(found)
            elif mapping(found.value).get("eval"):
                return {"status": "started", **mapping(found.value)}, faults
    return {"status": "started"}, faults


def _decoded(member: Member) -> Decoded | Rejected:
    if member.reason:
        return Rejected(Place(), member.reason, member.message)
    text = json_text.decoded_leniently(member.data)
    decoded = json_text.decode(text)
    if isinstance(decoded, Fault):
        return Rejected(Place(), decoded.reason, f"{member.name}: {decoded.message}", text[:2_000])
    return decoded


def _sample(member: Member, log: Log) -> Iterator[Item]:
    found = _decoded(member)
    if isinstance(found, Rejected):
        yield found
    elif isinstance(found.value, dict) and "id" in found.value:
        yield from sample_items(found.value, log, Place(), found.flags)
    else:
        yield Rejected(Place(), "missing_sample_id", f"{member.name}: a sample needs an id")
