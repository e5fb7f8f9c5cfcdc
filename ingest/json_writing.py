"""JSON text from values, by one encoder for each way of writing it: `json.dumps` makes one anew at every call."""

from __future__ import annotations

import json
from collections.abc import Callable
from json import encoder
from typing import Any

# CPython's own, written in C, which `json` makes anew for every value as well; another Python may have none.
_MADE_IN_C = getattr(encoder, "c_make_encoder", None)


def writer(
    *, sort_keys: bool = False, allow_nan: bool = True, compact: bool = True, ascii_only: bool = False
) -> Callable[[Any], str]:
    """A function that writes a value as `json.dumps` does, unknown objects as text.

    It does not look for a value that contains itself: what was read from a file never does.
    """
    items, keys = (",", ":") if compact else (", ", ": ")
    if _MADE_IN_C is None:
        return json.JSONEncoder(
            ensure_ascii=ascii_only, default=str, sort_keys=sort_keys, allow_nan=allow_nan, separators=(items, keys),
            check_circular=False,
        ).encode  # fmt: skip
    text = encoder.encode_basestring_ascii if ascii_only else encoder.encode_basestring
    pieces = _MADE_IN_C(None, str, text, None, keys, items, sort_keys, False, allow_nan)  # noqa: FBT003 - takes no names

    def written(value: Any) -> str:
        return "".join(pieces(value, 0))

    return written
