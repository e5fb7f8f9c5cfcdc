"""The Context Diff in plain Python, written from the definition and not from the SQL: sets in, verdict out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Item = tuple[str, str | None]
Sets = Mapping[str, Sequence[Item]]
SIDES = {
    1: ("required", "retrieved"),
    2: ("retrieved", "eligible"),
    3: ("eligible", "composed"),
    4: ("composed", "consumed"),
    5: ("consumed", "current"),
}


@dataclass(frozen=True)
class Verdict:
    """What a step's sets say."""

    stage_no: int | None
    literal_stage_no: int | None
    lost: int | None
    lost_background: int | None
    proven: bool
    not_evaluable: tuple[int, ...]
    compared_by_id: int
    items: frozenset[tuple[int, str, str | None]]


def verdict(sets: Sets) -> Verdict:
    """The first difference that is not empty, read from the first on."""
    missing = tuple(number for number, sides in SIDES.items() if not all(side in sets for side in sides))
    plain = {number: _plain(number, sets) for number in SIDES if number not in missing}
    local = {number: _local(number, items, sets) for number, items in plain.items()}
    stage = _first(local)
    nothing = len(missing) == len(SIDES)
    background = {key for number, items in plain.items() for key in items - local[number]}
    if stage is not None:
        lost, aside = len(local[stage]), len(plain[stage]) - len(local[stage])
    else:
        lost, aside = 0, len({item for item, _ in background})
    return Verdict(
        stage_no=stage,
        literal_stage_no=_first(plain),
        lost=None if nothing else lost,
        lost_background=None if nothing else aside,
        proven=not any(number < stage for number in missing) if stage else not missing,
        not_evaluable=missing,
        compared_by_id=_by_id(sets),
        items=frozenset((number, *key) for number, items in plain.items() for key in items),
    )


def _plain(number: int, sets: Sets) -> set[Item]:
    left, right = (sets[side] for side in SIDES[number])
    if number == 5:
        return {item for item in left if not any(_is_same(item, other) for other in right)}
    ids = {item for item, _ in right}
    return {(item, _highest(item, left)) for item, _ in left if item not in ids}


def _local(number: int, items: set[Item], sets: Sets) -> set[Item]:
    if number in {1, 5} or "required" not in sets:
        return items
    needed = {item for item, _ in sets["required"]}
    return {(item, revision) for item, revision in items if item in needed}


def _is_same(consumed: Item, current: Item) -> bool:
    if consumed[0] != current[0]:
        return False
    return consumed[1] is None or current[1] is None or consumed[1] == current[1]


def _by_id(sets: Sets) -> int:
    """Consumed items that are in current, where the comparison had no revision to go by on one side."""
    if not ("consumed" in sets and "current" in sets):
        return 0
    current: dict[str, set[str | None]] = {}
    for item, revision in sets["current"]:
        current.setdefault(item, set()).add(revision)
    used = {(item, revision) for item, revision in sets["consumed"] if item in current}
    return sum(revision is None or None in current[item] for item, revision in used)


def _highest(item: str, members: Sequence[Item]) -> str | None:
    return max((revision for name, revision in members if name == item and revision is not None), default=None)


def _first(differences: Mapping[int, set[Item]]) -> int | None:
    return next((number for number in sorted(differences) if differences[number]), None)
