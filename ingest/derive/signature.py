"""The signature of a failure: a digest of stage, error code, normalised location and state.

Equal signatures are the same failure counted twice; so what differs from one occurrence to the next
(line numbers, addresses, ids, times, temporary and home folders) is taken out of the location first.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache

from ingest.records import ErrorEvent

EXECUTE_PHASES = frozenset({"EXECUTE", "EXECUTE_LOOP", "DO"})
CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.:/-]*")

# In this order: a longer pattern first, so that its pieces are not taken for something else.
_VARYING: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b", "<id>"),
        (r"\b[a-z]+-\d{8}-\d{6}-[0-9a-f]{3,}\b", "<run>"),
        (r"\d{4}-\d{2}-\d{2}([T ]\d{2}[:-]\d{2}([:-]\d{2}([.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?", "<time>"),
        (r"\b0x[0-9a-fA-F]+\b", "<address>"),
        (r"\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b", "<id>"),
        (r"\b\d{6,}\b", "<id>"),
    )
)
_PLACES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"^file://", ""),
        (r"^[A-Za-z]:(?=/)", ""),
        (r"^(?:/private)?(?:/var/folders/[^/]+/[^/]+/T|/var/tmp|/tmp|/Users/[^/]+/AppData/Local/Temp)/", "<tmp>/"),
        (r"^(?:/home/[^/]+|/Users/[^/]+|/root|~)/", "<home>/"),
        (r"<tmp>/(?:tmp[^/]+|pytest-of-[^/]+/pytest-\d+)/", "<tmp>/"),
    )
)
_SLASHES = (re.compile(r"/{2,}"), "/")
_LONGEST_REMEMBERED = 300
_LINE_NUMBERS = re.compile(r"(?:[:#]L?\d+(?:[:-]L?\d+)*|\(\d+(?:,\s*\d+)?\)|,? line \d+(?:,? col(?:umn)? \d+)?)$")


@dataclass(frozen=True, slots=True)
class Signature:
    """The digest, and whether a part was missing; both None where there is too little to name a failure."""

    value: str | None = None
    partial: bool | None = None


def normalised_location(location: str) -> str:
    """The file or symbol without anything that changes between two occurrences of one failure."""
    text = location.strip().strip("`\"'").replace("\\", "/")
    while (shorter := _LINE_NUMBERS.sub("", text)) != text:
        text = shorter
    return _remembered(text) if len(text) <= _LONGEST_REMEMBERED else _steady(text)


def _steady(text: str) -> str:
    for pattern, replacement in (*_PLACES, *_VARYING, _SLASHES):
        text = pattern.sub(replacement, text)
    return text


# The same few places come again and again; what is remembered of them stays within bounds.
_remembered = lru_cache(maxsize=4_096)(_steady)


def stage(phase: str | None, step_index: int | None) -> str | None:
    """EXECUTE with its step number, any other phase alone."""
    if not phase:
        return None
    name = phase.strip().upper()
    if name not in EXECUTE_PHASES:
        return name
    return f"EXECUTE/{step_index}" if step_index is not None else "EXECUTE"


def signature(stage: str | None, error_code: str | None, location: str | None, state_hash: str | None) -> Signature:
    """The signature of these four parts; without a code or a second part there is none."""
    place = normalised_location(location) if location else None
    parts = (stage or None, error_code or None, place or None, state_hash or None)
    if not parts[1] or sum(part is not None for part in parts) < 2:
        return Signature()
    text = "\x1f".join("" if part is None else part for part in parts)
    return Signature(hashlib.sha256(text.encode()).hexdigest()[:16], None in parts)


def machine_code(error: ErrorEvent) -> str | None:
    """The code a machine would branch on: the recorded one, else a type of one token. Never prose."""
    if error.error_code:
        return error.error_code
    return error.type if error.type and CODE.fullmatch(error.type) else None


def signature_columns(error: ErrorEvent) -> dict[str, object]:
    """The signature of an error as its columns; nothing where its adapter or producer already gave one."""
    if error.signature is not None:
        return {}
    found = signature(stage(error.phase, error.step_index), machine_code(error), error.location, error.state_hash)
    return {"signature": found.value, "signature_partial": found.partial}


def signed(error: ErrorEvent) -> ErrorEvent:
    """The error with its signature; one that its adapter or producer already gave is kept."""
    return error.model_copy(update=signature_columns(error))
