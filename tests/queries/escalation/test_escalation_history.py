"""Alerts with memory: a table of cases, the SQL against the machine that walks, and bands that change."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ingest.people import note_bands
from ingest.store import Lease, open_store
from queries.escalation.bands import unrecorded
from queries.escalation.escalation_history import EscalationHistoryRow, escalation_history
from tests.queries.attempts import Store, chances
from tests.queries.escalation.oracle import Band, Window, alerts, sliding

Leased = Callable[[Store], Lease]
FIRST = datetime(2026, 11, 1, 12, tzinfo=UTC)
# A day's window alone, so that a case can say what every evaluation sees.
ONE_DAY = json.dumps({"default": {"window": "1d"}})

OK, LOW, SUSPECTED_LOW, HIGH, SUSPECTED_HIGH = (15, 100), (0, 100), (1, 25), (80, 100), (8, 25)
AT_EDGE, JUST_INSIDE, FEW, NONE = (2, 25), (9, 100), (0, 3), (0, 0)

CASES = [
    ("confirmed enters at once", [OK, LOW], ["OK", "LOW"]),
    ("suspected does not enter on six days", [SUSPECTED_LOW] * 6 + [OK], ["OK"] * 7),
    ("suspected enters on the seventh day", [SUSPECTED_LOW] * 7, ["OK"] * 6 + ["LOW"]),
    ("the seven days are running", [SUSPECTED_LOW] * 4 + [OK] + [SUSPECTED_LOW] * 6, ["OK"] * 11),
    ("the seven days are on one side", [SUSPECTED_LOW] * 4 + [SUSPECTED_HIGH] * 4, ["OK"] * 8),
    ("too few data break the seven days", [SUSPECTED_LOW] * 4 + [FEW] + [SUSPECTED_LOW] * 3, ["OK"] * 8),
    ("one day well inside does not clear", [LOW, OK, SUSPECTED_LOW], ["LOW"] * 3),
    ("two days well inside clear", [LOW, OK, OK], ["LOW", "LOW", "OK"]),
    ("inside by less than two points does not clear", [LOW, JUST_INSIDE, JUST_INSIDE, AT_EDGE], ["LOW"] * 4),
    ("two points inside is enough", [LOW, (10, 100), (28, 100)], ["LOW", "LOW", "OK"]),
    ("too few data do not clear", [LOW, FEW, FEW, FEW, FEW], ["LOW"] * 5),
    ("no data do not clear", [LOW, NONE, NONE, NONE], ["LOW"] * 4),
    ("no data in between break the two days", [LOW, OK, NONE, OK, OK], ["LOW", "LOW", "LOW", "LOW", "OK"]),
    ("too few data do not enter", [FEW] * 9, ["OK"] * 9),
    ("an edge may flip", [LOW, HIGH], ["LOW", "HIGH"]),
    ("and come back", [HIGH, SUSPECTED_HIGH, OK, OK, HIGH], ["HIGH", "HIGH", "HIGH", "OK", "HIGH"]),
]


def daily(lease: Lease, **parameters: object) -> dict[str, list[EscalationHistoryRow]]:
    found: dict[str, list[EscalationHistoryRow]] = {}
    for row in escalation_history(lease, daily=True, **parameters):  # type: ignore[arg-type]
        found.setdefault(row.workload, []).append(row)
    return found


@pytest.mark.parametrize(("case", "days", "wanted"), CASES, ids=[case for case, _, _ in CASES])
def test_the_machine_walks(case: str, days: list[tuple[int, int]], wanted: list[str]) -> None:
    assert alerts([Window(*day) for day in days], Band()) == wanted, case


def test_the_query_agrees_with_the_table(leased: Leased) -> None:
    store = Store()
    for case, days, _ in CASES:
        store.days(case, days, FIRST)
    # Something happens on the last day, so that the days without data before it are looked at.
    store.run("clock", at=FIRST + timedelta(days=12))
    found = daily(leased(store), bands=ONE_DAY)
    for case, days, wanted in CASES:
        # A day long after the last attempt is no evaluation: nothing can change there.
        seen = {(row.day - FIRST.date()).days: row.to_state for row in found[case]}
        assert [seen.get(day, wanted[day]) for day in range(len(days))] == wanted, case


def test_changes_are_the_days_on_which_the_alert_changed(leased: Leased) -> None:
    store = Store()
    store.days("w", [OK, LOW, OK, OK, HIGH], FIRST)
    rows = escalation_history(leased(store), bands=ONE_DAY).rows
    assert [(row.day.day, row.from_state, row.to_state) for row in rows] == [
        (2, "OK", "LOW"), (4, "LOW", "OK"), (5, "OK", "HIGH"),
    ]  # fmt: skip
    assert [row.at.hour for row in rows] == [0, 0, 12], "the open day is looked at as far as it went"
    assert rows[0].reason == "confirmed: the 95 % interval lies under the band"
    assert rows[1].reason == "two daily evaluations running well inside both edges"


@pytest.mark.parametrize("window", ["7d", "3d", "36h"])
@pytest.mark.parametrize("band", [Band(), Band(0.12, 0.35, 10), Band(0.0, 0.2), Band(0.10, 0.13)])
def test_the_query_walks_like_the_machine(leased: Leased, window: str, band: Band) -> None:
    rng = chances(f"{window} {band}")
    store = Store()
    counts = {}
    for number in range(12):
        rate, length = rng.choice([0.02, 0.06, 0.1, 0.15, 0.3, 0.4]), rng.randint(5, 45)
        per_day = [rng.choice([0, 3, 20, 40]) for _ in range(length)]
        per_day[0] = per_day[-1] = 20
        counts[f"w{number}"] = [(sum(rng.random() < rate for _ in range(n)), n) for n in per_day]
        store.days(f"w{number}", counts[f"w{number}"], FIRST)
    bands = json.dumps(
        {"default": {"low": band.low, "high": band.high, "min_finished": band.min_finished, "window": window}}
    )
    found = daily(leased(store), bands=bands)
    hours = int(window[:-1]) * (24 if window.endswith("d") else 1)
    # Attempts are at noon: a window of 36 hours that ends at midnight holds this noon and the one before.
    full = (hours + 12) // 24
    for workload, days in counts.items():
        padded = [Window(0, 0)] * (full - 1) + [Window(*day) for day in days]
        wanted = alerts(sliding(padded, full), band)
        # The last day of the longest workload is open: its window ends at noon and begins at noon.
        rows = {(row.day - FIRST.date()).days: row.to_state for row in found[workload]}
        assert [rows.get(day) for day in range(len(days) - 1)] == wanted[:-1], workload


def test_a_window_of_attempts_is_replayed_too(leased: Leased) -> None:
    rng = chances(3)
    store = Store()
    counts = [(sum(rng.random() < (0.15 if day < 20 else 0.02) for _ in range(15)), 15) for day in range(40)]
    store.days("w", counts, FIRST)
    found = daily(leased(store), bands='{"w": {"window": "105 attempts"}}')["w"]
    wanted = alerts(sliding([Window(0, 0)] * 6 + [Window(*day) for day in counts], 7), Band())
    assert [row.to_state for row in found[:40]] == wanted
    assert "LOW" in wanted


@pytest.mark.parametrize("window", ["7d", "110 attempts"])
def test_the_replay_does_not_depend_on_the_order_of_records(leased: Leased, window: str) -> None:
    rng = chances(5)
    store = Store()
    store.days("w", [(rng.randint(0, 8), 25) for _ in range(30)], FIRST)
    bands = json.dumps({"w": {"window": window}})
    before = escalation_history(leased(store), daily=True, bands=bands).rows
    for rows in (store.runs, store.attempts):
        rng.shuffle(rows)
    assert escalation_history(leased(store), daily=True, bands=bands).rows == before


def test_since_cuts_what_is_shown_and_not_what_is_replayed(leased: Leased) -> None:
    store = Store()
    store.days("w", [LOW, LOW, LOW, OK, OK], FIRST)
    lease = leased(store)
    late = escalation_history(lease, bands=ONE_DAY, since=FIRST + timedelta(days=3))
    assert [(row.from_state, row.to_state) for row in late] == [("LOW", "OK")]


def test_another_band_would_have_alerted_otherwise(leased: Leased) -> None:
    store = Store()
    store.days("w", [(20, 100)] * 5, FIRST)
    lease = leased(store)
    assert escalation_history(lease).rows == ()
    assert [row.to_state for row in escalation_history(lease, bands='{"w": {"low": 0.3, "high": 0.5}}')] == ["LOW"]


def test_a_change_of_band_is_an_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def write_band(low: float) -> None:
        (tmp_path / "faultlens.toml").write_text(f"[bands.w]\nlow = {low}\nhigh = 0.9\nwindow = '1d'\n")

    store = Store()
    store.days("w", [(20, 100)] * 4, FIRST)
    write_band(0.1)
    opened = open_store(store.write(tmp_path / "s.duckdb"))
    with opened.lease() as lease:
        note_bands(opened, unrecorded(lease, ["w"]))
    with opened.lease() as lease:
        assert unrecorded(lease, ["w"]) == []
        assert escalation_history(lease).rows == ()
    write_band(0.4)
    (tmp_path / "faultlens.toml").touch()
    with opened.lease() as lease:
        noticed = escalation_history(lease).rows
        (new,) = unrecorded(lease, ["w"])
        note_bands(opened, [new])
    with opened.lease() as lease:
        remembered = escalation_history(lease).rows
    assert noticed == remembered
    assert [(row.from_state, row.to_state, row.day.day) for row in noticed] == [("OK", "OK", 4), ("OK", "LOW", 4)]
    assert noticed[0].reason == "band changed from 10.0–90.0 % to 40.0–90.0 %"


def test_a_change_of_band_on_the_first_day_is_an_entry_too(leased: Leased) -> None:
    store = Store()
    store.days("w", [(0, 100)], FIRST)
    band = {"workload": "w", "high": 0.5, "window": "1d"}
    bands = [{**band, "low": 0.08}, {**band, "low": 0.0, "since": FIRST.isoformat()}]
    (entry,) = escalation_history(leased(store), bands=json.dumps(bands)).rows
    assert (entry.from_state, entry.to_state) == ("OK", "OK")
    assert entry.reason == "band changed from 8.0–50.0 % to 0.0–50.0 %"


def test_what_is_asked_for_twice_is_the_same(leased: Leased) -> None:
    store = Store()
    store.days("w", [LOW, OK, OK], FIRST)
    lease = leased(store)
    first = escalation_history(lease, bands=ONE_DAY)
    assert escalation_history(lease, bands=str(first.parameters["bands"])).rows == first.rows
