"""What an ingest did, file by file, in the counts that must add up."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

FileStatus = Literal["loaded", "unchanged", "refused", "ignored"]


@dataclass
class Counts:
    """records = stored + duplicates + rejected + skipped."""

    runs: int = 0
    records: int = 0
    stored: int = 0
    duplicates: int = 0
    rejected: int = 0
    skipped: int = 0

    def add(self, other: Counts) -> None:
        """These counts with the other's in them."""
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)


@dataclass
class FileReport:
    """One file with its companions: what became of it."""

    path: str
    format: str | None = None
    status: FileStatus = "loaded"
    reason: str | None = None
    named: bool = False
    counts: Counts = field(default_factory=Counts)
    skipped_because: dict[str, int] = field(default_factory=dict)
    companions: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The keys of CONTRACT §1."""
        return {
            "path": self.path,
            "format": self.format,
            "status": self.status,
            "reason": self.reason,
            **asdict(self.counts),
            "skipped_because": self.skipped_because,
            "companions": list(self.companions),
        }


@dataclass
class IngestReport:
    """All files of one ingest."""

    store: str
    files: list[FileReport] = field(default_factory=list)
    runs: int = 0
    seconds: float = 0.0

    @property
    def totals(self) -> Counts:
        """The counts of all files; a run that stands in several files counts once."""
        total = Counts()
        for file in self.files:
            total.add(file.counts)
        total.runs = self.runs
        return total

    @property
    def refused(self) -> list[FileReport]:
        """The named files that could not be read."""
        return [file for file in self.files if file.status == "refused"]

    def exit_code(self, max_rejects: int = 0) -> int:
        """1 where there is something to look at, else 0."""
        return int(self.totals.rejected > max_rejects or bool(self.refused))

    def as_json(self) -> dict[str, Any]:
        """The keys of CONTRACT §1."""
        return {
            "files": [file.as_json() for file in self.files],
            "totals": asdict(self.totals),
            "store": self.store,
            "seconds": round(self.seconds, 3),
        }
