"""How the Context Diff speaks: stages, what is not recorded, what is proven, and where an item went."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from dashboard.wording import ABSENT
from queries.context.context_diff import ContextDiffRow
from queries.context.context_journey import ContextJourneyRow
from queries.context.context_stage import ContextStageRow
from queries.context.context_step_sets import ContextStepSetRow

SETS = ("required", "retrieved", "eligible", "composed", "consumed", "current")
SIDES = {
    1: ("required", "retrieved"),
    2: ("retrieved", "eligible"),
    3: ("eligible", "composed"),
    4: ("composed", "consumed"),
    5: ("consumed", "current"),
}
STAGES = {
    1: ("retrieval omission", "ingestion / index / query"),
    2: ("policy or authority filter", "permissions, scope, classification"),
    3: ("budget or composition drop", "budget order, degradation step"),
    4: ("attention or utilisation", "volume, position, format"),
    5: ("staleness or wrong authority", "freshness typing, authority"),
}
NOT_FIRST = (
    "Localise, then fix that one stage. Do not change the model, the prompt or the reranker first: that alters the "
    "sets being subtracted."
)
NO_SETS = (
    "Context sets come from native records (ingest/emit.py: emit.context), from faultlens.context.* span attributes, "
    "and from retriever and reranker spans."
)


def stage_word(stage_no: int | None, *, evaluable: bool = True) -> str:
    """A stage with its number, none, or that nothing could be evaluated."""
    if stage_no is not None:
        return f"✕ {stage_no} {STAGES[stage_no][0]}"
    return "✓ none" if evaluable else "? nothing evaluable"


def stage_of(step: ContextStageRow) -> str:
    """The stage of a step."""
    return stage_word(step.stage_no, evaluable=step.lost is not None)


def sureness(step: ContextStageRow) -> str:
    """Proven, or not, in the words of the field."""
    if step.proven:
        return "proven"
    return "localised, not proven" if step.stage_no else "not proven"


def difference_word(number: int) -> str:
    """A difference as it is written."""
    return " − ".join(SIDES[number])


def missing_sides(step: ContextStageRow) -> str:
    """Why differences cannot be evaluated: the sets that nobody recorded."""
    there = {*step.sets, *(["required"] if step.required_basis else [])}
    missing = [name for name in SETS if name not in there]
    numbers = ", ".join(str(number) for number in step.not_evaluable)
    return f"{numbers} (not recorded: {', '.join(missing)})" if numbers else ABSENT


def item_word(item_id: str, revision: str | None) -> str:
    """An item with its revision, where it has one."""
    return item_id if revision is None else f"{item_id}@{revision}"


def lost_word(row: ContextDiffRow) -> str:
    """A lost item; a stale one beside the revision that is current."""
    said = item_word(row.item_id, row.revision)
    if row.stage_no != 5:
        return said
    return f"{said} (current: {row.current_revision})" if row.current_revision else f"{said} (not in current)"


def listing(items: Iterable[str], most: int = 6) -> str:
    """Items with commas between, the rest counted."""
    found = list(items)
    more = f" and {len(found) - most:,} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more if found else ABSENT


@dataclass(frozen=True, slots=True)
class SetBar:
    """A set of a step as the funnel draws it."""

    set_name: str
    items: int | None
    required_items: int | None


def set_bars(sets: Sequence[ContextStepSetRow]) -> list[SetBar]:
    """The sets with how many of their items were required."""
    needed = {item for set_ in sets if set_.set_name == "required" for item in set_.member_ids or ()}
    return [SetBar(set_.set_name, set_.items, sum(item in needed for item in set_.member_ids or ())) for set_ in sets]


def story(rows: Sequence[ContextJourneyRow]) -> list[str]:
    """For every item that was lost, one sentence through the steps of the run: lost where, back where."""
    by_item = groupby(rows, key=lambda row: row.item_id)
    return [sentence for item_id, steps in by_item if (sentence := _sentence(item_id, list(steps)))]


def _sentence(item_id: str, steps: Sequence[ContextJourneyRow]) -> str:
    parts: list[str] = []
    is_lost = False
    for step in steps:
        if step.lost_at is not None and step.lost_at < 5 and not step.is_background:
            parts.append(f"lost at step {step.step_id} ({step.lost_at} {STAGES[step.lost_at][0]})")
            is_lost = True
        elif step.lost_at == 5 or (is_lost and {"consumed", "composed"} & set(step.sets)):
            back = "back" if is_lost else "used"
            parts.append(f"{back} at step {step.step_id}{_stale(step)}")
            is_lost = False
    if not parts:
        return ""
    return f"{item_id}: {', '.join(parts)}{', and never back after that' if is_lost else ''}."


def _stale(step: ContextJourneyRow) -> str:
    if step.lost_at != 5:
        return ""
    if step.current_revision is None:
        return ", but it is not in current"
    return f" in a stale revision ({step.consumed_revision or 'none'}, current is {step.current_revision})"


def place_word(row: ContextJourneyRow) -> str:
    """Where an item stood at a step."""
    if row.lost_at is not None:
        said = f"{row.lost_at} {STAGES[row.lost_at][0]}"
        return f"· {said} (not required)" if row.is_background else f"✕ {said}"
    reached = [name for name in ("consumed", "composed", "eligible", "retrieved") if name in row.sets]
    if reached:
        revision = row.consumed_revision if reached[0] == "consumed" else None
        return f"✓ {reached[0]}{f' @{revision}' if revision else ''}"
    return "· required" if row.is_required else "· current" if "current" in row.sets else ABSENT
