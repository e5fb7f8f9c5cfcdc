"""A connection in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.store import memory_connection

MORE_THAN_FITS = "CREATE TABLE rows AS SELECT range AS number, md5(range::VARCHAR) AS text FROM range(2_000_000)"


def test_what_has_no_room_leaves_nothing_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    working, temporary = tmp_path / "working", tmp_path / "temporary"
    working.mkdir()
    temporary.mkdir()
    monkeypatch.chdir(working)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with memory_connection() as one, memory_connection() as other:
        for con in (one, other):
            con.execute("SET memory_limit = '60MB'; SET threads = 1")
            con.execute(MORE_THAN_FITS).fetchall()
        assert not list(working.iterdir())
        folders = list(temporary.iterdir())
        assert len(folders) == 2, "each has a folder of its own"
        assert all(list(folder.iterdir()) for folder in folders)
    assert not list(temporary.iterdir())
