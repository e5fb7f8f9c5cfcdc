"""What people write: refused where it contradicts itself, kept for good, and lost by no ingest and no second writer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ingest.derive.prevention import LAYERS, is_null_prevention, layer_of
from ingest.reviews import Review, ReviewRefused, faults_of, notes_on, stored, write
from ingest.store import AnyStore, open_store
from queries.origins.origins import origins
from queries.origins.reviews import reviews
from tests import store_kind
from tests.ingest.loaded import line, load_bytes, loaded

FAILED = line("run", status="failed") + line(
    "error_event", event_id="e", type="x", observed_at="VERIFY / step 3", originated_at="PLAN / step 1"
)
ROOT = Path(__file__).parents[2]


def review(kind: str = "diagnosis", **body: Any) -> Review:
    said = {"verdict": "overridden", **body} if kind == "diagnosis" else body
    return Review("faultlens:r", kind, "Mara", said, event_id="e")


@pytest.mark.parametrize(
    ("prevention", "layer", "null"),
    [
        ("be more careful", None, True),
        ("Be more careful with limits", "gate", True),
        ("pay closer attention", "tool contract", True),
        ("add this to the prompt", None, True),
        ("add a sentence about limits to the system prompt", "instruction file", True),
        ("remind the agent of the limit", "routing", True),
        ("improve the prompt", "routing", True),
        ("double-check the total", "gate", True),
        ("do it right next time", None, True),
        ("do it right next time", "somewhere", True),
        ("refuse the task without a limit", "gate", False),
        ("refuse the task without a limit", "Gate ", False),
        ("a gate refuses the task without a limit", None, False),
        ("rebuild the index on every release", None, False),
        ("expire after a year", "freshness typing", False),
        ("the tool contract requires a currency", None, False),
        ("send refunds to a person", "routing", False),
        ("", "gate", False),
        (None, None, False),
        (None, "gate", False),
        ("investigate why", None, True),
    ],
)
def test_a_prevention_that_names_no_layer_or_only_asks_for_care_is_null(
    tmp_path: Path, prevention: str | None, layer: str | None, *, null: bool
) -> None:
    assert is_null_prevention(prevention, layer) is null
    # The same rule at both doors: in records and at entry.
    record = line("diagnosis", event_id="e", prevention=prevention, prevention_layer=layer)
    found = load_bytes(tmp_path, FAILED + record).one(
        "SELECT flags FROM diagnoses WHERE for_event = 'e' AND originated_at IS NULL"
    )
    assert ("null_prevention" in (found["flags"] or [])) is null
    assert (
        bool(
            [
                note
                for note in notes_on({"prevention": prevention, "prevention_layer": layer})
                if "prevents nothing" in note
            ]
        )
        is null
    )


def test_every_layer_is_known_by_its_name() -> None:
    assert [layer_of(layer.upper()) for layer in LAYERS] == list(LAYERS)
    assert layer_of("the prompt") is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (review(trigger="The index moved", root_cause="the index  MOVED "), "not the root cause"),
        (review(fix_at="nowhere"), "fix at"),
        (review(prevention_layer="prompt"), "prevention layer"),
        (review(context_failure_class="bad luck"), "context failure class"),
        (review(status="maybe"), "status"),
        (review(verdict="perhaps"), "confirmed or overridden"),
        (review(mood="bad"), "'mood'"),
        (review(root_cause="x" * 5001), "5,000"),
        (Review("faultlens:r", "diagnosis", "  ", {"verdict": "confirmed"}), "author"),
        (Review("", "diagnosis", "Mara", {"verdict": "confirmed"}), "run_id"),
        (review("gossip", comment="x"), "no kind"),
        (review("comment", comment="  "), "empty comment"),
        (review("resolution", resolved="yes"), "whether it is resolved"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_is_written(tmp_path: Path, given: Review, said: str) -> None:
    assert any(said in fault.message for fault in faults_of(given))
    with pytest.raises(ReviewRefused, match=said):
        write(open_store(tmp_path / "s.duckdb"), [review("comment", comment="fine"), given])
    assert not list(tmp_path.glob("*.duckdb"))


def test_a_null_prevention_is_kept_and_flagged(tmp_path: Path) -> None:
    store = load_and_open(tmp_path)
    write(store, [review(prevention="be more careful", prevention_layer="gate")])
    with store.lease() as lease:
        assert [row.prevention_null for row in origins(lease)] == [True]
        assert [row.prevention_null for row in reviews(lease)] == [True]


def load_and_open(folder: Path) -> AnyStore:
    load_bytes(folder, FAILED)
    return open_store(folder / "store.duckdb")


def test_history_is_kept_and_the_newest_of_a_line_stands(tmp_path: Path) -> None:
    store = load_and_open(tmp_path)
    (first,) = write(store, [review(originated_at="PREPARE / index")])
    second = Review(
        first.run_id,
        "diagnosis",
        "Tom",
        {"verdict": "overridden", "originated_at": "EXECUTE"},
        event_id="e",
        supersedes=first.review_id,
    )
    write(store, [second, review("comment", comment="see June"), review("resolution", resolved=True)])
    assert [said.author for said in stored(store, "faultlens:r", "e")] == ["Mara", "Tom", "Mara", "Mara"]
    with store.lease() as lease:
        (row,) = origins(lease)
        assert (row.originated_at, row.author, row.standing_reviews, row.resolved, row.status) == (
            "EXECUTE",
            "Tom",
            1,
            True,
            "closed",
        )
        assert row.recorded_originated_at == "PLAN / step 1"
        state = {said.review_id: said.superseded for said in reviews(lease)}
    assert state[first.review_id] is True
    assert sum(state.values()) == 1


def test_two_reviews_of_the_same_moment_both_stand_until_one_settles_it(tmp_path: Path) -> None:
    store = load_and_open(tmp_path)
    (first,) = write(store, [review(originated_at="PREPARE")])
    body = {"verdict": "overridden", "originated_at": "EXECUTE"}
    two = [
        Review("faultlens:r", "diagnosis", who, body, event_id="e", supersedes=first.review_id) for who in ("A", "B")
    ]
    one, other = write(store, two)
    with store.lease() as lease:
        (row,) = origins(lease)
    assert (row.standing_reviews, row.author) == (2, "B")
    settled = {"verdict": "confirmed", "settles": [one.review_id]}
    write(store, [Review("faultlens:r", "diagnosis", "C", settled, event_id="e", supersedes=other.review_id)])
    with store.lease() as lease:
        (row,) = origins(lease)
        assert (row.standing_reviews, row.author, row.basis) == (1, "C", "reviewed")
        assert len(reviews(lease)) == 4


def test_a_review_is_there_in_another_session_and_after_the_same_file_comes_again(tmp_path: Path) -> None:
    store = load_and_open(tmp_path)
    write(store, [review(originated_at="PREPARE / index")])
    again = loaded(tmp_path / "store.duckdb", tmp_path / "trace.jsonl")
    assert again.file.status == "unchanged"
    changed = tmp_path / "changed.jsonl"
    changed.write_bytes(FAILED.replace(b"PLAN / step 1", b"VERIFY / step 3") + line("span", span_id="s"))
    loaded(tmp_path / "store.duckdb", changed)
    with open_store(tmp_path / "store.duckdb").lease() as lease:
        (row,) = origins(lease)
        assert (row.basis, row.originated_at, row.author) == ("reviewed", "PREPARE / index", "Mara")
    command = [sys.executable, "-m", "dashboard.cli", "query", "reviews", "--format", "json", "--store"]
    exported = subprocess.run(
        [*command, store_kind.named(tmp_path / "store.duckdb")], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert '"originated_at": "PREPARE / index"' in exported.stdout
    assert '"recorded_originated_at"' in exported.stdout


def test_what_is_written_twice_is_there_once(tmp_path: Path) -> None:
    store = load_and_open(tmp_path)
    said = review("comment", comment="once")
    assert len(write(store, [said])) == 1
    assert write(store, [said]) == []
    assert len(stored(store, "faultlens:r")) == 1


def test_secrets_that_people_paste_are_masked(tmp_path: Path) -> None:
    store = load_and_open(tmp_path)
    write(store, [review("comment", comment="it used sk-proj-abcdefghijklmnopqrstuvwxyz0123456789")])
    assert "abcdefghijkl" not in str(stored(store, "faultlens:r")[0].body)


def test_two_people_at_once_lose_nothing(tmp_path: Path) -> None:
    store = load_and_open(tmp_path)
    command = [sys.executable, "-m", "tests.ingest.reviewer", store_kind.named(tmp_path / "store.duckdb")]
    running = [
        subprocess.Popen([*command, name, "8"], cwd=ROOT, stdout=subprocess.PIPE, text=True) for name in ("Ann", "Ben")
    ]
    assert [process.communicate(timeout=120)[0].strip() for process in running] == ["done", "done"]
    kept = stored(store, "faultlens:r", "e")
    wanted = {f"PLAN / {name} {number}" for name in ("Ann", "Ben") for number in range(8)}
    assert {said.body["originated_at"] for said in kept} == wanted
    assert len({said.created_at for said in kept}) == 16, "one order for all writers"
