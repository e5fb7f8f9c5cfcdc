"""A unit's records, or the reason why it has none: a value that no column takes refuses its record alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec

from pydantic import ValidationError

from ingest.adapter import Parsed, Place, Rejected
from ingest.records import Record

_P = ParamSpec("_P")
_RAW = 2_000


def parsed(
    place: Place, raw: Any, reader: Callable[_P, tuple[Record, ...]], *args: _P.args, **kwargs: _P.kwargs
) -> Parsed | Rejected:
    """What the reader makes of its arguments, as one unit; `raw` is the text of it, or a value to be written out."""
    try:
        return Parsed(place, reader(*args, **kwargs))
    except ValidationError as error:
        return Rejected(place, "invalid_field", _first_fault(error), _shown(raw))
    except RecursionError:
        return Rejected(place, "too_deep", "the value is nested deeper than can be read", _shown(raw))


def _shown(raw: Any) -> str:
    return (raw if isinstance(raw, str) else str(raw))[:_RAW]


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return f"`{'.'.join(str(part) for part in fault['loc'])}`: {fault['msg']}"
