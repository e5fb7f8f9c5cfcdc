"""What the processes tell one another, a line of JSON each: which source to read, and what became of it."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ingest import registry
from ingest.adapter import Adapter
from ingest.batch import Schemas
from ingest.discover import Found
from ingest.parallel.frames import Frames, tables
from ingest.reading import File
from ingest.report import Counts, FileReport
from ingest.source import Source
from ingest.source_stage import SourceStage

if TYPE_CHECKING:
    from ingest.staging import Staging  # which has a store: no process but the first needs that


def schemas_told(schemas: Schemas) -> str:
    """The columns of the staging tables."""
    written = {table: base64.b64encode(schema.serialize()).decode() for table, schema in schemas.items()}
    return json.dumps({"schemas": written})


def schemas_in(said: dict[str, Any]) -> Schemas:
    """The columns that `schemas_told` told."""
    return {
        table: pa.ipc.read_schema(pa.py_buffer(base64.b64decode(schema))) for table, schema in said["schemas"].items()
    }


def asked(found: Found, format_name: str | None, frames: Path) -> str:
    """The source to read, and the file that takes its rows."""
    source = found.source
    told = {
        "path": str(source.path), "shown": source.shown, "below": source.below, "workload": source.workload,
        "companions": [str(path) for path in source.companions], "named": found.named,
    }  # fmt: skip
    return json.dumps({**told, "format": format_name, "frames": str(frames)})


def found_in(said: dict[str, Any]) -> Found:
    """The source that `asked` named."""
    companions = tuple(map(Path, said["companions"]))
    return Found(Source(Path(said["path"]), said["shown"], said["below"], companions, said["workload"]), said["named"])


def told(file: File, frames: Frames) -> str:
    """What became of the source: how it was recognised, and what was staged of it."""
    report, stage = file.report, file.stage
    examined = {
        "file_ids": list(file.file_ids.items()), "sizes": list(file.sizes.items()),
        "adapter": file.adapter and file.adapter.name,
    }  # fmt: skip
    read = stage and {
        "rejections": file.rejections, "skips": file.skips, "skipped_because": report.skipped_because,
        "counts": asdict(report.counts), "units": frames.last_unit, "runs": sorted(stage.runs),
    }  # fmt: skip
    return json.dumps({**examined, "status": report.status, "reason": report.reason, "read": read})


@dataclass(frozen=True, slots=True)
class Told:
    """What another process found out about a source; its rows wait in a file."""

    said: dict[str, Any]
    frames: Path

    def examined(self, found: Found, adapter: Adapter | None) -> File:
        """The file as it was measured and recognised."""
        source, said = found.source, self.said
        report = FileReport(source.shown, named=found.named, companions=tuple(str(path) for path in source.companions))
        file = File(source, report, dict(said["file_ids"]), dict(said["sizes"]))
        if said["adapter"] is None:
            report.status, report.reason = said["status"], said["reason"]
        else:
            file.adapter = adapter or registry.named(said["adapter"])
            report.format = file.adapter.name
        return file

    @property
    def is_read(self) -> bool:
        """The source was read there; one that is read set by set is not."""
        return self.said["read"] is not None

    def stage(self, file: File, staging: Staging) -> None:
        """The rows are in the staging tables, behind those of the files before, and all else stands in the file."""
        read = self.said["read"]
        report = file.report
        report.status, report.reason = self.said["status"], self.said["reason"]
        report.counts, report.skipped_because = Counts(**read["counts"]), read["skipped_because"]
        file.rejections = [tuple(row) for row in read["rejections"]]
        file.skips = [tuple(row) for row in read["skips"]]
        file.stage = SourceStage(staging, file.file_ids, file.source.workload)
        file.stage.units, file.stage.runs = read["units"], set(read["runs"])
        for table, rows in tables(self.frames, file.stage.first_unit):
            staging.put(table, rows)
        staging.last_unit += read["units"]
