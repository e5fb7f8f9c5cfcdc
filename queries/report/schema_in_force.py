"""The version of the tables of this store."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class SchemaRow:
    """The newest migration of the store."""

    version: int
    name: str | None


def schema_in_force(lease: Engine) -> Answer[SchemaRow]:
    """The version of the tables of this store."""
    return ask(lease, __file__, SchemaRow)
