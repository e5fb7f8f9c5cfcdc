"""The workloads and sources that runs name, with how many runs name each."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class FilterValue:
    """A value that the shared filters offer."""

    filter: str
    value: str
    runs: int


def filter_values(lease: Engine) -> Answer[FilterValue]:
    """The workloads and sources that runs name, with how many runs name each."""
    return ask(lease, __file__, FilterValue)
