"""What the real SDKs write today loads as the stored samples of the same programs do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.ingest.adapters.expected import SAMPLES, claiming
from tests.ingest.loaded import Loaded, loaded
from tests.soak.environment import Environment, Written

pytestmark = pytest.mark.soak

RUN = "status, spans, errors, recoveries"
MEANING = {
    "runs": f"SELECT {RUN}, input_tokens, output_tokens FROM runs ORDER BY ALL",
    "spans": "SELECT name, kind, status, tool, model FROM spans ORDER BY ALL",
    "errors": "SELECT error_code, details, tool_error_class, location FROM error_events ORDER BY ALL",
    "recoveries": "SELECT outcome, auto_executed, basis FROM recovery_events ORDER BY ALL",
    "guardrails": "SELECT action, decision, destination, result FROM guardrail_events ORDER BY ALL",
}
OTEL = {"file_exporter.jsonl": "otlp_json", "protobuf.json": "otlp_json", "console.txt": "otel_console"}
OTEL_STORED = {
    "file_exporter.jsonl": "otlp_json/otlp_file_exporter.jsonl",
    "protobuf.json": "otlp_json/otlp_protobuf_json_BASE64_ids.json",
    "console.txt": "otel_console/otel_python_console_exporter.txt",
}
AGENTS_STORED = "openai_agents/refund_workflow.jsonl"
LANGSMITH_STORED = "langsmith/retried_tool.jsonl"


@pytest.fixture(scope="module")
def otel(sdks: Environment, tmp_path_factory: pytest.TempPathFactory) -> Written:
    return sdks.written("opentelemetry_spans", tmp_path_factory.mktemp("otel"))


@pytest.fixture(scope="module")
def mlflow(sdks: Environment, tmp_path_factory: pytest.TempPathFactory) -> Written:
    return sdks.written("mlflow_trace", tmp_path_factory.mktemp("mlflow"))


@pytest.fixture(scope="module")
def openai_agents(sdks: Environment, tmp_path_factory: pytest.TempPathFactory) -> Written:
    return sdks.written("openai_agents_trace", tmp_path_factory.mktemp("openai_agents"))


@pytest.fixture(scope="module")
def langsmith(sdks: Environment, tmp_path_factory: pytest.TempPathFactory) -> Written:
    return sdks.written("langsmith_runs", tmp_path_factory.mktemp("langsmith"))


def meaning(found: Loaded) -> dict[str, list[dict[str, Any]]]:
    """What a load says, without the ids and times that every run has of its own."""
    return {name: found.rows(sql) for name, sql in MEANING.items()}


def load(folder: Path, *paths: Path) -> Loaded:
    """The store of these files, every record of which was taken."""
    found = loaded(folder / f"{paths[0].stem}-{len(paths)}.duckdb", *paths)
    assert {file.status for file in found.report.files} == {"loaded"}
    assert (found.report.totals.rejected, found.report.totals.skipped) == (0, 0)
    return found


def assert_same_as_stored(folder: Path, path: Path, stored: str) -> Loaded:
    """The file is its adapter's alone and means what the sample of that name means."""
    assert [adapter.name for adapter in claiming(path)] == [Path(stored).parts[0]]
    found = load(folder, path)
    reference = loaded(folder / "stored.duckdb", SAMPLES / stored)
    assert meaning(found) == meaning(reference)
    return found


@pytest.mark.parametrize("name", OTEL)
def test_opentelemetry_spans_load_as_the_stored_ones(otel: Written, name: str, tmp_path: Path) -> None:
    found = assert_same_as_stored(tmp_path, otel.folder / name, OTEL_STORED[name])
    assert [file.format for file in found.report.files] == [OTEL[name]]
    assert found.values("SELECT native_id FROM runs") == otel.stated["traces"]
    assert found.values("SELECT spans FROM runs") == [otel.stated["spans"]]


@pytest.mark.parametrize("names", [list(OTEL), list(reversed(OTEL))], ids=["file first", "console first"])
def test_three_spellings_of_the_same_spans_are_one_run(otel: Written, names: list[str], tmp_path: Path) -> None:
    found = load(tmp_path, *(otel.folder / name for name in names))
    # The console exporter rounds to microseconds: how many of its spans count as told before differs from call to call.
    assert found.report.totals.records == 3 * otel.stated["spans"]
    assert found.values("SELECT native_id FROM runs") == otel.stated["traces"]
    assert meaning(found) == meaning(load(tmp_path, otel.folder / names[1]))


@pytest.mark.parametrize("name", ["trace_error", "recovered"])
def test_an_mlflow_trace_loads_as_the_stored_one(mlflow: Written, name: str, tmp_path: Path) -> None:
    found = assert_same_as_stored(tmp_path, mlflow.folder / f"{name}.json", f"mlflow/{name}.json")
    stated = mlflow.stated[name]
    assert found.values("SELECT native_id FROM runs") == [stated["trace"]]
    assert found.values("SELECT spans FROM runs") == [stated["spans"]]
    assert stated["state"] in found.one("SELECT status_reason FROM runs")["status_reason"]


def test_an_openai_agents_trace_loads_as_the_stored_one(openai_agents: Written, tmp_path: Path) -> None:
    found = assert_same_as_stored(tmp_path, openai_agents.folder / "trace.jsonl", AGENTS_STORED)
    assert found.values("SELECT native_id FROM runs") == openai_agents.stated["traces"]
    assert found.values("SELECT spans FROM runs") == [openai_agents.stated["spans"]]


def test_langsmith_runs_as_listed_load_as_the_stored_ones(langsmith: Written, tmp_path: Path) -> None:
    found = assert_same_as_stored(tmp_path, langsmith.folder / "listed.jsonl", LANGSMITH_STORED)
    assert found.values("SELECT native_id FROM runs") == langsmith.stated["traces"]
    assert found.values("SELECT spans FROM runs") == [langsmith.stated["spans"]]


def test_langsmith_runs_as_sent_have_the_same_run(langsmith: Written, tmp_path: Path) -> None:
    path = langsmith.folder / "sent.jsonl"
    assert [adapter.name for adapter in claiming(path)] == ["langsmith"]
    found, reference = load(tmp_path, path), loaded(tmp_path / "stored.duckdb", SAMPLES / LANGSMITH_STORED)
    # What is sent has no status and no token totals: the service adds both.
    for sql in (f"SELECT {RUN} FROM runs", MEANING["errors"], MEANING["recoveries"]):
        assert found.rows(sql) == reference.rows(sql)
    both = load(tmp_path, path, langsmith.folder / "listed.jsonl")
    assert both.values("SELECT native_id FROM runs") == langsmith.stated["traces"]
    assert both.values("SELECT spans FROM runs") == [langsmith.stated["spans"]]
