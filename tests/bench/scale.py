"""How large a run of the bench is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """The sizes of a run; targets are judged only where the sizes are those they were set for."""

    name: str
    events: int
    sizes: tuple[int, ...]
    rounds: int
    times: int
    transcripts_mb: float
    others_spans: int
    largest_gb: float
    judges: bool

    @property
    def title(self) -> str:
        """The heading of its report."""
        return f"{self.name.capitalize()} run: {self.events:,} records"


QUICK = Scale("quick", 20_000, (20_000, 60_000), 1, 1, 4, 0, 0, judges=False)
DEFAULT = Scale("default", 1_000_000, (10_000, 100_000, 1_000_000), 2, 3, 60, 5_000, 0, judges=True)
SOAK = Scale("soak", 10_000_000, (10_000, 100_000, 1_000_000, 10_000_000), 2, 3, 240, 20_000, 5, judges=True)
