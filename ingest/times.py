"""Times as producers write them, read into aware UTC times with a flag for whatever had to be assumed."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NUMBER = re.compile(r"\s*[+-]?\d+(?:\.\d+)?\s*")
_FRACTION = re.compile(r"(?<=[.,]\d{6})\d+")
# No time is longer; Python refuses to read a number of thousands of digits.
_LONGEST = 100
_USUAL = 40
# The zero value of Go and .NET clocks: a time that was never set.
_NEVER_SET_YEAR = 1
# An epoch number says its unit by its size: seconds until the year 5138, then ms, µs, ns.
_UNITS = ((10**11, 1_000_000_000), (10**14, 1_000_000), (10**17, 1_000))


def utc_time(value: Any) -> tuple[datetime | None, tuple[str, ...]]:
    """The time in UTC and its flags: `naive_time` (zone assumed UTC), `bad_time`, `time_never_set`."""
    if value is None or value == "":
        return None, ()
    if isinstance(value, str):
        return _from_text(value)
    return _from_number(value) if isinstance(value, int | float) else _from_object(value)


def _from_number(value: float) -> tuple[datetime | None, tuple[str, ...]]:
    if isinstance(value, bool):
        return None, ("bad_time",)
    return _from_epoch(value) if isinstance(value, int) else _from_epoch_float(value)


def _from_object(value: Any) -> tuple[datetime | None, tuple[str, ...]]:
    return _aware(value) if isinstance(value, datetime) else _from_text(str(value))


def _aware(value: datetime) -> tuple[datetime | None, tuple[str, ...]]:
    if value.year == _NEVER_SET_YEAR:
        return None, ("time_never_set",)
    if value.tzinfo is None:
        return value.replace(tzinfo=UTC), ("naive_time",)
    try:
        return value if value.tzinfo is UTC else value.astimezone(UTC), ()
    except OverflowError:
        return None, ("bad_time",)


def _from_epoch(number: int) -> tuple[datetime | None, tuple[str, ...]]:
    """Whole numbers stay whole: a nanosecond count never passes through a float."""
    size = abs(number)
    for bound, factor in _UNITS:
        if size < bound:
            return _after_epoch(number * factor // 1000)
    return _after_epoch(number // 1000)


def _after_epoch(microseconds: int) -> tuple[datetime | None, tuple[str, ...]]:
    try:
        return _aware(_EPOCH + timedelta(microseconds=microseconds))
    except OverflowError:
        return None, ("bad_time",)


def _from_epoch_float(number: float) -> tuple[datetime | None, tuple[str, ...]]:
    if number != number or abs(number) >= _UNITS[-1][0]:  # noqa: PLR0124 - NaN is the one that differs from itself
        return None, ("bad_time",)
    factor = next(factor for bound, factor in _UNITS if abs(number) < bound)
    return _after_epoch(round(number * factor / 1000))


def _from_text(text: str) -> tuple[datetime | None, tuple[str, ...]]:
    try:
        # As most producers write it: a date first, and no more digits than microseconds have.
        if text[4:5] == "-" and len(text) <= _USUAL and text.isupper() and not text[26:27].isdigit():
            return _aware(datetime.fromisoformat(text))
    except ValueError:
        pass
    return _from_any_text(text)


def _from_any_text(text: str) -> tuple[datetime | None, tuple[str, ...]]:
    if len(text) > _LONGEST:
        return None, ("bad_time",)
    if text[4:5] != "-" and _NUMBER.fullmatch(text):
        return _from_epoch_float(float(text)) if "." in text else _from_epoch(int(text))
    try:
        return _aware(datetime.fromisoformat(_FRACTION.sub("", text.strip().upper())))
    except ValueError:
        return None, ("bad_time",)
