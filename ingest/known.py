"""What a store already holds of the files that are met: by the digest of their bytes, and by their path."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ingest.adapter import Adapter
from ingest.reading import File
from ingest.report import Counts
from ingest.source import Source, sha256_of_first
from ingest.store.attach import Store
from ingest.store.url import AnyStore


@dataclass
class Known:
    """What the store already holds, by the digest of the bytes and by path."""

    files: dict[str, dict[str, Any]]
    _sizes: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._sizes.update(row["bytes"] for row in self.files.values())

    @classmethod
    def of(cls, store: AnyStore) -> Known:
        """Return what the newest generation holds."""
        if isinstance(store, Store) and not store.is_there:
            # To read an empty stand-in costs more than all of a small ingest.
            return cls({})
        with store.lease() as lease:
            rows = lease.rows(
                "SELECT file_id, path, format, adapter_version, bytes, records, stored, duplicates, rejected, skipped,"
                " superseded_by FROM source_files WHERE status IN ('loaded', 'superseded')"
            )
        return cls({row["file_id"]: row for row in rows})

    def holds(self, file: File, adapter: Adapter) -> bool:
        """Every file of the bundle was read before, by this version of this adapter."""
        rows = [self.files.get(file_id) for file_id in file.file_ids.values()]
        return all(
            row is not None and (row["format"], row["adapter_version"]) == (adapter.name, adapter.version)
            for row in rows
        )

    def lacks(self, source: Source) -> bool:
        """Its bytes were never read, or it cannot be told; who reads it will know.

        Of a size that no file had it is new without a look at its bytes.
        """
        try:
            return source.path.stat().st_size not in self._sizes or source.digest not in self.files
        except OSError:
            return False

    def now_holds(self, file: File) -> None:
        """Two equal files in one ingest are read once."""
        for part, file_id in file.file_ids.items():
            counts = file.report.counts if part is None else Counts()
            self._sizes.add(file.sizes[part])
            self.files[file_id] = {
                "path": file.report.path, "format": file.report.format,
                "adapter_version": file.adapter.version if file.adapter else None,
                "bytes": file.sizes[part], "superseded_by": None, "records": counts.records, "stored": 0,
                "duplicates": counts.records - counts.rejected - counts.skipped,
                "rejected": counts.rejected, "skipped": counts.skipped,
            }  # fmt: skip

    def shorter_versions(self, file: File) -> list[str]:
        """The older versions of the same file: same path, and its bytes are the beginning of today's."""
        size = file.sizes[None]
        return [
            file_id
            for file_id, row in self.files.items()
            if row["path"] == file.report.path
            and row["superseded_by"] is None
            and row["bytes"] < size
            and sha256_of_first(file.source.path, row["bytes"]) == file_id
        ]

    def counts_of(self, file: File) -> Counts:
        """Its records as they were counted when it was read: now they are duplicates."""
        counts = Counts()
        for file_id in file.file_ids.values():
            row = self.files[file_id]
            counts.add(Counts(0, row["records"], 0, row["stored"] + row["duplicates"], row["rejected"], row["skipped"]))
        return counts
