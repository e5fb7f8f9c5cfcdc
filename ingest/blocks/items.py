"""Blocks as items of an ingest: stored, skipped as a template or an empty rest, or refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ingest import native
from ingest.adapter import Item, Parsed, Place, Rejected, Skipped
from ingest.blocks.block import STATE, Block
from ingest.blocks.meaning import as_text, records_of
from ingest.records import Record

TEMPLATE, QUOTATION, CUT = "template", "quotation", "incomplete_block"


@dataclass(slots=True)
class Reader:
    """The blocks of one run in their order: a completed step is in the phase that the last state named."""

    run_id: str
    phase: str | None = None
    versions: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)

    def item(
        self, block: Block, place: Place, *, event_id: str, order: int, occurred_at: datetime | None = None
    ) -> Item:
        """What becomes of one block; `order` is its position among the blocks of the run."""
        if reason := skipped_as(block):
            return Skipped(place, reason)
        try:
            event_id = self._own_id(block) or event_id
            records = records_of(block, self.run_id, occurred_at=occurred_at, event_id=event_id, phase=self.phase)
        except native.Invalid as fault:
            return Rejected(place, fault.reason, str(fault), block.raw)
        if block.kind == STATE:
            self.phase = as_text(block.fields.get("phase")) or self.phase
        return Parsed(place, tuple(_ordered(record, event_id, order) for record in records))

    def _own_id(self, block: Block) -> str | None:
        """The id that the block records; one that stands again with another content is another event."""
        recorded = block.fields.get("id")
        if not isinstance(recorded, str | int):
            return None
        versions = self.versions.setdefault((block.kind, str(recorded)), [])
        if block.fields not in versions:
            versions.append(block.fields)
        number = versions.index(block.fields) + 1
        return str(recorded) if number == 1 else f"{recorded}#{number}"


def _ordered(record: Record, event_id: str, order: int) -> Record:
    """The record in its place; the diagnosis inside an error event has an id beside the error's."""
    own_id = record.event_id or f"{event_id}#diagnosis"
    return record.model_copy(update={"recorded_seq": order, "event_id": own_id})


def skipped_as(block: Block) -> str | None:
    """Why a block is no record: a template that nobody filled in, or a header whose fields were cut off."""
    if block.is_template:
        return TEMPLATE
    return CUT if not block.fields else None
