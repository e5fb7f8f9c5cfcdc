"""Trace and span ids as one spelling: lower-case hex, whatever encoding wrote them."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

TRACE_BYTES = 16
SPAN_BYTES = 8
_HEX = re.compile(r"[0-9a-fA-F]+")
_LONG_HEX = 2 * TRACE_BYTES
_SHORT_HEX = 2 * SPAN_BYTES


def plain_id(value: Any) -> str | None:
    """The id as text, None where there is none; a number keeps its digits."""
    if value is None or isinstance(value, bool | float | list | dict):
        return None
    return str(value).strip() or None


def normalised(recorded: str, size: int) -> str:
    """The id in lower-case hex where it is hex or padded base64 of `size` bytes; else as it is."""
    bare = recorded[2:] if recorded[:2] in {"0x", "0X"} else recorded
    if len(bare) in {_LONG_HEX, _SHORT_HEX} and _HEX.fullmatch(bare):
        return bare.lower()
    # Without its padding a base64 id cannot be told from a word, so only the padded form is read.
    if bare.endswith("="):
        return _from_base64(bare, size) or recorded
    return bare.lower() if bare is not recorded and _HEX.fullmatch(bare) else recorded


def _from_base64(text: str, size: int) -> str | None:
    try:
        raw = base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw.hex() if len(raw) == size else None


def padded(recorded: str) -> str:
    """A hex id that lost its leading zeros, filled up to 64 or 128 bits."""
    if not _HEX.fullmatch(recorded):
        return recorded
    if len(recorded) <= _SHORT_HEX:
        return recorded.zfill(_SHORT_HEX)
    return recorded.zfill(_LONG_HEX) if len(recorded) < _LONG_HEX else recorded


def is_zero(span_id: str) -> bool:
    """All zeros: the protocol's way to say that there is none."""
    return not span_id.strip("0")


def is_short(trace_id: str) -> bool:
    """A 64-bit trace id: the same trace may stand elsewhere under its 128-bit id."""
    if not _HEX.fullmatch(trace_id):
        return False
    return len(trace_id) == _SHORT_HEX or (len(trace_id) == _LONG_HEX and is_zero(trace_id[:_SHORT_HEX]))
