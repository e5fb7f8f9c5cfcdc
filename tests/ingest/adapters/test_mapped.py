from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest import mapping
from ingest.adapter import items_of
from ingest.adapters import mapped
from ingest.explain import explain
from ingest.mapping import BadMapping
from ingest.records import ErrorEvent, Event, Run, Span
from tests.ingest.adapters.expected import SAMPLES, claiming, load, records, source_of
from tests.ingest.loaded import loaded

FOLDER = SAMPLES / "mapped"


def rows(folder: Path, *values: Any, name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def mapping_file(folder: Path, text: str) -> Path:
    path = folder / mapping.FILE_NAME
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[fields]\nrunn = "x"\n', "`fields.runn` is no key of a mapping; known are: run, session"),
        ('[field]\nrun = "x"\n', "`field` is no key of a mapping; known are: match, fields, status"),
        ('[match]\nfiles = ["*.csv"]\n', "the table `fields` is missing"),
        ("[fields]\nrun = 3\n", "`fields.run`"),
        ('[match]\nfiles = "*.csv"\n[fields]\n', "`match.files`"),
        ('[fields]\nrun = "x"\n[status]\ngood = ["y"]\n', "`status.good` is no key of a mapping"),
        ("[fields\n", "not TOML"),
    ],
)
def test_a_wrong_mapping_names_the_key(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(BadMapping, match=f"^{mapping.FILE_NAME}: ") as fault:
        mapping.load(mapping_file(tmp_path, text))
    assert said in str(fault.value)


def test_a_wrong_mapping_beside_a_file_refuses_it_with_the_reason(tmp_path: Path) -> None:
    mapping_file(tmp_path, '[fields]\nrunn = "x"\n')
    path = rows(tmp_path, {"ticket": "T"})
    report = loaded(tmp_path / "store.duckdb", path).file
    assert report.status == "refused"
    assert "bad_mapping" in (report.reason or "")
    assert "fields.runn" in (report.reason or "")


def test_a_changed_mapping_reads_the_file_again(tmp_path: Path) -> None:
    path = rows(tmp_path, {"ticket": "T", "n": 1, "what": "look", "kind_of": "x"})
    mapping_file(tmp_path, '[fields]\nrun = "ticket"\nstep = "n"\n')
    first = load(tmp_path, path)
    assert first.values("SELECT name FROM spans") == [None]
    mapping_file(tmp_path, '[fields]\nrun = "ticket"\nstep = "n"\nname = "what"\n')
    assert load(tmp_path, path).file.status == "loaded"


@pytest.mark.parametrize(
    ("key", "expected"),
    [("a.b", "literal"), ("a.c", 2), ("list.1.x", 3), ("list.9.x", None), ("a.c.d", None), ("", None), ("no", None)],
)
def test_dotted_paths(key: str, expected: Any) -> None:
    assert mapping.found({"a.b": "literal", "a": {"b": 1, "c": 2}, "list": [{}, {"x": 3}]}, key) == expected


def test_a_csv_by_its_mapping() -> None:
    path = FOLDER / "calls.csv"
    spans = {span.span_id: span for span in records(path, Span)}
    assert (spans["2"].parent_span_id, spans["2"].status, spans["2"].agent) == ("1", "error", "anna")
    assert spans["3"].input_tokens == 12
    assert spans["1"].flags == ("naive_time",)
    assert [(e.run_id, e.error_code, e.details) for e in records(path, ErrorEvent)] == [
        ("mapped:T-1", "E404", "no such order"),
        ("mapped:T-2", None, "timed out"),
    ]


@pytest.mark.parametrize(
    ("row", "status", "errors"),
    [
        ({"status": "ok"}, "ok", 0),
        ({"status": "Failed"}, "error", 1),
        ({"status": "odd"}, "unset", 0),
        ({"error": "boom"}, "error", 1),
        ({"error": {"type": "E", "message": "m"}}, "error", 1),
        ({"error": False}, "unset", 0),
        ({"error": ""}, "unset", 0),
        ({"error": "None"}, "unset", 0),
        ({"level": "ERROR"}, "error", 1),
        ({"level": "L3"}, "error", 1),
        ({"level": "info"}, "unset", 0),
    ],
)
def test_what_makes_a_step_an_error(row: dict[str, Any], status: str, errors: int, tmp_path: Path) -> None:
    path = rows(tmp_path, {"run_id": "r", "span_id": "s", "start": 1770000000, "end": 1770000001, **row})
    assert [span.status for span in records(path, Span)] == [status]
    assert len(records(path, ErrorEvent)) == errors


def test_a_severity_level_is_one_and_a_log_level_is_none(tmp_path: Path) -> None:
    row = {"run_id": "r", "span_id": "s", "error": "x"}
    path = rows(tmp_path, {**row, "level": "l3"}, {**row, "span_id": "t", "level": "ERROR"})
    assert [error.level for error in records(path, ErrorEvent)] == ["L3", None]


@pytest.mark.parametrize(
    ("value", "claimed"),
    [
        ({"run": "r", "ts": 1}, True),
        ({"run": "r", "text": "x"}, True),
        ({"run_id": "r"}, False),
        ({"run": {"id": 1}, "ts": 1}, False),
        ({"ts": 1, "text": "x"}, False),
        ({"record": "spam", "run_id": "r", "ts": 1}, False),
        ([1, 2], False),
    ],
)
def test_only_rows_that_name_their_run_and_more_are_claimed(value: Any, claimed: bool, tmp_path: Path) -> None:  # noqa: FBT001
    path = rows(tmp_path, value, value)
    assert [adapter.name for adapter in claiming(path)] == (["mapped"] if claimed else [])


def test_it_loses_against_every_other_format(tmp_path: Path) -> None:
    line = {"record": "run", "run_id": "r", "status": "failed"}
    assert [adapter.name for adapter in claiming(rows(tmp_path, line, {"run": "r", "ts": 1}))] == ["faultlens"]


def test_a_row_without_a_run_is_refused_alone(tmp_path: Path) -> None:
    path = rows(tmp_path, {"run": "r", "ts": 1}, {"ts": 2}, {"run": "r", "ts": 3})
    assert load(tmp_path, path).counts == (3, 2, 0, 1, 0)


def test_without_a_run_in_the_mapping_the_file_is_the_run(tmp_path: Path) -> None:
    mapping_file(tmp_path, '[fields]\ntime = "at"\ntext = "said"\n')
    path = rows(tmp_path, {"at": "2026-11-30T09:00:00Z", "said": "hello"})
    (run,) = records(path, Run)
    assert (run.native_id, run.identity) == ("rows.jsonl", "derived")
    assert [event.summary for event in records(path, Event)] == ["hello"]


def test_a_mapping_that_was_named_is_an_adapter(tmp_path: Path) -> None:
    chosen = mapping.load(mapping_file(tmp_path, '[fields]\nrun = "ticket"\nstep = "n"\n'))
    path = rows(tmp_path / "..", {"ticket": "T", "n": 1}, name=f"{tmp_path.name}.jsonl")
    source = source_of(path)
    adapter = mapped.with_mapping(chosen)
    assert adapter.recognise(source.head)
    assert len(list(items_of(adapter, source))) == 1


def test_an_explanation_says_what_was_mapped_and_what_was_not(tmp_path: Path) -> None:
    path = rows(tmp_path, {"run_id": "r", "span_id": "s", "start": 1, "odd": {"deep": 1}})
    told = explain(path)
    assert (told.adapter, told.records) == ("mapped", {"run_records": 1, "spans": 1})
    assert {key.path: key.field for key in told.mapped} == {"run_id": "run", "span_id": "step", "start": "time"}
    assert [(key.path, key.example) for key in told.unmapped] == [("odd.deep", "1")]
    suggested = mapping.load(mapping_file(tmp_path, told.suggested_mapping or ""))
    assert suggested.fields.run == "run_id"


def test_an_explanation_of_a_known_format_names_the_one_that_claims_it() -> None:
    told = explain(SAMPLES / "langfuse" / "langfuse_export.json")
    assert (told.adapter, told.suggested_mapping) == ("langfuse", None)
    assert [claim.adapter for claim in told.claims if claim.claimed] == ["langfuse"]
    lines = list(told.lines())
    assert any("langfuse claims it by" in line for line in lines)
    assert not any("does not; it looks for" in line for line in lines)


def test_an_explanation_of_an_unknown_format_says_why_nobody_claims_it(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("just words\n")
    told = explain(file)
    assert told.adapter is None
    assert any("mlflow does not; it looks for" in line for line in told.lines())


@pytest.mark.parametrize(
    ("data", "layout"),
    [
        (b"", "empty"),
        (b"\x00\x01", "no text"),
        (b"just words\n", "text that is no JSON"),
        (b'{"a": 1}\n', "one JSON object"),
        (b"a,b\n1,2\n", "text with a header of columns"),
    ],
)
def test_an_explanation_of_what_nobody_knows(data: bytes, layout: str, tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(data)
    told = explain(path)
    assert (told.adapter, told.layout) == (None, layout)
    assert next(told.lines()).endswith("no format is known with it")


def test_an_explanation_names_the_wrong_key_of_the_mapping(tmp_path: Path) -> None:
    mapping_file(tmp_path, '[fields]\nrunn = "x"\n')
    told = explain(rows(tmp_path, {"ticket": "T"}))
    assert told.fault is not None
    assert "fields.runn" in told.fault
