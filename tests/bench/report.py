"""The one way in which a figure of the bench is shown: a table on the terminal, and the same table in Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

ABSENT = "–"
_JUDGED = ("target", "verdict")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a figure should be, and whether it is."""

    target: str
    met: bool

    @property
    def word(self) -> str:
        """Said in words, never by colour."""
        return "met" if self.met else "NOT MET"


def at_most(value: float, bound: float, unit: str = "") -> Verdict:
    """Met by a value up to the bound; a figure that is no number meets nothing."""
    return Verdict(f"≤ {bound:,g}{unit}", value <= bound)


def at_least(value: float, bound: float, unit: str = "") -> Verdict:
    """Met by a value from the bound on."""
    return Verdict(f"≥ {bound:,g}{unit}", value >= bound)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: what it is, its figures, and perhaps a target."""

    name: str
    figures: tuple[str, ...]
    verdict: Verdict | None = None


@dataclass(slots=True)
class Section:
    """One question of the bench with its table and what must be said beside it."""

    title: str
    columns: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: bool = False

    def add(self, name: str, *figures: str, verdict: Verdict | None = None) -> None:
        """One row more."""
        self.rows.append(Row(name, figures, verdict))

    @property
    def table(self) -> list[tuple[str, ...]]:
        """The header and the rows as text; target and verdict are columns where any row has one."""
        judged = any(row.verdict for row in self.rows)
        header = ("", *self.columns, *(_JUDGED if judged else ()))
        return [header, *(_cells(row, judged=judged, width=len(header)) for row in self.rows)]

    @property
    def missed(self) -> list[Row]:
        """The rows whose target is not reached."""
        return [row for row in self.rows if row.verdict and not row.verdict.met]


def _cells(row: Row, *, judged: bool, width: int) -> tuple[str, ...]:
    verdict = ((row.verdict.target, row.verdict.word) if row.verdict else ("", "")) if judged else ()
    figures = (*row.figures, *[""] * (width - 1 - len(row.figures) - len(verdict)))
    return (row.name, *figures, *verdict)


def as_text(section: Section) -> str:
    """The table with columns that stand under one another."""
    lines = section.table
    widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
    shown = ["  ".join(_aligned(cell, place, widths[place]) for place, cell in enumerate(line)) for line in lines]
    ruled = [shown[0], "-" * len(shown[0]), *(line.rstrip() for line in shown[1:])]
    return "\n".join([section.title, *ruled, *section.notes])


def _aligned(cell: str, place: int, width: int) -> str:
    return cell.ljust(width) if place == 0 else cell.rjust(width)


def as_markdown(section: Section) -> str:
    """The table in Markdown under its title."""
    header, *lines = section.table
    table = [_line(header), _line(("---", *["---:"] * (len(header) - 1))), *map(_line, lines)]
    notes = [f"- {note}" for note in section.notes]
    return "\n".join([f"### {section.title}", "", *table, *(["", *notes] if notes else []), ""])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def verdicts(sections: Sequence[Section]) -> Iterator[str]:
    """How many targets are met, and each that is not."""
    judged = [row for section in sections for row in section.rows if row.verdict]
    missed = [(section, row) for section in sections for row in section.missed]
    yield f"{len(judged) - len(missed)} of {len(judged)} targets met."
    for section, row in missed:
        assert row.verdict is not None
        yield f"NOT MET: {section.title}, {row.name}: {', '.join(row.figures)} (target {row.verdict.target})"


def number(value: float, digits: int = 0, unit: str = "") -> str:
    """The number with thousands set apart, or a dash where there is none."""
    return ABSENT if math.isnan(value) else f"{value:,.{digits}f}{unit}"


def share(value: float, digits: int = 0) -> str:
    """A ratio in per cent."""
    return number(100 * value, digits, " %")
