"""What is written about alerts: refused where it says too little, kept where no ingest can reach it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ingest.load import ingest
from ingest.people import Acknowledgement, Refused, acknowledge, target_of
from ingest.store import open_store
from queries.escalation.acknowledgements import acknowledgements

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
GIVEN = Acknowledgement(
    workload="payments", state="LOW", severity="critical", band_low=0.12, band_high=0.35, author=" Ada ",
    note="raising the threshold", until=NOW + timedelta(days=14), is_risk_bearing=True,
)  # fmt: skip


def test_an_acknowledgement_is_kept_and_survives_an_ingest(tmp_path: Path) -> None:
    store = open_store(tmp_path / "s.duckdb")
    ack_id = acknowledge(store, GIVEN, now=NOW)
    (tmp_path / "run.jsonl").write_text('{"record": "run", "run_id": "r"}\n')
    ingest([str(tmp_path / "run.jsonl")], store)
    with store.lease() as lease:
        (row,) = acknowledgements(lease, workload="payments")
    assert (row.ack_id, row.author, row.note, row.until) == (ack_id, "Ada", GIVEN.note, GIVEN.until)
    assert (row.severity, row.band_low, row.band_high, row.created_at) == ("critical", 0.12, 0.35, NOW)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"author": "  "}, "needs a name"),
        ({"note": ""}, "needs a note"),
        ({"state": "OK"}, "no alert to acknowledge"),
        ({"until": NOW}, "in the past"),
        ({"until": None}, "cannot be silenced for ever"),
        ({"until": NOW + timedelta(days=15)}, "14 days at most"),
    ],
)
def test_what_cannot_be_kept_is_refused(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    store = open_store(tmp_path / "s.duckdb")
    with pytest.raises(Refused, match=said):
        acknowledge(store, replace(GIVEN, **changed), now=NOW)
    assert not list(tmp_path.glob("*.duckdb"))


@pytest.mark.parametrize("changed", [{"state": "HIGH"}, {"is_risk_bearing": False}])
def test_other_alerts_may_be_silenced_until_they_change(tmp_path: Path, changed: dict[str, Any]) -> None:
    assert acknowledge(open_store(tmp_path / "s.duckdb"), replace(GIVEN, until=None, **changed), now=NOW)


def test_an_address_is_kept_as_its_digest() -> None:
    assert "secret" not in target_of("https://hooks.example/secret")
    assert target_of("https://hooks.example/a") != target_of("https://hooks.example/b")
