"""The reading process: a line on standard input names a source, a line on standard output says what became of it."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from ingest import registry
from ingest.batch import Schemas, leave_pandas_out
from ingest.bulk.reading import format_for
from ingest.parallel.frames import Frames
from ingest.parallel.messages import found_in, schemas_in, told
from ingest.reading import examined, parse
from ingest.source_stage import SourceStage


def main() -> None:
    """Answers until nothing more is asked. An interruption is the first process's matter."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    leave_pandas_out()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="ascii")
    # What a library prints must not stand among the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    _answer(sys.stdin, answers)


def _answer(questions: Iterable[str], answers: IO[str]) -> None:
    schemas: Schemas = {}
    for question in questions:
        said = json.loads(question)
        if "schemas" in said:
            schemas = schemas_in(said)
        else:
            print(_read(said, schemas), file=answers, flush=True)


def _read(said: dict[str, Any], schemas: Schemas) -> str:
    """The source read as in the first process. What is read set by set is left to that one, which has the store."""
    found = found_in(said)
    file = examined(found, registry.named(said["format"]) if said["format"] else None)
    with Frames(Path(said["frames"]), schemas) as frames:
        if file.adapter and not format_for(file.adapter, found.source):
            parse(file, file.adapter, SourceStage(frames, file.file_ids, found.source.workload))
        frames.flush()
        return told(file, frames)
