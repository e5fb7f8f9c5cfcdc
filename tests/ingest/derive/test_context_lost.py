"""Sets recorded more than once, catalogues of what is current, and runs that come in pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ingest.load import ingest
from tests.queries.context.written import Item, asked, context, parsed, store_of, write


def members(store: Path, step: str = "1") -> dict[str, tuple[str, ...]]:
    return {row.set_name: row.members for row in asked(store, "context_step_sets", run="r", step=step) if row.is_there}


def run(**columns: Any) -> dict[str, Any]:
    return {"record": "run", "run_id": "r", **columns}


def step(text: str, number: str = "1", **columns: Any) -> dict[str, Any]:
    sets: Mapping[str, Sequence[Item]] = parsed(text)
    return {**context(number, sets), **columns}


def test_a_set_recorded_twice_is_the_union_of_both(tmp_path: Path) -> None:
    store = store_of(tmp_path, [step("retrieved a"), step("retrieved b"), step("required a b")])
    assert members(store)["retrieved"] == ("a", "b")
    (row,) = asked(store, "context_stage")
    assert row.stage_no is None


def test_the_same_record_twice_changes_nothing(tmp_path: Path) -> None:
    once = step("required a b | retrieved a")
    assert [row.lost for row in asked(store_of(tmp_path, [once, once]), "context_stage")] == [1]


@pytest.mark.parametrize("in_order", [True, False], ids=["in order", "newest line first"])
def test_of_current_the_later_record_wins_for_each_item(tmp_path: Path, *, in_order: bool) -> None:
    records = [step("consumed a@3 b@1", seq=1), step("current a@3 b@1", seq=2), step("current a@5", seq=3)]
    store = store_of(tmp_path, records if in_order else records[::-1])
    assert members(store)["current"] == ("a@5", "b@1")
    assert [(row.item_id, row.current_revision) for row in asked(store, "context_diff", run="r")] == [("a", "5")]


def test_two_current_revisions_in_one_record_are_both_current(tmp_path: Path) -> None:
    assert asked(store_of(tmp_path, [step("consumed a@3 | current a@3 a@5")]), "context_diff", run="r") == []


def test_items_compared_by_id_alone_are_counted(tmp_path: Path) -> None:
    store = store_of(tmp_path, [step("consumed a b@1 c@1 | current a@5 b c@1")])
    (row,) = asked(store, "context_stage")
    assert (row.stage_no, row.compared_by_id) == (None, 2)


def test_records_of_one_step_in_two_files_are_one_step(tmp_path: Path) -> None:
    first, second = [run(), step("required a b", seq=1)], [step("retrieved a", seq=2)]
    whole = store_of(tmp_path, [*first, *second], "whole")
    for order in ((first, second), (second, first)):
        pieces = tmp_path / f"{id(order)}.duckdb"
        for number, records in enumerate(order):
            ingest([str(write(tmp_path / f"{number}.jsonl", records))], pieces)
        assert asked(pieces, "context_stage", run="r") == asked(whole, "context_stage", run="r")
        assert asked(pieces, "context_diff", run="r") == asked(whole, "context_diff", run="r")


def test_the_agent_of_a_step_is_that_of_its_span_where_the_record_names_none(tmp_path: Path) -> None:
    span = {"record": "span", "run_id": "r", "span_id": "s7", "step_index": 1, "agent": "Builder", "phase": "EXECUTE"}
    (row,) = asked(store_of(tmp_path, [span, step("retrieved a")]), "context_stage")
    assert (row.agent, row.phase) == ("Builder", "EXECUTE")


# ---------------------------------------------------------------------------------------------------------- catalogue

NOVEMBER, DECEMBER = "2026-11-10T00:00:00Z", "2026-12-10T00:00:00Z"
CATALOGUE = "item,revision,valid_from\na,4,2026-11-01T00:00:00Z\na,5,2026-12-01T00:00:00Z\nb,1,\n"


def with_catalogue(
    folder: Path, records: Sequence[Mapping[str, Any]], catalogue: str = CATALOGUE, **options: Any
) -> Path:
    store = store_of(folder, records)
    (folder / "catalogue.csv").write_text(catalogue, encoding="utf-8")
    report = ingest([str(folder / "catalogue.csv")], store, **options)
    assert (report.totals.rejected, report.totals.runs) == (0, 0)
    return store


# started_at, sets → the items that are lost at the fifth difference; None: it is not evaluable
TIMES = {
    "the revision of its time": (NOVEMBER, "consumed a@4", []),
    "a newer one from December on": (DECEMBER, "consumed a@4", [("a", "5")]),
    "undated entries hold at any time": (NOVEMBER, "consumed b@1", []),
    "an item that is in no catalogue has no authority": (NOVEMBER, "consumed b@1 chat", [("chat", None)]),
    "a step without a time and dated entries": (None, "consumed a@4", None),
    "a step without a time and undated entries only": (None, "consumed b@2", [("b", "1")]),
}


@pytest.mark.parametrize("case", TIMES)
def test_the_catalogue_says_what_was_current_at_the_steps_time(case: str, tmp_path: Path) -> None:
    started_at, sets, expected = TIMES[case]
    store = with_catalogue(tmp_path, [run(started_at=started_at), step(sets)])
    (row,) = asked(store, "context_stage")
    lost = [(item.item_id, item.current_revision) for item in asked(store, "context_diff", run="r")]
    assert (None if 5 in row.not_evaluable else lost) == expected


def test_before_the_whole_catalogue_nobody_knows_what_was_current(tmp_path: Path) -> None:
    store = with_catalogue(
        tmp_path,
        [run(started_at="2026-01-01T00:00:00Z"), step("consumed a@4")],
        "item,revision,valid_from\na,4,2026-11-01\n",
    )
    (row,) = asked(store, "context_stage")
    assert 5 in row.not_evaluable


def test_a_recorded_current_set_stands_before_the_catalogue(tmp_path: Path) -> None:
    store = with_catalogue(tmp_path, [run(started_at=DECEMBER), step("consumed a@4 | current a@4")])
    assert asked(store, "context_diff", run="r") == []


def test_current_from_the_catalogue_is_marked_derived(tmp_path: Path) -> None:
    store = with_catalogue(tmp_path, [run(started_at=DECEMBER), step("consumed a@4")])
    (row,) = [row for row in asked(store, "context_step_sets", run="r") if row.set_name == "current"]
    assert (row.basis, (row.rule or "").partition(":")[0], row.members) == ("derived", "catalogue", ("a@5",))


def test_a_catalogue_for_a_workload_says_nothing_of_another(tmp_path: Path) -> None:
    store = with_catalogue(tmp_path, [run(started_at=DECEMBER), step("consumed a@4")], workload="payments")
    (row,) = asked(store, "context_stage")
    assert 5 in row.not_evaluable


def test_the_catalogue_may_come_first_and_again(tmp_path: Path) -> None:
    (tmp_path / "catalogue.csv").write_text(CATALOGUE, encoding="utf-8")
    store = tmp_path / "first.duckdb"
    ingest([str(tmp_path / "catalogue.csv")], store)
    ingest([str(write(tmp_path / "run.jsonl", [run(started_at=DECEMBER), step("consumed a@4")]))], store)
    assert [row.current_revision for row in asked(store, "context_diff", run="r")] == ["5"]
    again = ingest([str(tmp_path / "catalogue.csv")], store)
    assert [file.status for file in again.files] == ["unchanged"]


def test_native_records_are_a_catalogue_too(tmp_path: Path) -> None:
    current: list[dict[str, Any]] = [
        {"record": "catalogue", "item_id": "a@4"},
        {"record": "catalogue", "item_id": "b", "revision": 1, "valid_from": NOVEMBER},
    ]
    store = store_of(tmp_path, [run(started_at=DECEMBER), step("consumed a@3 b@1"), *current])
    assert [(row.item_id, row.current_revision) for row in asked(store, "context_diff", run="r")] == [("a", "4")]
    assert [row.run_id for row in asked(store, "runs")] == ["faultlens:r"]
