"""A file whose first line is damaged, as the end of a longer log is: it costs that line, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import registry
from ingest.source import Source
from tests.bench import otlp_data
from tests.ingest.loaded import load_bytes, loaded

SAMPLES = Path(__file__).parents[2] / "sample_traces"
FEWEST = 4
LINES = [
    path
    for path in sorted(SAMPLES.rglob("*.jsonl"))
    if path.read_bytes().count(b"\n") >= FEWEST and not path.is_symlink()
]
# Of a rollout without envelopes only the first line says what it is.
TOLD_BY_ITS_FIRST_LINE = {"no_envelope.jsonl"}
HALF_A_LINE = b'butes": [{"key": "n", "value": {"intValue": "3"}}]}]}]}\n'


def format_of(folder: Path, name: str, data: bytes) -> str | None:
    path = folder / name
    path.write_bytes(data)
    claims = registry.claiming(Source(path, path.name, path.name))
    return claims[0].name if len(claims) == 1 else None


def test_samples_of_lines_are_many() -> None:
    assert len(LINES) > 30


@pytest.mark.parametrize("path", LINES, ids=lambda path: path.relative_to(SAMPLES).as_posix())
def test_a_format_is_known_by_the_lines_that_stand(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    known = format_of(tmp_path, path.name, data)
    for damage in (b"llun\n", b"# written by hand\n", b'{"a":\n', HALF_A_LINE):
        assert format_of(tmp_path, path.name, damage + data) == known
    if path.name not in TOLD_BY_ITS_FIRST_LINE:
        # The end of a longer file, cut within a line: before the first of these, or within it.
        assert format_of(tmp_path, path.name, data[60:]) == known


@pytest.mark.parametrize("damage", [b"llun\n", b'{"a":\n', b'[{"key": "n"}], "x": 1}\n', HALF_A_LINE])
def test_one_damaged_line_of_opentelemetry_is_one_rejection(damage: bytes, tmp_path: Path) -> None:
    file = tmp_path / "spans.jsonl"
    otlp_data.write(file, spans=40)
    whole = loaded(tmp_path / "whole.duckdb", file)
    found = load_bytes(tmp_path, damage + file.read_bytes())
    assert found.file.format == "otlp_json"
    assert found.values("SELECT line FROM rejections") == [1]
    what = "SELECT count(*) AS spans, count(flags) AS flagged FROM spans"
    assert found.one(what) == whole.one(what) == {"spans": 40, "flagged": 0}


@pytest.mark.parametrize(
    "document",
    [
        b'[\n{"resourceSpans": []},\n{"resourceSpans": []}\n',
        b'{\n"resourceSpans": [\n{"scopeSpans": []}\n]\n',
        b'[{"resourceSpans": []},\n{"resourceSpans": []},\n{"resourceSp',
    ],
)
def test_a_document_over_many_lines_stays_one_where_its_end_is_missing(document: bytes, tmp_path: Path) -> None:
    path = tmp_path / "document.json"
    path.write_bytes(document)
    assert not Source(path, path.name, path.name).head.is_lines
