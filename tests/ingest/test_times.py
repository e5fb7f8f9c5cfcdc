"""Times as producers write them: one instant in UTC, and a flag for whatever had to be assumed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from ingest.times import utc_time

NOON = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
SECONDS = 1_796_040_000  # 2026-11-30T12:00:00Z
CASES: list[tuple[str, Any, datetime | None, tuple[str, ...]]] = [
    ("Z", "2026-11-30T12:00:00Z", NOON, ()),
    ("lower-case z", "2026-11-30T12:00:00z", NOON, ()),
    ("an offset", "2026-11-30T17:30:00+05:30", NOON, ()),
    ("an offset without colon", "2026-11-30T07:00:00-0500", NOON, ()),
    ("a space for the T", "2026-11-30 12:00:00+00:00", NOON, ()),
    ("space around it", "  2026-11-30T12:00:00Z ", NOON, ()),
    ("microseconds", "2026-11-30T12:00:00.000001Z", NOON + timedelta(microseconds=1), ()),
    ("nanoseconds are cut", "2026-11-30T12:00:00.123456789Z", NOON + timedelta(microseconds=123456), ()),
    ("milliseconds", "2026-11-30T12:00:00.5Z", NOON + timedelta(milliseconds=500), ()),
    ("no zone", "2026-11-30T12:00:00", NOON, ("naive_time",)),
    ("a date alone", "2026-11-30", NOON.replace(hour=0), ("naive_time",)),
    ("seconds", SECONDS, NOON, ()),
    ("milliseconds since 1970", SECONDS * 10**3 + 5, NOON + timedelta(milliseconds=5), ()),
    ("microseconds since 1970", SECONDS * 10**6 + 5, NOON + timedelta(microseconds=5), ()),
    ("nanoseconds since 1970", SECONDS * 10**9 + 5_000, NOON + timedelta(microseconds=5), ()),
    ("nanoseconds as text", str(SECONDS * 10**9 + 5_000), NOON + timedelta(microseconds=5), ()),
    ("seconds with a fraction", SECONDS + 0.25, NOON + timedelta(milliseconds=250), ()),
    ("seconds with a fraction as text", f"{SECONDS}.25", NOON + timedelta(milliseconds=250), ()),
    ("zero", 0, datetime(1970, 1, 1, tzinfo=UTC), ()),
    ("before 1970", -1, datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), ()),
    ("the year 1", "0001-01-01T00:00:00Z", None, ("time_never_set",)),
    ("the year 1 with an offset", "0001-01-01T00:00:00+02:00", None, ("time_never_set",)),
    ("the year 1 as seconds", -62_135_596_800, None, ("time_never_set",)),
    ("absent", None, None, ()),
    ("empty", "", None, ()),
    ("prose", "yesterday", None, ("bad_time",)),
    ("the 30th of February", "2026-02-30T00:00:00Z", None, ("bad_time",)),
    ("true", True, None, ("bad_time",)),
    ("a list", [2026], None, ("bad_time",)),
    ("an object", {"seconds": 1}, None, ("bad_time",)),
    ("infinite", float("inf"), None, ("bad_time",)),
    ("not a number", float("nan"), None, ("bad_time",)),
    ("a number beyond all calendars", 10**30, None, ("bad_time",)),
    ("a text of 5,000 digits", "9" * 5000, None, ("bad_time",)),
    ("the last day behind an offset", "9999-12-31T23:59:59-05:00", None, ("bad_time",)),
    ("an aware datetime", NOON.astimezone(timezone(timedelta(hours=-8))), NOON, ()),
    ("a naive datetime", NOON.replace(tzinfo=None), NOON, ("naive_time",)),
]


@pytest.mark.parametrize(("value", "time", "flags"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_one_instant_and_its_flags(value: Any, time: datetime | None, flags: tuple[str, ...]) -> None:
    assert utc_time(value) == (time, flags)


def test_a_nanosecond_count_never_passes_through_a_float() -> None:
    time, _ = utc_time(1_706_678_909_209_712_001)
    assert time == datetime(2024, 1, 31, 5, 28, 29, 209712, tzinfo=UTC)
