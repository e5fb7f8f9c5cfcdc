"""JSON text from values, by one encoder for each way of writing it: `json.dumps` makes one anew at every call."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def writer(
    *, sort_keys: bool = False, allow_nan: bool = True, compact: bool = True, ascii_only: bool = False
) -> Callable[[Any], str]:
    """A function that writes a value as `json.dumps` does, unknown objects as text.

    It does not look for a value that contains itself: what was read from a file never does.
    """
    separators = (",", ":") if compact else (", ", ": ")
    return json.JSONEncoder(
        ensure_ascii=ascii_only, default=str, sort_keys=sort_keys, allow_nan=allow_nan, separators=separators,
        check_circular=False,
    ).encode  # fmt: skip
