"""faultlens.toml: what it says holds, and a mistake in it is named by its key."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from ingest.store.configuration import BadConfiguration, Configuration, configuration, duration
from tests.cli.test_ingest import CONFIGURATION

CONTRACT = """
store = "faultlens.duckdb"
[bands.default]
low = 0.08
high = 0.30
window = "7d"
min_finished = 20
[bands.payments]
low = 0.12
high = 0.35
risk_bearing = true
reviewed_by = "reliability"
reason = "refunds above 500 need a person"
[required.payments]
"*" = ["refund-policy", "limits-2026"]
[retry]
per_failure = 3
per_run = 10
[signatures]
resolved_after = "14d"
"""


def read(folder: Path, text: str) -> Configuration:
    path = folder / "faultlens.toml"
    path.write_text(text, encoding="utf-8")
    return configuration(path)


def test_the_example_of_the_contract(tmp_path: Path) -> None:
    found = read(tmp_path, CONTRACT)
    payments, other = found.band("payments"), found.band("support")
    assert (payments.low, payments.high, payments.risk_bearing, payments.window, payments.min_finished) == (
        0.12,
        0.35,
        True,
        "7d",
        20,
    )
    assert (other.low, other.high, other.risk_bearing, other.reviewed_by) == (0.08, 0.30, False, None)
    assert found.required == {"payments": {"*": ["refund-policy", "limits-2026"]}}


def test_without_a_file_the_defaults_of_the_contract_hold(tmp_path: Path) -> None:
    found = configuration(tmp_path / "faultlens.toml")
    assert (found.store, found.band("any").low, found.band("any").high) == ("faultlens.duckdb", 0.08, 0.30)
    assert (found.retry.per_failure, found.retry.per_run, found.signatures.resolved_after) == (3, 10, "14d")


def test_a_workload_says_what_differs_and_is_not_reviewed_by_inheritance(tmp_path: Path) -> None:
    found = read(
        tmp_path, '[bands.default]\nlow = 0.1\nwindow = "200 attempts"\nreviewed_by = "ada"\n[bands.w]\nhigh = 0.5\n'
    )
    band = found.band("w")
    assert (band.low, band.high, band.window, band.reviewed_by) == (0.1, 0.5, "200 attempts", None)


@pytest.mark.parametrize(("text", "key"), CONFIGURATION)
def test_a_mistake_is_named_by_its_key(tmp_path: Path, text: str, key: str) -> None:
    with pytest.raises(BadConfiguration) as refusal:
        read(tmp_path, text)
    assert key in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert refusal.value.exit_code == 2


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "faultlens.toml"
    path.write_bytes(b'store = "caf\xe9"\n')
    with pytest.raises(BadConfiguration, match=r"faultlens\.toml"):
        configuration(path)


@pytest.mark.parametrize(("text", "days"), [("7d", 7), ("2w", 14), ("48h", 2), ("1440m", 1), (" 3 d ", 3)])
def test_durations(text: str, days: int) -> None:
    assert duration(text) == timedelta(days=days)


@pytest.mark.parametrize("text", ["", "7", "d", "-1d", "0d", "1.5d", "7 days", "7y", "7d7d"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="no duration"):
        duration(text)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('[bands.w]\nwindow = "99999999999999d"', "bands.w.window"),
        ('[bands.w]\nwindow = "200000000d"', "bands.w.window"),
        ('[bands.w]\nwindow = "99999999999999999999 attempts"', "bands.w.window"),
        ("[bands.w]\nmin_finished = 99999999999999999999", "bands.w.min_finished"),
        ("[retry]\nper_run = 99999999999999999999", "retry.per_run"),
        ('[signatures]\nresolved_after = "5000w"', None),
        ('[signatures]\nresolved_after = "6000w"', "signatures.resolved_after"),
    ],
)
def test_what_no_store_can_count_is_refused_with_its_key(tmp_path: Path, text: str, key: str | None) -> None:
    path = tmp_path / "faultlens.toml"
    path.write_text(text)
    if key is None:
        assert configuration(path).signatures.resolved_after == "5000w"
        return
    with pytest.raises(BadConfiguration, match=key):
        configuration(path)
