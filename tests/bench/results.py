"""RESULTS.md: the last report of a default run and of a soak run, each written by the run itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tests.bench.report import Section, as_markdown, verdicts
from tests.bench.scale import Scale

FILE = Path(__file__).with_name("RESULTS.md")
INTRODUCTION = """\
# What the bench measured

Written by `make bench` and `make soak-bench`; each replaces its own part. Every figure of a part comes from one run
on one machine. Kinds that are compared ran in turn, and a ratio is the median over the rounds, each compared within
itself: read the ratios, for the seconds are this machine's. "Cold" is a store opened anew, its file in the system's
memory.
"""
_PARTS = re.compile(r"^## ", re.MULTILINE)


def write(scale: Scale, described: str, sections: Sequence[Section], minutes: float, file: Path = FILE) -> None:
    """The file has this report in place of an earlier one of the same scale."""
    earlier = _PARTS.split(file.read_text(encoding="utf-8"))[1:] if file.exists() else []
    others = [f"## {part.rstrip()}\n" for part in earlier if not part.lower().startswith(f"{scale.name} run")]
    ours = _report(scale, described, sections, minutes)
    file.write_text("\n".join([INTRODUCTION, *sorted([*others, ours])]), encoding="utf-8")


def _report(scale: Scale, described: str, sections: Sequence[Section], minutes: float) -> str:
    summary, *missed = verdicts(sections)
    head = f"## {scale.title}\n\n{described}\nThe run took {minutes:.0f} minutes. {summary}\n"
    return "\n".join([head, *(f"- {line}" for line in missed), *([""] if missed else []), *map(as_markdown, sections)])
