"""How long a piece of work takes and how much memory it holds, and how two kinds of work compare on a noisy machine."""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Self

ROOT = Path(__file__).parents[2]
SAMPLED_EVERY_S = 0.02
_MB = 1_000_000


class ChildFailed(RuntimeError):
    """A piece of work in a process of its own ended with an error."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds by the clock and of the processor, the most memory held in MB (NaN: not looked at), and what came out."""

    clock_s: float
    cpu_s: float
    peak_mb: float = math.nan
    value: Any = None


def clocked(work: Callable[[], Any]) -> Measured:
    """The work, done here; processor seconds include processes that it started and waited for."""
    used, began = _cpu_s(), time.perf_counter()
    value = work()
    return Measured(time.perf_counter() - began, _cpu_s() - used, value=value)


def _cpu_s() -> float:
    both = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def in_child(work: Callable[..., Any], **arguments: Any) -> Measured:
    """The work, done in a fresh interpreter, which imports it before the clock starts; with the most memory held.

    Fresh, so that no run lives off what the one before left in memory. The arguments and the value pass as JSON.
    """
    command = [
        sys.executable, "-m", "tests.bench.child", f"{work.__module__}:{work.__name__}", json.dumps(arguments),
    ]  # fmt: skip
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child, _Watched(child.pid) as memory:  # fmt: skip
        said, complaint = child.communicate()
    if child.returncode:
        raise ChildFailed(f"{work.__name__}: {complaint.strip().splitlines()[-1] if complaint.strip() else 'no word'}")
    told = json.loads(said.splitlines()[-1])
    return Measured(told["clock_s"], told["cpu_s"], max(memory.peak_mb, told["peak_mb"]), told["value"])


class _Watched:
    """The most memory that a process and those it started hold together, looked at all the time where /proc is."""

    def __init__(self, pid: int) -> None:
        self.peak_mb = 0.0
        self._pid = pid
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(SAMPLED_EVERY_S):
            self.peak_mb = max(self.peak_mb, sum(map(_resident_mb, _family(self._pid))))


def _family(pid: int) -> Iterator[int]:
    """The process and all below it."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            below = children.read_text().split()
        except OSError:
            continue
        for child in below:
            yield from _family(int(child))


def _resident_mb(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * resource.getpagesize() / _MB


def interleaved(kinds: Mapping[str, Callable[[], Measured]], rounds: int) -> dict[str, list[Measured]]:
    """A B C A B C …: every kind once a round, so that a noisy minute of the machine meets all of them."""
    found: dict[str, list[Measured]] = {name: [] for name in kinds}
    for _ in range(rounds):
        for name, work in kinds.items():
            found[name].append(work())
    return found


def middle(found: Sequence[Measured]) -> Measured:
    """The measurement with the median time by the clock (of two, the slower)."""
    return sorted(found, key=lambda one: one.clock_s)[len(found) // 2]


def peak(found: Sequence[Measured]) -> float:
    """The most memory that any of them held."""
    return max(one.peak_mb for one in found)


def ratio(these: Sequence[Measured], those: Sequence[Measured]) -> float:
    """How many times as long these take as those: the median over the rounds, each compared within its own minute."""
    return median(this.clock_s / that.clock_s for this, that in zip(these, those, strict=True))


def median_ms(work: Callable[[], object], times: int) -> float:
    """The median of so many goes, in milliseconds."""
    return 1000 * median(clocked(work).clock_s for _ in range(times))


def growth_exponent(times: Mapping[int, float]) -> float:
    """The slope of time over size on logarithmic paper, by least squares: 0 is flat, 1 linear; NaN under two sizes."""
    points = [(math.log(size), math.log(took)) for size, took in times.items() if took > 0]
    if len(points) < 2:
        return math.nan
    x_mean = sum(x for x, _ in points) / len(points)
    y_mean = sum(y for _, y in points) / len(points)
    return sum((x - x_mean) * (y - y_mean) for x, y in points) / sum((x - x_mean) ** 2 for x, _ in points)
