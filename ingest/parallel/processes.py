"""The first process's side: who reads what, a few files ahead of the one whose turn it is."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from ingest.adapter import Adapter
from ingest.batch import Schemas
from ingest.discover import Found, Unread
from ingest.parallel.messages import Told, asked, schemas_told
from ingest.source import Source, text_size

# To start a process takes as long as to read several megabytes.
SMALLEST_BYTES = 24_000_000
_MOST_PROCESSES = 8
# How far the processes may be ahead of the file whose turn it is: what they read lies in files until then.
_FILES_AHEAD = 4
_BYTES_AHEAD = 512_000_000

Candidate = Found | Unread


def processes_for(candidates: Sequence[Candidate], cores: int | None = None) -> int:
    """How many processes are worth their start: none for one file, for small ones, or outside the main thread."""
    sizes = [_size(candidate.source) for candidate in candidates if isinstance(candidate, Found)]
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or len(sizes) < 2 or sum(sizes) - max(sizes) < SMALLEST_BYTES / 2 or sum(sizes) < SMALLEST_BYTES:
        return 0
    cores = cores or _cores()
    return min(cores, len(sizes), _MOST_PROCESSES) if cores > 1 else 0


def _cores() -> int:
    """The cores that this process may use, where the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _size(source: Source) -> int:
    try:
        return sum(map(text_size, source.files))
    except OSError:
        return 0


@dataclass(slots=True)
class _Process:
    """A reading process, and the number of the candidate it is reading."""

    popen: subprocess.Popen[str]
    reading: int | None = None

    def says(self, line: str) -> bool:
        """The line reached the process; one that is gone takes none."""
        try:
            print(line, file=self.popen.stdin, flush=True)
        except OSError:
            return False
        return True

    def end(self) -> None:
        """The process is gone, and nothing of it is left open."""
        self.popen.kill()
        self.popen.wait()
        for pipe in (self.popen.stdin, self.popen.stdout):
            with suppress(OSError):  # what it was still to be told
                if pipe:
                    pipe.close()

    def answer(self) -> str:
        """The next line of the process, empty where it is gone."""
        assert self.popen.stdout is not None  # noqa: S101 - started with a pipe
        return self.popen.stdout.readline()


@dataclass
class Readers:
    """The processes that read ahead. One that cannot be started or dies is done without: its file is read here."""

    scratch: Path
    format_name: str | None = None
    processes: int = 0
    _all: list[_Process] = field(default_factory=list)
    _given: dict[int, Path] = field(default_factory=dict)
    _answers: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, candidates: Sequence[Candidate], scratch: str, adapter: Adapter | None) -> Self:
        """As many as are worth it; an adapter that only this process knows, such as a mapping's, is used here."""
        name = adapter.name if adapter else None
        is_plain = adapter is None or not adapter.fallback
        return cls(Path(scratch), name, processes_for(candidates) if is_plain else 0)

    def __enter__(self) -> Self:
        for _ in range(self.processes):
            if process := _started():
                self._all.append(process)
        return self

    def tell(self, schemas: Schemas) -> None:
        """The processes know the tables that they read for; one that is gone is noticed when it is given a file."""
        for process in self._all:
            process.says(schemas_told(schemas))

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        """No process is left."""
        for process in tuple(self._all):
            self._end(process)

    def ahead(
        self, candidates: Sequence[Candidate], is_new: Callable[[Source], bool]
    ) -> Iterator[tuple[Candidate, Told | None]]:
        """Every candidate in order, with what was found out about it elsewhere: of new files, while others are read."""
        waiting = [(number, one) for number, one in enumerate(candidates) if isinstance(one, Found)]
        waiting.reverse()
        for number, candidate in enumerate(candidates):
            self._hand_out(waiting, number, is_new)
            told = self._told(number, waiting, is_new)
            yield candidate, told
            if told:
                told.frames.unlink(missing_ok=True)

    def _hand_out(self, waiting: list[tuple[int, Found]], turn: int, is_new: Callable[[Source], bool]) -> None:
        """Every idle process has something to read, where there is something that may be read by now."""
        for process in [one for one in self._all if one.reading is None]:
            while waiting and process.reading is None:
                number, found = waiting[-1]
                if number > turn and not self._has_room(number, turn):
                    return
                waiting.pop()
                if number >= turn and is_new(found.source):
                    self._give(process, number, found)

    def _has_room(self, number: int, turn: int) -> bool:
        lying = sum(path.stat().st_size for path in self._given.values() if path.exists())
        return number - turn <= _FILES_AHEAD * len(self._all) and lying < _BYTES_AHEAD

    def _give(self, process: _Process, number: int, found: Found) -> None:
        frames = self.scratch / f"rows-{number}"
        if process.says(asked(found, self.format_name, frames)):
            process.reading = number
            self._given[number] = frames
        else:
            self._end(process)
            process.reading = number

    def _told(self, number: int, waiting: list[tuple[int, Found]], is_new: Callable[[Source], bool]) -> Told | None:
        """What is to be said of the candidate, once its process has answered; None where it is to be read here."""
        while number in self._given and number not in self._answers and self._is_being_read(number):
            self._listen()
            self._hand_out(waiting, number, is_new)
        frames, answer = self._given.pop(number, None), self._answers.pop(number, "")
        return Told(json.loads(answer), frames) if frames and answer else None

    def _is_being_read(self, number: int) -> bool:
        return any(process.reading == number for process in self._all)

    def _listen(self) -> None:
        """Takes the answer of every process that has one; waits for the first."""
        with selectors.DefaultSelector() as selector:
            for process in self._all:
                if process.reading is not None:
                    selector.register(process.popen.stdout or -1, selectors.EVENT_READ, process)
            for key, _ in selector.select():
                self._hear(key.data)

    def _hear(self, process: _Process) -> None:
        answer = process.answer()
        if process.reading is not None and answer.endswith("\n"):
            self._answers[process.reading] = answer
        else:
            self._end(process)
        process.reading = None

    def _end(self, process: _Process) -> None:
        self._all.remove(process)
        process.end()


def _started() -> _Process | None:
    """A reading process of this interpreter, with this package and no other one from the working folder."""
    root = str(Path(__file__).parents[2])
    code = f"import sys; sys.path.insert(0, {root!r}); from ingest.parallel.worker import main; main()"
    pipe = subprocess.PIPE
    try:
        popen = subprocess.Popen(
            [sys.executable, "-P", "-c", code], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, encoding="ascii"
        )
    except OSError:
        return None
    return _Process(popen)
