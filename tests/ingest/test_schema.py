"""The JSON Schema of the native format says what ingest reads: no more, no less."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.native import RECORDS, Invalid, records_of
from ingest.native_schema import schema

jsonschema = pytest.importorskip("jsonschema")
SAMPLES = Path(__file__).parents[2] / "sample_traces" / "faultlens"
GOOD = [
    json.loads(text)
    for name in ("every_kind.jsonl", "contract.jsonl")
    for text in (SAMPLES / name).read_text(encoding="utf-8").splitlines()
]
CONTRACT_KINDS = {
    "run", "span", "error_event", "recovery_event", "guardrail_event", "context", "context_op", "diagnosis",
    "delegation", "wait", "task_owner", "handoff", "replay", "reported_metrics",
}  # fmt: skip


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema.Draft202012Validator.check_schema(schema())
    return jsonschema.Draft202012Validator(schema())


def test_it_names_the_record_kinds_of_the_contract(validator: Any) -> None:
    named = {kind["properties"]["record"]["const"] for kind in validator.schema["oneOf"]}
    assert named >= CONTRACT_KINDS
    assert named == set(RECORDS)


@pytest.mark.parametrize("item", GOOD, ids=lambda item: item["record"])
def test_every_good_line_is_valid(validator: Any, item: dict[str, Any]) -> None:
    assert [each.message for each in validator.iter_errors(item)] == []


ERROR = {"record": "error_event", "run_id": "r"}
# Both the schema and the reader refuse these.
REFUSED: list[tuple[str, Any]] = [
    ("no object", [1]),
    ("no record", {"run_id": "r"}),
    ("unknown record", {"record": "retry", "run_id": "r"}),
    ("no run id", {"record": "run"}),
    ("run id null", {"record": "run", "run_id": None}),
    ("span without id", {"record": "span", "run_id": "r"}),
    ("text for a count", {"record": "span", "run_id": "r", "span_id": "s", "input_tokens": "many"}),
    ("object for text", {**ERROR, "details": {"a": 1}}),
    ("list for text", {**ERROR, "agent": ["Scout"]}),
    ("text for truth", {**ERROR, "transient": "perhaps"}),
    ("context without step", {"record": "context", "run_id": "r", "required": []}),
    ("context without set", {"record": "context", "run_id": "r", "step_id": "3"}),
    ("set that is no list", {"record": "context", "run_id": "r", "step_id": "3", "required": "adr-7"}),
    ("item without id", {"record": "context", "run_id": "r", "step_id": "3", "required": [{"revision": "1"}]}),
    ("steps that are no list", {"record": "recovery_event", "run_id": "r", "steps": "analyse"}),
]
# The schema is the stricter one: ingest keeps these with a flag.
FLAGGED: list[tuple[str, dict[str, Any]]] = [
    ("unknown level", {**ERROR, "level": "L9"}),
    ("guardrail level is another axis", {"record": "guardrail_event", "run_id": "r", "level": "L5"}),
    ("unknown status", {"record": "run", "run_id": "r", "status": "exploded"}),
    ("unknown clock", {"record": "run", "run_id": "r", "clock": "sundial"}),
    ("unknown class", {**ERROR, "tool_error_class": "cosmic"}),
    ("unknown outcome", {"record": "recovery_event", "run_id": "r", "outcome": "SOLVED"}),
]


@pytest.mark.parametrize("item", [case[1] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_ingest_refuses_is_invalid(validator: Any, item: Any) -> None:
    assert not validator.is_valid(item)
    with pytest.raises(Invalid):
        records_of(item)


@pytest.mark.parametrize("item", [case[1] for case in FLAGGED], ids=[case[0] for case in FLAGGED])
def test_what_ingest_flags_is_invalid(validator: Any, item: dict[str, Any]) -> None:
    assert not validator.is_valid(item)
    assert "unknown_value" in records_of(item)[0].flags


def test_any_other_key_is_allowed_because_it_becomes_an_attribute(validator: Any) -> None:
    assert validator.is_valid({**ERROR, "colour": "red"})
    assert records_of({**ERROR, "colour": "red"})[0].attributes == {"colour": "red"}
