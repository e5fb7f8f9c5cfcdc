"""A workspace is made while something else is done, and kept for the next ingest."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import workspace
from ingest.load import ingest
from ingest.store import StoreUnusable
from ingest.workspace import Workspace, _Kept

SAMPLES = Path(__file__).parents[2] / "sample_traces"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Workspace]:
    """Every workspace that is made, in order."""
    found: list[Workspace] = []

    class Noted(Workspace):
        def __init__(self) -> None:
            super().__init__()
            found.append(self)

    monkeypatch.setattr(workspace, "Workspace", Noted)
    return found


def test_the_one_that_was_made_ahead_is_taken_and_no_other_is_made(made: list[Workspace]) -> None:
    kept = _Kept()
    kept.make_ahead()
    kept.make_ahead()
    taken = kept.take()
    assert made == [taken]
    assert taken.con.execute("SELECT count(*) FROM spans").fetchall() == [(0,)]
    kept.keep(taken)
    kept.make_ahead()
    assert kept.take() is taken
    assert kept.take() is made[1]


def test_why_none_can_be_made_is_said_to_whoever_takes_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> Workspace:
        raise StoreUnusable("no room")

    monkeypatch.setattr(workspace, "Workspace", fails)
    kept = _Kept()
    kept.make_ahead()
    with pytest.raises(StoreUnusable, match="no room"):
        kept.take()


def test_what_the_store_has_is_left_alone_without_any_table_being_made(
    made: list[Workspace], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = _Kept(), _Kept()
    monkeypatch.setattr(workspace, "_kept_by", lambda _pid: first)
    source = next(SAMPLES.glob("*/tool_call_conversation.jsonl"))
    store = tmp_path / "store.duckdb"
    ingest([str(source)], store)
    assert len(made) == 1
    monkeypatch.setattr(workspace, "_kept_by", lambda _pid: second)
    again = ingest([str(source), str(tmp_path / "absent")], store)
    assert [(file.status, file.reason) for file in again.files] == [("unchanged", None), ("refused", "not_found")]
    assert len(made) == 1
