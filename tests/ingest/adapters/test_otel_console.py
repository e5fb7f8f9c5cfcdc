"""What the SDK prints: every sample as expected, other lines between, and spans that were cut or written over."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.loaded import load_bytes
from tests.ingest.otel.samples import assert_case, cases, claims, files

NAME = "otel_console"


@pytest.mark.parametrize("case", cases(NAME), ids=lambda case: case["file"])
def test_sample(case: dict[str, str], tmp_path: Path) -> None:
    assert_case(NAME, case, tmp_path / "store.duckdb")


@pytest.mark.parametrize("path", files(NAME), ids=lambda path: path.name)
def test_exactly_this_adapter_knows_the_sample(path: Path) -> None:
    assert claims(path) == [NAME]


def printed(number: int, **more: Any) -> dict[str, Any]:
    return {
        "name": f"n{number}",
        "context": {
            "trace_id": "0xa1b2c3d4e5f60718293a4b5c6d7e8f90",
            "span_id": f"0x{number:016x}",
            "trace_state": "[]",
        },
        "kind": "SpanKind.INTERNAL",
        "parent_id": None if number == 1 else "0x0000000000000001",
        "start_time": "2026-02-02T02:40:00.000000Z",
        "end_time": "2026-02-02T02:40:01.000000Z",
        "status": {"status_code": "UNSET"},
        "attributes": {},
        "events": [],
        "links": [],
        "resource": {"attributes": {"service.name": "desk"}, "schema_url": ""},
        **more,
    }


def text(*numbers: int, indent: int | None = 4) -> str:
    return "".join(json.dumps(printed(number), indent=indent) + "\n" for number in numbers)


BROKEN = text(2).replace('"kind"', 'INFO from another thread\n    "kind"', 1)
CASES: list[tuple[str, bytes, tuple[int, int, int, int, int], list[str]]] = [
    ("one a line", text(1, 2, indent=None).encode(), (2, 2, 0, 0, 0), []),
    ("nothing between", text(1, 2).replace("}\n{", "}{").encode(), (2, 2, 0, 0, 0), []),
    ("byte order mark", b"\xef\xbb\xbf" + text(1, 2).encode(), (2, 2, 0, 0, 0), []),
    ("UTF-16", text(1, 2).encode("utf-16"), (2, 2, 0, 0, 0), []),
    ("gzip", gzip.compress(text(1, 2).encode()), (2, 2, 0, 0, 0), []),
    ("carriage returns", text(1, 2).replace("\n", "\r\n").encode(), (2, 2, 0, 0, 0), []),
    ("the last one is cut", text(1, 2)[:-200].encode(), (2, 1, 0, 0, 1), []),
    ("a log line inside a span", (BROKEN + text(1)).encode(), (2, 1, 0, 1, 0), ["not_json"]),
    ("the same span twice", text(1, 1).encode(), (2, 1, 1, 0, 0), []),
    ("log lines round it", ("start {x}\n\nmore\n" + text(1) + "end\n").encode(), (4, 1, 0, 0, 3), []),
    ("other JSON", (text(1) + '{"resource_metrics": []}\n').encode(), (2, 1, 0, 0, 1), []),
    ("not UTF-8", text(1).encode().replace(b'"n1"', b'"caf\xe9"'), (1, 1, 0, 0, 0), []),
    ("no span id", (text(1) + text(2).replace('"span_id"', '"other"')).encode(), (2, 1, 0, 1, 0), ["missing_span_id"]),
]  # fmt: skip


@pytest.mark.parametrize(("data", "counts", "reasons"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_layouts_and_damage(
    tmp_path: Path, data: bytes, counts: tuple[int, int, int, int, int], reasons: list[str]
) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(data)
    assert claims(path) == [NAME]
    found = load_bytes(tmp_path, data)
    assert found.counts == counts
    assert found.values("SELECT reason FROM rejections") == reasons


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    found = load_bytes(tmp_path, ("log\n\n" + text(1) + "log\n" + text(2)).encode())
    length = text(1).count("\n")
    assert found.values("SELECT line FROM spans ORDER BY span_id") == [3, 3 + length + 1]


def test_a_span_still_open_and_one_with_a_message(tmp_path: Path) -> None:
    spans = [
        printed(1, end_time=None),
        printed(
            2, status={"status_code": "ERROR", "description": "no answer"}, links=[{"context": {"trace_id": "0x1"}}]
        ),
    ]
    found = load_bytes(tmp_path, "".join(json.dumps(one, indent=4) + "\n" for one in spans).encode())
    assert found.values("SELECT status FROM spans ORDER BY span_id") == ["open", "error"]
    assert found.one("SELECT * FROM error_events")["details"] == "no answer"
    assert found.values("SELECT contains(attributes, 'otel.links') FROM spans ORDER BY span_id") == [False, True]


def test_the_same_text_quoted_in_a_transcript_is_not_claimed(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(json.dumps({"type": "tool_result", "content": text(1)}) + "\n", encoding="utf-8")
    assert NAME not in claims(path)
