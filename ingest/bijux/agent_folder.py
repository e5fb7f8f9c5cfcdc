"""The output folder of one call of the command line: which files are parts of it, and what it is called."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ingest.adapter import Bundle
from ingest.bijux.agent_shapes import Shape, shape_of_head
from ingest.source import Source

TRACE = Path("trace/run_trace.json")
PROCESS_FILES = Path("process_files_result.json")
FINAL_RESULT = Path("result/final_result.json")
LOG_FOLDER = "logs"
_PIPELINE_RESULT = re.compile(r"pipeline_result_(?P<context>.+)_(?P<stamp>\d{8}_\d{6})\.json")
_LOG = re.compile(r"application\.log(?:\.(?P<age>\d+))?")


@dataclass(frozen=True, slots=True)
class ResultName:
    """What the name of a pipeline result says: the context it ran for and when it was written (UTC)."""

    context: str
    stamp: str


def result_name(name: str) -> ResultName | None:
    """The parts of a pipeline result's name, or None for another file."""
    match = _PIPELINE_RESULT.fullmatch(name)
    return ResultName(match["context"], match["stamp"]) if match else None


def is_log(name: str) -> bool:
    """An application log, rotated ones included."""
    return _LOG.fullmatch(name) is not None


def _folder_of(path: Path) -> Path | None:
    """The output folder a file of this name and place would belong to."""
    if path.name in {TRACE.name, FINAL_RESULT.name}:
        return path.parent.parent if path.parent.name in {str(TRACE.parent), str(FINAL_RESULT.parent)} else None
    if is_log(path.name):
        return path.parent.parent if path.parent.name == LOG_FOLDER else None
    return path.parent if path.name == PROCESS_FILES.name or result_name(path.name) else None


def _logs(folder: Path) -> list[Path]:
    """The logs, oldest first."""
    logs = [path for path in (folder / LOG_FOLDER).glob("application.log*") if is_log(path.name)]
    return sorted(logs, key=_age, reverse=True)


def _age(log: Path) -> int:
    match = _LOG.fullmatch(log.name)
    return int(match["age"] or 0) if match else 0


def _is(path: Path, shape: Shape) -> bool:
    return path.is_file() and shape_of_head(Source(path, str(path), path.name).head) is shape


def bundle(path: Path) -> Bundle | None:
    """The whole output folder a file belongs to; None where it stands alone.

    Pipeline results or a log alone make no folder: without a trace, the list of files or the final
    result nothing says that they belong together.
    """
    folder = _folder_of(path)
    if folder is None:
        return None
    heads = ((TRACE, Shape.TRACE), (PROCESS_FILES, Shape.PROCESS_FILES), (FINAL_RESULT, Shape.FINAL_RESULT))
    main = next((place for place, shape in heads if _is(folder / place, shape)), None)
    if main is None:
        return None
    # A companion is one by its place: damaged, it is a rejected record of this folder and no unknown file.
    later = [folder / place for place, _ in heads[[place for place, _ in heads].index(main) + 1 :]]
    results = sorted(found for found in folder.glob("pipeline_result_*.json") if result_name(found.name))
    logs = _logs(folder) if main != FINAL_RESULT else []
    companions = (*(found for found in later if found.is_file()), *results, *logs)
    return Bundle(folder / main, companions) if path in {folder / main, *companions} else None


def folder_name(source: Source) -> str:
    """What the output folder is called: its path below the given argument, or its own name where it is that."""
    own = _folder_of(source.path.resolve())
    below = _folder_of(Path(source.below))
    if own is None or not own.name:
        return Path(source.below).as_posix()
    return below.as_posix() if below is not None and below.name else own.name


def place_name(source: Source) -> str:
    """What a file of an output folder that is a run of its own is called: the folder's name and its place in it."""
    path = source.path.resolve()
    own = _folder_of(path)
    if own is None or not own.name:
        return Path(source.below).as_posix()
    return f"{folder_name(source)}/{path.relative_to(own).as_posix()}"
