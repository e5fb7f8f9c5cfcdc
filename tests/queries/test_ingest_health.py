"""A file that grows is one file: its totals and its evidence count it as it is now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ingest.derive.version import version
from ingest.load import ingest
from ingest.store import memory_connection
from ingest.store.url import open_store
from queries.catalogue import named

FIRST = '{"record": "error_event", "run_id": "g", "level": "L1", "type": "x"}\n{bad\n'
MORE = '{"record": "error_event", "run_id": "g", "level": "L1", "type": "y"}\n{bad again\n'


@pytest.fixture
def grown(tmp_path: Path) -> str:
    """A store into which a file was loaded twice, longer the second time."""
    file, store = tmp_path / "g.jsonl", str(tmp_path / "g.duckdb")
    file.write_text(FIRST)
    ingest([str(file)], store)
    file.write_text(FIRST + MORE)
    ingest([str(file)], store)
    return store


def answered(store: str, name: str, **given: str) -> tuple[Any, ...]:
    opened = open_store(store)
    with opened.lease() as lease:
        return named(name).ask(lease, given).rows


def test_totals_count_a_grown_file_once(grown: str) -> None:
    (total,) = answered(grown, "ingest_totals")
    assert (total.files, total.records, total.stored, total.duplicates, total.rejected) == (1, 4, 2, 0, 2)


def test_evidence_of_a_run_names_what_was_rejected_in_the_grown_file(grown: str) -> None:
    rows = {(row.verdict, row.what): row.records for row in answered(grown, "run_evidence", run="g")}
    assert rows == {("counted", "error events, recorded"): 2, ("rejected", "in the same files: not_json"): 2}


def test_runs_are_counted_by_the_version_that_judged_them(tmp_path: Path) -> None:
    file, store = tmp_path / "g.jsonl", str(tmp_path / "g.duckdb")
    file.write_text("".join(f'{{"record": "run", "run_id": "r{number}"}}\n' for number in range(5)))
    ingest([str(file)], store)
    with memory_connection() as con, open_store(store) as opened, opened.publication(con) as draft:
        draft.cursor().execute("UPDATE runs SET derived_by = 'older' WHERE native_id IN ('r1', 'r3')").fetchall()
        draft.cursor().execute("UPDATE runs SET derived_by = NULL WHERE native_id = 'r2'").fetchall()
    counted = {row.version: row.runs for row in answered(store, "judged_by")}
    assert counted == {version(): 2, "older": 2, None: 1}


def test_pages_of_records_refused_at_one_place_have_each_once(tmp_path: Path) -> None:
    # Of a document nothing has a line; DuckDB gives equals in any order, and another one for each page.
    places, store = 500, str(tmp_path / "r.duckdb")
    with memory_connection() as con, open_store(store) as opened, opened.publication(con) as draft:
        draft.cursor().execute(
            "INSERT INTO rejections BY NAME SELECT 'f' AS file_id, 'missing_span_id' AS reason,"
            " 'm' || (n * 7919) % $places AS message FROM range($places) AS numbers(n)",
            {"places": places},
        ).fetchall()
    pages = [answered(store, "rejections", limit="50", offset=str(before)) for before in range(0, places, 50)]
    assert sorted(row.message for page in pages for row in page) == sorted(f"m{number}" for number in range(places))
