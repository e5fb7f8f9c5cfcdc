"""The documents of one output folder, read and sorted by what they are; a damaged one costs only itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ingest import json_text
from ingest.adapter import Place, Rejected
from ingest.bijux.agent_folder import is_log
from ingest.bijux.agent_shapes import Shape, shape_of
from ingest.source import Source


@dataclass(frozen=True, slots=True)
class Document:
    """One JSON object with the file it came from and the place of its records: a document has no lines."""

    path: Path
    place: Place
    value: dict[str, Any]
    flags: tuple[str, ...] = ()

    @property
    def is_main(self) -> bool:
        """It is the file that was given, no companion."""
        return self.place.part is None


@dataclass(slots=True)
class Parts:
    """Everything one read sees."""

    trace: Document | None = None
    process_files: Document | None = None
    final_result: Document | None = None
    pipeline_results: list[Document] = field(default_factory=list)
    logs: list[Path] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


def strictly_decoded(data: bytes) -> json_text.Decoded | json_text.Fault:
    """The file as one JSON value, or why it is none; bytes that are no text are a fault, not replaced."""
    if data.startswith(json_text.UTF16_MARKS):
        return json_text.decode(json_text.decoded_leniently(data))
    try:
        return json_text.decode(data.removeprefix(json_text.UTF8_MARK).decode("utf-8"))
    except UnicodeDecodeError as error:
        return json_text.Fault("not_utf8", f"byte {error.start + 1} of the file is not UTF-8")


def parts_of(source: Source) -> Parts:
    """The main file and its companions."""
    parts = Parts()
    for path, part in _files(source):
        if part is not None and is_log(path.name):
            parts.logs.append(path)
        else:
            _sort_in(parts, path, part, source.data(path))
    return parts


def _files(source: Source) -> Iterator[tuple[Path, str | None]]:
    yield source.path, None
    for companion in source.companions:
        yield companion, source.part(companion)


def _sort_in(parts: Parts, path: Path, part: str | None, data: bytes) -> None:
    decoded = strictly_decoded(data)
    if isinstance(decoded, json_text.Fault):
        raw = json_text.decoded_leniently(data[:2000])
        parts.rejected.append(Rejected(Place(1, 0, part), decoded.reason, f"{path.name}: {decoded.message}", raw))
        return
    shape = shape_of(decoded.value)
    document = Document(path, Place(part=part), decoded.value, decoded.flags) if shape else None
    if shape is Shape.TRACE:
        parts.trace = document
    elif shape is Shape.PROCESS_FILES:
        parts.process_files = document
    elif shape is Shape.FINAL_RESULT:
        parts.final_result = document
    elif shape is Shape.PIPELINE_RESULT and document:
        parts.pipeline_results.append(document)
    else:
        message = f"{path.name} is none of the records that bijux-canon-agent writes there"
        parts.rejected.append(Rejected(Place(1, 0, part), "unknown_shape", message, str(decoded.value)[:2000]))
