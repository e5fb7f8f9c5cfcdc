"""The stage at which a step lost its context: cases by hand, then properties against an oracle in plain Python."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.queries.context.oracle import SIDES, Item, Verdict, verdict
from tests.queries.context.written import asked, context, parsed, store_of

# sets → stage, literal stage, lost, background, proven, not evaluable. Read from the definition, by hand.
CASES = {
    "contract example": (
        (
            "required adr-7 spec-2 | retrieved adr-7@3 spec-2@1 faq | eligible adr-7@3 spec-2@1 | composed adr-7@3"
            " | consumed adr-7@3 | current adr-7@5 spec-2@1"
        ),
        (3, 2, 1, 0, True, ()),
    ),
    "nothing lost": (
        "required a | retrieved a | eligible a | composed a | consumed a | current a",
        (None, None, 0, 0, True, ()),
    ),
    "nothing lost, with revisions": (
        "required a | retrieved a@3 | eligible a@3 | composed a@3 | consumed a@3 | current a@3",
        (None, None, 0, 0, True, ()),
    ),
    "1 retrieval omission": (
        "required a b | retrieved a | eligible a | composed a | consumed a | current a",
        (1, 1, 1, 0, True, ()),
    ),
    "1 with revisions: only ids are compared": (
        "required a@9 b@1 | retrieved a@1 | eligible a@1 | composed a@1 | consumed a@1 | current a@1",
        (1, 1, 1, 0, True, ()),
    ),
    "1 everything, because retrieved is empty": (
        "required a b | retrieved | eligible | composed | consumed | current",
        (1, 1, 2, 0, True, ()),
    ),
    "2 filtered": (
        "required a b | retrieved a b | eligible a | composed a | consumed a | current a b",
        (2, 2, 1, 0, True, ()),
    ),
    "2 filtered, with revisions": (
        "required a b | retrieved a@1 b@2 | eligible a@7 | composed a@7 | consumed a@7 | current a@7",
        (2, 2, 1, 0, True, ()),
    ),
    "3 dropped from the budget": (
        "required a b | retrieved a b | eligible a b | composed a | consumed a | current a b",
        (3, 3, 1, 0, True, ()),
    ),
    "3 another revision composed is no loss": (
        "required a | retrieved a@1 | eligible a@1 | composed a@2 | consumed a@2 | current a@2",
        (None, None, 0, 0, True, ()),
    ),
    "4 not used": (
        "required a b | retrieved a b | eligible a b | composed a b | consumed a | current a b",
        (4, 4, 1, 0, True, ()),
    ),
    "5 stale revision": (
        "required a | retrieved a@3 | eligible a@3 | composed a@3 | consumed a@3 | current a@5",
        (5, 5, 1, 0, True, ()),
    ),
    "5 wrong authority: not in current at all": (
        "required a | retrieved a chat | eligible a chat | composed a chat | consumed a chat | current a",
        (5, 5, 1, 0, True, ()),
    ),
    "5 counts items that nobody required": (
        "required a | retrieved a b@1 | eligible a b@1 | composed a b@1 | consumed a b@1 | current a b@2",
        (5, 5, 1, 0, True, ()),
    ),
    "5 no revision on one side compares ids": (
        "required a | retrieved a | eligible a | composed a | consumed a | current a@5",
        (None, None, 0, 0, True, ()),
    ),
    "two revisions consumed, one of them stale": (
        "required a | retrieved a | eligible a | composed a | consumed a@4 a@5 | current a@5",
        (5, 5, 1, 0, True, ()),
    ),
    "background at 2 is no failure": (
        "required a | retrieved a faq blog | eligible a | composed a | consumed a | current a",
        (None, 2, 0, 2, True, ()),
    ),
    "background beside the loss is counted apart": (
        "required a b | retrieved a b faq | eligible a | composed a | consumed a | current a",
        (2, 2, 1, 1, True, ()),
    ),
    "background above the loss does not move the stage": (
        "required a | retrieved a faq | eligible a | composed | consumed | current",
        (3, 2, 1, 0, True, ()),
    ),
    "required is empty: nothing was needed": (
        "required | retrieved a b | eligible a | composed a | consumed a | current a",
        (None, 2, 0, 1, True, ()),
    ),
    "required not recorded: plain and not proven": (
        "retrieved a b | eligible a | composed a | consumed a | current a",
        (2, 2, 1, 0, False, (1,)),
    ),
    "eligible not recorded: found below it, not proven": (
        "required a b | retrieved a b | composed a b | consumed a | current a",
        (4, 4, 1, 0, False, (2, 3)),
    ),
    "eligible not recorded: found above it, proven": (
        "required a b | retrieved a | composed a | consumed a | current a",
        (1, 1, 1, 0, True, (2, 3)),
    ),
    "none, but not proven": (
        "required a | retrieved a | eligible a | composed a | consumed a",
        (None, None, 0, 0, False, (5,)),
    ),
    "only one set: nothing can be said": (
        "retrieved a b",
        (None, None, None, None, False, (1, 2, 3, 4, 5)),
    ),
    "sets that never meet: nothing can be said": (
        "required a | eligible b | consumed c",
        (None, None, None, None, False, (1, 2, 3, 4, 5)),
    ),
    "composed without having been eligible is no loss": (
        "required a | retrieved a | eligible a | composed a ghost | consumed a ghost | current a ghost",
        (None, None, 0, 0, True, ()),
    ),
    "below the stage more is lost, and does not count": (
        "required a b c | retrieved a b | eligible a | composed | consumed | current",
        (1, 1, 1, 0, True, ()),
    ),
}


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, tuple[object, ...]]:
    steps = [context(name, parsed(sets)) for name, (sets, _) in CASES.items()]
    rows = asked(store_of(tmp_path_factory.mktemp("cases"), steps), "context_stage")
    return {
        row.step_id: (row.stage_no, row.literal_stage_no, row.lost, row.lost_background, row.proven, row.not_evaluable)
        for row in rows
    }


@pytest.mark.parametrize("name", CASES)
def test_a_step_fails_at_the_first_difference_that_is_not_empty(
    name: str, cases: Mapping[str, tuple[object, ...]]
) -> None:
    assert cases[name] == CASES[name][1]


@pytest.mark.parametrize("name", CASES)
def test_the_oracle_agrees_with_the_table(name: str) -> None:
    sets, expected = CASES[name]
    found = verdict(parsed(sets))
    assert (
        found.stage_no,
        found.literal_stage_no,
        found.lost,
        found.lost_background,
        found.proven,
        found.not_evaluable,
    ) == expected


ITEMS = st.tuples(st.sampled_from("abcd"), st.sampled_from([None, None, "1", "2"]))
STEP = st.dictionaries(
    st.sampled_from(["required", "retrieved", "eligible", "composed", "consumed", "current"]),
    st.lists(ITEMS, max_size=5, unique=True),
    min_size=1,
)
STEPS = st.lists(STEP, min_size=15, max_size=60)
FEW = settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def found_in_store(steps: Sequence[Mapping[str, Sequence[Item]]], required: str | None = None) -> list[Verdict]:
    with TemporaryDirectory() as folder:
        records = [context(str(number), sets) for number, sets in enumerate(steps)]
        store = store_of(Path(folder), records)
        rows = {row.step_id: row for row in asked(store, "context_stage", required=required)}
        lost = asked(store, "context_diff", run="r", required=required)
    return [
        Verdict(
            row.stage_no,
            row.literal_stage_no,
            row.lost,
            row.lost_background,
            row.proven,
            row.not_evaluable,
            row.compared_by_id,
            frozenset((item.stage_no, item.item_id, item.revision) for item in lost if item.step_id == row.step_id),
        )
        for row in (rows[str(number)] for number in range(len(steps)))
    ]


@FEW
@given(STEPS)
def test_every_verdict_is_the_oracles(steps: list[dict[str, list[Item]]]) -> None:
    assert found_in_store(steps) == [verdict(sets) for sets in steps]


@FEW
@given(STEPS)
def test_a_stage_is_reported_only_if_all_above_are_empty_or_not_evaluable(steps: list[dict[str, list[Item]]]) -> None:
    for sets, found in zip(steps, found_in_store(steps), strict=True):
        needed = {item for item, _ in sets["required"]} if "required" in sets else None
        for number in range(1, found.stage_no or 6):
            left, right = SIDES[number]
            if number in found.not_evaluable:
                assert left not in sets or right not in sets
                continue
            kept = {item for item, _ in sets[right]}
            lost = {item for item, _ in sets[left]} - kept
            assert not (lost if number in {1, 5} or needed is None else lost & needed)


@FEW
@given(STEPS)
def test_an_unrecorded_set_is_never_read_as_empty(steps: list[dict[str, list[Item]]]) -> None:
    for sets, found in zip(steps, found_in_store(steps), strict=True):
        for number, sides in SIDES.items():
            if not all(side in sets for side in sides):
                assert number in found.not_evaluable
                assert not any(stage == number for stage, _, _ in found.items)
                assert found.stage_no != number


@FEW
@given(STEPS)
def test_revisions_matter_only_in_the_fifth_difference(steps: list[dict[str, list[Item]]]) -> None:
    bare = [
        {name: [(item, None) for item in dict.fromkeys(i for i, _ in items)] for name, items in s.items()}
        for s in steps
    ]
    with_revisions, without = found_in_store(steps), found_in_store(bare)
    for one, other in zip(with_revisions, without, strict=True):
        assert one.not_evaluable == other.not_evaluable
        assert {(n, i) for n, i, _ in one.items if n < 5} == {(n, i) for n, i, _ in other.items if n < 5}
        if (one.stage_no or 5) < 5 or (other.stage_no or 5) < 5:
            assert (one.stage_no, one.lost) == (other.stage_no, other.lost)


@FEW
@given(STEPS, st.lists(st.sampled_from("abcde"), max_size=3, unique=True))
def test_declared_required_items_give_what_recorded_ones_would(
    steps: list[dict[str, list[Item]]], declared: list[str]
) -> None:
    entries = json.dumps([["default", "*", item] for item in declared or (None,)])
    expected = [verdict({"required": [(item, None) for item in declared], **sets}) for sets in steps]
    assert found_in_store(steps, entries) == expected
