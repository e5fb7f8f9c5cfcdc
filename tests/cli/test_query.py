"""`faultlens query` and what else reads the store: data that other programs can take, text that cannot do harm."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result

from dashboard.cli import main
from queries.catalogue import queries
from tests import store_kind
from tests.cli.command import ROOT, Done, faultlens
from tests.ingest.loaded import error, line, loaded

TWENTY_DIGITS = "12345678901234567890"
HOSTILE = "\x1b]0;owned\x07\x1b[31mred\x1b[0m\x9b2J [link](javascript:alert(1)) <img src=x onerror=alert(1)>"
FORMULA = '=HYPERLINK("http://x")'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("query")
    (folder / "a.jsonl").write_bytes(
        line("run", int(TWENTY_DIGITS), name=FORMULA, workload="w", status="failed", started_at="2026-11-30T09:00:00Z")
        + line("error_event", int(TWENTY_DIGITS), error_code="E", details=HOSTILE, location="a.py", x=HOSTILE)
        + line("error_event", int(TWENTY_DIGITS), details="token" * 200_000, error_code=HOSTILE)
        + line("error_event", int(TWENTY_DIGITS), details="\x1b]" * 400_000, agent="api_key=" + "x" * 900_000)
        + line("span", int(TWENTY_DIGITS), span_id="a", parent_span_id="b")
        + line("span", int(TWENTY_DIGITS), span_id="b", parent_span_id="a")
        + b'{"record": "recovery_event", "run_id": "nan", "chain": "A", "confidence": NaN}\n'
        + HOSTILE.encode() + b"\n"
    )  # fmt: skip
    loaded(folder / "faultlens.duckdb", folder / "a.jsonl")
    return folder


def store_of(folder: Path) -> str:
    """What names the folder's store to a process of its own."""
    return store_kind.named(folder / "faultlens.duckdb")


def asked(folder: Path, *call: str) -> Result:
    """In this process: for tables of many calls."""
    return CliRunner().invoke(main, ["--store", str(folder / "faultlens.duckdb"), *call])


def test_json_is_an_array_with_ids_unchanged_and_times_in_utc(folder: Path) -> None:
    done = faultlens("query", "runs", "--format", "json", "--store", store_of(folder), folder=folder)
    rows = {row["native_id"]: row for row in json.loads(done.text)}
    row = rows[TWENTY_DIGITS]
    assert (row["run_id"], row["started_at"]) == (f"faultlens:{TWENTY_DIGITS}", "2026-11-30T09:00:00Z")
    assert {"run_id", "source", "native_id", "name", "workload", "status", "status_reason", "started_at", "spans",
            "errors",
            "recoveries", "findings"} <= set(row)  # fmt: skip
    assert rows["nan"]["started_at"] is None


def test_csv_keeps_digits_and_disarms_formulas(folder: Path) -> None:
    done = faultlens("query", "runs", "--format", "csv", "--store", store_of(folder), folder=folder)
    rows = {row["native_id"]: row for row in csv.DictReader(io.StringIO(done.text))}
    assert rows[TWENTY_DIGITS]["name"] == f"'{FORMULA}"


@pytest.mark.parametrize("name", list(queries()))
@pytest.mark.parametrize("format_name", ["table", "json", "csv", "parquet"])
def test_every_query_in_every_format(folder: Path, tmp_path: Path, name: str, format_name: str) -> None:
    needed = [key for key, value in queries()[name].parameters.items() if value.default is value.empty]
    parameters = [part for key in needed for part in ("--param", f"{key}={TWENTY_DIGITS}")]
    file = tmp_path / "out"
    began = time.monotonic()
    done = asked(folder, "query", name, *parameters, "--format", format_name, "-o", str(file))
    assert done.exit_code in ({0} if not set(needed) - {"run"} else {0, 2}), done.output
    assert time.monotonic() - began < 20
    if done.exit_code:
        return
    if format_name == "parquet":
        assert not any(pa.types.is_null(field.type) for field in pa.parquet.read_table(file).schema)
        return
    text = file.read_text(encoding="utf-8")
    if format_name == "json":
        json.loads(text, parse_constant=lambda constant: pytest.fail(f"{constant} is no JSON"))
    elif format_name == "csv":
        rows = list(csv.reader(io.StringIO(text)))
        assert len({len(row) for row in rows}) == 1
        assert not [cell for row in rows for cell in row if cell.startswith(("=", "@"))]
    else:
        assert not [mark for mark in text if mark != "\n" and (ord(mark) < 32 or 127 <= ord(mark) < 160)]


@pytest.mark.parametrize("name", list(queries()))
def test_parquet_has_the_same_types_with_rows_and_without(folder: Path, tmp_path: Path, name: str) -> None:
    needed = [key for key, value in queries()[name].parameters.items() if value.default is value.empty]
    schemas = []
    for store, value in ((folder, TWENTY_DIGITS), (tmp_path, "nobody")):
        parameters = [part for key in needed for part in ("--param", f"{key}={value}")]
        file = tmp_path / "out.parquet"
        if asked(store, "query", name, *parameters, "--format", "parquet", "-o", str(file)).exit_code:
            pytest.skip("needs a run that exists")
        schemas.append(pa.parquet.read_table(file).schema)
    assert schemas[0].equals(schemas[1])


def test_parquet_times_are_times_and_counts_are_numbers(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "runs.parquet"
    asked(folder, "query", "runs", "--format", "parquet", "-o", str(file))
    schema = pa.parquet.read_table(file).schema
    assert schema.field("started_at").type == pa.timestamp("us", tz="UTC")
    assert schema.field("errors").type == pa.int64()
    assert schema.field("run_id").type == pa.string()


WRONG = [
    ("unknown query", ("query", "runz"), "no query 'runz'"),
    ("unknown parameter", ("query", "runs", "--param", "colour=red"), "no parameter 'colour'"),
    ("a parameter without a value", ("query", "timeline"), "needs --param run"),
    ("a time that is none", ("query", "runs", "--param", "since=yesterday"), "'yesterday' cannot be read"),
    ("a number that is none", ("query", "runs", "--param", "limit=many"), "'many' cannot be read"),
    ("a word that is none of those", ("query", "runs", "--param", "sort=size"), "newest, oldest, longest, most_errors"),
    ("a number beyond 64 bit", ("query", "runs", "--param", "limit=99999999999999999999999"), "limit"),
    ("a negative number", ("query", "runs", "--param", "limit=-1"), "limit"),
    ("unknown run", ("explain", "nobody"), "no run 'nobody'"),
    ("unknown run as a parameter", ("query", "timeline", "--param", "run=nobody"), "no run 'nobody'"),
    ("a value that is no text", ("query", "runs", "--param", "workload=\udcff"), r"workload=\xff is not UTF-8"),
    ("a folder to lint", ("lint", str(ROOT)), "is a folder"),
    ("nothing to lint", ("lint", "nowhere.jsonl"), "no such file"),
    ("a folder that is not there", ("query", "runs", "-o", "nowhere/out.json"), "cannot be written"),
]


@pytest.mark.parametrize(("call", "words"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_a_wrong_call_is_exit_2_and_one_line(folder: Path, call: tuple[str, ...], words: str) -> None:
    done = asked(folder, *call)
    assert done.exit_code == 2, done.exception
    assert not done.stdout
    (said,) = done.stderr.splitlines()
    assert said.startswith("faultlens: ")
    assert words in said


def test_a_parameter_is_a_value_and_never_sql(folder: Path, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    attack = f"workload=' OR 1=1; COPY (SELECT 1) TO '{marker}'; --"
    done = asked(folder, "query", "runs", "--format", "json", "--param", attack)
    assert (done.exit_code, json.loads(done.stdout), marker.exists()) == (0, [], False)


def test_an_empty_store_answers(tmp_path: Path) -> None:
    done = faultlens("query", "runs", "--format", "json", folder=tmp_path)
    assert (done.code, json.loads(done.text)) == (0, [])


def clean(done: Done) -> bool:
    return not [mark for mark in done.text + done.err if mark != "\n" and (ord(mark) < 32 or 127 <= ord(mark) < 160)]


def test_no_command_passes_an_escape_on_to_the_terminal(folder: Path) -> None:
    assert clean(faultlens("query", "rejections", folder=folder))
    assert clean(faultlens("explain", TWENTY_DIGITS, folder=folder))
    (folder / "odd\x1b[31m.jsonl").write_bytes(line("retry", HOSTILE) + error(step=HOSTILE))
    assert clean(faultlens("lint", "odd\x1b[31m.jsonl", folder=folder))
    assert clean(faultlens("ingest", "odd\x1b[31m.jsonl", "--store", "o.duckdb", folder=folder))


def test_a_reader_that_had_enough_is_no_error(folder: Path) -> None:
    asked_for = ["run_errors", "--param", f"run={TWENTY_DIGITS}", "--format", "json"]
    call = ["query", *asked_for, "--store", store_of(folder)]
    process = subprocess.Popen(
        [sys.executable, "-m", "dashboard.cli", *call],
        cwd=folder, env={"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), said) == (0, b"")


def test_the_list_names_every_query_with_its_parameters(tmp_path: Path) -> None:
    text = faultlens("query", folder=tmp_path).text
    assert all(f"{name} " in text for name in queries())
    assert "[workload]" in text


def test_formats_come_from_the_adapters(tmp_path: Path) -> None:
    names = [each["name"] for each in json.loads(faultlens("formats", "--json", folder=tmp_path).text)]
    assert "faultlens" in names
    assert names == sorted(set(names))


def test_lint_says_each_fault_with_its_line(tmp_path: Path) -> None:
    done = faultlens("lint", ROOT / "sample_traces" / "faultlens" / "damaged.jsonl", folder=tmp_path)
    assert done.code == 1
    assert [said.split(": ")[0].rpartition(":")[2] for said in done.text.splitlines()] == [
        "2",
        "3",
        "5",
        "6",
        "7",
        "8",
        "9",
        "10",
    ]
    assert faultlens("lint", "-", folder=tmp_path, stdin=line("run", "r")).code == 0
