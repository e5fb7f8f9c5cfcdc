"""Required items that faultlens.toml declares: configuration, so a change of the file changes the answer at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.queries.context.written import asked, context, parsed, store_of


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    runs: list[dict[str, Any]] = [
        {"record": "run", "run_id": "r", "workload": "payments"},
        {"record": "run", "run_id": "other", "workload": "support"},
    ]
    sets = parsed("retrieved a b | eligible a | composed a")
    steps = [context(step, sets, run) for run in ("r", "other") for step in ("1", "2")]
    said = context("3", parsed("required b | retrieved a b | eligible a b | composed a"))
    return store_of(tmp_path, [*runs, *steps, said])


def verdicts(store: Path, run: str = "r") -> dict[str, tuple[int | None, int | None, bool, str | None]]:
    rows = asked(store, "context_stage", run=run)
    return {row.step_id: (row.stage_no, row.lost, row.proven, row.required_basis) for row in rows}


def declare(text: str) -> None:
    Path("faultlens.toml").write_text(text, encoding="utf-8")


PLAIN = (2, 1, False, None)
RECORDED = (3, 1, True, "recorded")


def test_without_the_file_nothing_is_required(store: Path) -> None:
    assert verdicts(store) == {"1": PLAIN, "2": PLAIN, "3": RECORDED}


def test_a_star_holds_for_every_step_of_the_workload_that_does_not_say_itself(store: Path) -> None:
    declare('[required.payments]\n"*" = ["a", "c"]\n')
    derived = (1, 1, True, "derived")
    assert verdicts(store) == {"1": derived, "2": derived, "3": RECORDED}
    assert set(verdicts(store, "other").values()) == {PLAIN}


def test_a_change_of_the_file_changes_the_answer(store: Path) -> None:
    declare('[required.payments]\n"*" = ["a"]\n')
    assert verdicts(store)["1"] == (None, 0, False, "derived")
    declare('[required.payments]\n"*" = ["b", "z"]\n# longer, so that the file differs\n')
    assert verdicts(store)["1"] == (1, 1, True, "derived")
    Path("faultlens.toml").unlink()
    assert verdicts(store)["1"] == PLAIN


def test_the_list_of_a_step_stands_before_that_of_all_steps(store: Path) -> None:
    declare('[required.payments]\n"*" = ["z"]\n"2" = ["b"]\n')
    assert (verdicts(store)["1"][0], verdicts(store)["2"][0]) == (1, 2)


def test_an_empty_list_says_that_the_step_needs_nothing(store: Path) -> None:
    declare('[required.payments]\n"*" = ["z"]\n"2" = []\n')
    assert verdicts(store)["2"] == (None, 0, False, "derived")
    (row,) = asked(store, "context_stage", run="r", step="2")
    assert row.lost_background == 1


def test_the_answer_says_by_which_rule(store: Path) -> None:
    declare('[required.payments]\n"*" = ["z"]\n')
    rows = {row.step_id: row.required_rule for row in asked(store, "context_stage", run="r")}
    assert rows["3"] is None
    assert rows["1"].startswith("faultlens.toml")
    (required,) = [row for row in asked(store, "context_step_sets", run="r", step="1") if row.set_name == "required"]
    assert (required.basis, required.members) == ("derived", ("z",))


def test_every_query_follows_the_file(store: Path) -> None:
    declare('[required.payments]\n"*" = ["z"]\n')
    assert [row.item_id for row in asked(store, "context_lost_items", workload="payments", stage=1)] == ["z"]
    shares = asked(store, "context_stage_shares", workload="payments")
    assert [(row.found, row.steps) for row in shares if row.dimension == "all" and row.stage_no == 1] == [(2, 3)]
    (item,) = asked(store, "context_lost_items", workload="payments", stage=1)
    assert (item.lost, item.steps) == (2, 2)


def test_hostile_names_are_only_names(store: Path) -> None:
    declare("""[required."x'; DROP TABLE runs; --"]\n"*" = ["'); DROP"]\n[required.payments]\n"*" = ["it's", "b"]\n""")
    assert verdicts(store)["1"] == (1, 1, True, "derived")
