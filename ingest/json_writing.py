"""JSON text from values, by one encoder for each way of writing it: `json.dumps` makes one anew at every call."""

from __future__ import annotations

import json
from collections.abc import Callable
from json import encoder
from typing import Any

# The order of the fast encoder's arguments is the standard library's own; another Python may have none.
_make: Callable[..., Callable[[Any, int], tuple[str, ...]]] | None = getattr(encoder, "c_make_encoder", None)


def writer(
    *, sort_keys: bool = False, allow_nan: bool = True, compact: bool = True, ascii_only: bool = False
) -> Callable[[Any], str]:
    """A function that writes a value as `json.dumps` does, unknown objects as text.

    It does not look for a value that contains itself: what was read from a file never does.
    """
    item, key = (",", ":") if compact else (", ", ": ")
    if _make is None:
        return json.JSONEncoder(
            ensure_ascii=ascii_only, default=str, sort_keys=sort_keys, allow_nan=allow_nan, separators=(item, key)
        ).encode
    text = encoder.encode_basestring_ascii if ascii_only else encoder.encode_basestring
    pieces = _make(None, str, text, None, key, item, sort_keys, False, allow_nan)  # noqa: FBT003 - as it takes them
    join = "".join

    def written(value: Any) -> str:
        return join(pieces(value, 0))

    return written
