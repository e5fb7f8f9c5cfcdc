"""Times as producers write them, read into aware UTC times with a flag for whatever had to be assumed."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NUMBER = re.compile(r"\s*[+-]?\d+(?:\.\d+)?\s*")
_FRACTION = re.compile(r"(?<=[.,]\d{6})\d+")
# The zero value of Go and .NET clocks: a time that was never set.
_NEVER_SET_YEAR = 1
# An epoch number says its unit by its size: seconds until the year 5138, then ms, µs, ns.
_UNITS = ((10**11, 1_000_000_000), (10**14, 1_000_000), (10**17, 1_000))


def utc_time(value: Any) -> tuple[datetime | None, tuple[str, ...]]:
    """The time in UTC and its flags: `naive_time` (zone assumed UTC), `bad_time`, `time_never_set`."""
    if value is None or value == "":
        return None, ()
    if isinstance(value, datetime):
        return _aware(value)
    if isinstance(value, bool):
        return None, ("bad_time",)
    if isinstance(value, int):
        return _from_epoch(value)
    if isinstance(value, float):
        return _from_epoch_float(value)
    return _from_text(str(value))


def _aware(value: datetime) -> tuple[datetime | None, tuple[str, ...]]:
    if value.year == _NEVER_SET_YEAR:
        return None, ("time_never_set",)
    if value.tzinfo is None:
        return value.replace(tzinfo=UTC), ("naive_time",)
    try:
        return value.astimezone(UTC), ()
    except OverflowError:
        return None, ("bad_time",)


def _from_epoch(number: int) -> tuple[datetime | None, tuple[str, ...]]:
    """Whole numbers stay whole: a nanosecond count never passes through a float."""
    nanoseconds = number * next((factor for bound, factor in _UNITS if abs(number) < bound), 1)
    try:
        return _EPOCH + timedelta(microseconds=nanoseconds // 1000), ()
    except OverflowError:
        return None, ("bad_time",)


def _from_epoch_float(number: float) -> tuple[datetime | None, tuple[str, ...]]:
    if number != number or abs(number) >= _UNITS[-1][0]:  # noqa: PLR0124 - NaN is the one that differs from itself
        return None, ("bad_time",)
    factor = next(factor for bound, factor in _UNITS if abs(number) < bound)
    try:
        return _EPOCH + timedelta(microseconds=round(number * factor / 1000)), ()
    except OverflowError:
        return None, ("bad_time",)


def _from_text(text: str) -> tuple[datetime | None, tuple[str, ...]]:
    if _NUMBER.fullmatch(text):
        return _from_epoch_float(float(text)) if "." in text else _from_epoch(int(text))
    try:
        return _aware(datetime.fromisoformat(_FRACTION.sub("", text.strip())))
    except ValueError:
        return None, ("bad_time",)
