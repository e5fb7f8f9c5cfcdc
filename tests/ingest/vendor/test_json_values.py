from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from ingest.source import Source
from ingest.vendor.json_values import Unit, glimpses, is_single, units

GOOD = {"a": [1, {"b": 'x]}, " {'}]}
TEXT = json.dumps(GOOD)


def source(folder: Path, data: str | bytes) -> Source:
    path = folder / "values.json"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return Source(path, str(path), path.name)


def read(folder: Path, data: str | bytes, *envelopes: str) -> list[Any]:
    """The values, or the reasons why there are none."""
    found = units(source(folder, data), *envelopes)
    return [unit.value if isinstance(unit, Unit) else unit.reason for unit in found]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (f"{TEXT}\n{TEXT}\n", [GOOD, GOOD]),
        (f"{TEXT}\r\n\r\n{TEXT}", [GOOD, GOOD]),
        (TEXT, [GOOD]),
        (json.dumps(GOOD, indent=2), [GOOD]),
        (f"[{TEXT}, {TEXT}]", [GOOD, GOOD]),
        (json.dumps([GOOD, GOOD], indent=2), [GOOD, GOOD]),
        ("[]", []),
        (f"[{TEXT},\n{{bad}},\n{TEXT}]", [GOOD, "not_json", GOOD]),
        (f"[{TEXT}, {TEXT[:9]}", [GOOD, "not_json"]),
        (f"{json.dumps(GOOD, indent=2)}\n{json.dumps(GOOD, indent=2)}\n", [GOOD, GOOD]),
        (f"{json.dumps(GOOD, indent=2)}\n{json.dumps(GOOD, indent=2)[:-3]}", [GOOD, "not_json"]),
        (f"{json.dumps(GOOD, indent=2)}\nDONE\n", [GOOD, "text_after_value"]),
        (f"[{TEXT},", [GOOD]),
        (f"[{TEXT}", [GOOD]),
        (f"[{TEXT} x, {TEXT}]", ["text_after_value", GOOD]),
        (f"[, {TEXT},,{TEXT}]", [GOOD, GOOD]),
        (f"[{TEXT}}}, {TEXT}]", ["text_after_value", GOOD]),
        (f"[{TEXT}] and more", [GOOD]),
        (f'{{"bad\n{TEXT}\n', ["not_json", GOOD]),
        (f"{TEXT}\n{TEXT[:9]}", [GOOD, "incomplete_last_line"]),
        (f"{TEXT}\n{TEXT[:9]}\n", [GOOD, "not_json"]),
        (json.dumps({"runs": [GOOD]}), [GOOD]),
        (json.dumps({"meta": 1, "runs": [GOOD]}, indent=1), [GOOD]),
        (json.dumps({"runs": GOOD}), [{"runs": GOOD}]),
        (f'{{"runs": [{TEXT}, {{bad}}]}}', [GOOD, "not_json"]),
        (b"\xef\xbb\xbf" + TEXT.encode(), [GOOD]),
        (f"[{TEXT}]".encode("utf-16"), [GOOD]),
        (gzip.compress(TEXT.encode(), mtime=0), [GOOD]),
        ("[" * 100_000, ["not_json"]),
        ('{"a":' * 100_000, ["too_deep"]),
        ("", []),
    ],
)
def test_layouts(data: str | bytes, expected: list[Any], tmp_path: Path) -> None:
    assert read(tmp_path, data, "runs") == expected


def test_places_are_the_lines_of_the_elements(tmp_path: Path) -> None:
    data = f"[\n  {TEXT},\n\n  {TEXT}\n]"
    assert [unit.place.line for unit in units(source(tmp_path, data))] == [2, 4]


def test_a_line_separator_inside_a_value_ends_no_line(tmp_path: Path) -> None:
    value = {"text": "one\u2028two"}
    data = f"{json.dumps(value, ensure_ascii=False)}\n{TEXT}\n"
    assert read(tmp_path, data) == [value, GOOD]


def test_a_first_line_longer_than_the_sample(tmp_path: Path) -> None:
    long = {"text": "x" * 300_000}
    data = f"{json.dumps(long)}\n{TEXT}\n"
    assert read(tmp_path, data) == [long, GOOD]
    assert list(glimpses(source(tmp_path, data).head)) == [long, GOOD]


def test_glimpses_show_the_whole_elements_of_a_cut_list(tmp_path: Path) -> None:
    head = source(tmp_path, f"[{TEXT}, {TEXT[:9]}").head
    assert list(glimpses(head)) == [GOOD]
    assert not is_single(head)
