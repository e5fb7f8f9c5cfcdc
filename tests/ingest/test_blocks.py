"""Event blocks as people and agents write them: found, read without loss, and given their meaning."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from ingest.adapter import Parsed, Place, Skipped
from ingest.blocks.block import Block
from ingest.blocks.items import Reader
from ingest.blocks.location import location_in
from ingest.blocks.meaning import records_of
from ingest.blocks.objects import blocks_of
from ingest.blocks.text import blocks_in
from ingest.records import (
    Diagnosis,
    ErrorEvent,
    Event,
    GuardrailEvent,
    Handoff,
    Record,
    RecoveryEvent,
    ReportedMetric,
)

ERROR = "_ERROR_EVENT:\n  Level: L2\n  Type: lint\n  Result: FAILED\n"

STEP = "_STEP_COMPLETE:\n  Status: FAILED\n"
IN_A_LIST = '[\n {"_ERROR_EVENT": {"Level": "L2"}},\n {"_STEP_COMPLETE": {"Status": "SUCCESS"}}\n]\n'
UNDER_ONE_HEADER = "_ERROR_EVENT:\n  - Level: L1\n    Type: a\n  - Level: L2\n    Type: b\n"
PROSE = "An `_ERROR_EVENT` has a Level.\n_ERROR_EVENT: this is what it is called\n  Level: L2\n"
# name, text, the lines of the error events found, the lines of any other block
FOUND: list[tuple[str, str, list[int], list[tuple[str, int]]]] = [
    ("plain", ERROR, [1], []),
    ("below prose", f"It failed.\n\n{ERROR}", [3], []),
    ("in a fence", f"```\n{ERROR}```\nand so on: it goes\n", [2], []),
    ("in a tilde fence", f"~~~yaml\n{ERROR}~~~\n", [2], []),
    ("in a list", "- next:\n\n  _ERROR_EVENT:\n    Level: L2\n", [3], []),
    ("as a list item", "- _ERROR_EVENT:\n    Level: L2\n- _ERROR_EVENT:\n    Level: L3\n", [1, 3], []),
    ("any case", "_Error_Event:\n  LEVEL: L2\n", [1], []),
    ("several in a row", ERROR + ERROR + STEP, [1, 5], [("step_complete", 9)]),
    ("several under one header", UNDER_ONE_HEADER, [2, 4], []),
    ("fields as a list", "_ERROR_EVENT:\n  - Level: L1\n  - Type: a\n", [1], []),
    ("not indented", "_ERROR_EVENT:\nLevel: L2\nType: lint\nresult: FAILED\n\nNote: prose\n", [1], []),
    ("a heading", "## NEXUS_HANDOFF\n- Step: 1/3\n- Agent: Scout\n- Summary: done\n", [], [("handoff", 1)]),
    ("in one line", "_ERROR_EVENT: {Level: L2, Type: lint}\n", [1], []),
    ("with windows line ends", ERROR.replace("\n", "\r\n"), [1], []),
    ("tabs", "_ERROR_EVENT:\n\tLevel: L2\n\tType: x\n", [1], []),
    ("a bare diagnosis", "observed_at: VERIFY\noriginated_at: PLAN\n", [], [("diagnosis", 1)]),
    ("json in text", 'see {"_ERROR_EVENT": {}}\n{"_ERROR_EVENT": {"Level": "L2"}}\n', [2], []),
    ("json over lines", '{\n  "_ERROR_EVENT": {\n    "Level": "L2"\n  }\n}\n', [2], []),
    ("json in a list", IN_A_LIST, [2], [("step_complete", 3)]),
    ("prose that names one", PROSE, [], []),
    ("a header alone", "_ERROR_EVENT:\n\nis what an error looks like.\n", [], []),
    ("a time called observed_at", "observed_at: 2026-01-01T00:00:00Z\nvalue: 3\n", [], []),
    ("another key", "error_event:\n  Level: L2\n", [], []),
]

# name, the lines below `_ERROR_EVENT:`, what the field Details (or the named one) must be
VALUES: list[tuple[str, str, str, Any]] = [
    ("a colon", "Details: 14 of 22 failed: auth, see a: b", "details", "14 of 22 failed: auth, see a: b"),
    ("an at sign", "Agent: @Scout", "agent", "@Scout"),
    ("backticks", "Details: call to `ledger` failed", "details", "call to `ledger` failed"),
    ("a hash without a space", "Details: issue #12", "details", "issue #12"),
    ("a trailing comment", "Level: L2   # scan", "level", "L2"),
    ("a comment line", "Level: L2\n  # nothing\n  Type: x", "type", "x"),
    ("double quotes", 'Details: "a \\"b\\": c"', "details", 'a "b": c'),
    ("quotes within", 'Details: "foo" and "bar"', "details", '"foo" and "bar"'),
    ("single quotes", "Details: 'it''s'", "details", "it's"),
    ("an apostrophe", "Details: it's gone", "details", "it's gone"),
    ("a percent sign", "Details: %d items", "details", "%d items"),
    ("an exclamation mark", "Details: !important", "details", "!important"),
    ("an asterisk", "Details: *all* of them", "details", "*all* of them"),
    ("an ampersand", "Details: &anchor", "details", "&anchor"),
    ("a number", "exit_code: 0123", "exit_code", "0123"),
    ("a word of yaml", "Details: NO", "details", "NO"),
    ("sixty", "Details: 3:07", "details", "3:07"),
    ("a block scalar", "Details: |\n    one: 1\n    - two\n  Result: FAILED", "details", "one: 1\n- two\n"),
    ("a folded scalar", "Details: >\n    one\n    two\n  Result: FAILED", "details", "one two\n"),
    ("a continued line", "Details: one\n    two: 2\n  Result: FAILED", "details", "one two: 2"),
    ("text on the next line", "Details:\n    one: is\n  Result: FAILED", "details", '{"one": "is"}'),
    ("prose on the next line", "Details:\n    well\n    and more\n  Result: FAILED", "details", "well and more"),
    ("square brackets", "Agent: [Builder]", "agent", "Builder"),
    ("a broken bracket", "Details: [see above", "details", "[see above"),
    ("bold keys", "**Level**: L2\n  **Type:** x", "type", "x"),
    ("nothing", "Agent: null\n  Level: L2", "agent", None),
    ("a tilde", "Agent: ~\n  Level: L2", "agent", None),
    ("an escape character", "Details: \x1b[31mred\x1b[0m", "details", "\ufffd[31mred\ufffd[0m"),
]  # fmt: skip

TEMPLATES = [
    "_ERROR_EVENT:\n  Level: [L0|L1|L2|L3|L4|L5]\n  Type: [Error type]\n  Step: [X/Y]\n",
    "_ERROR_EVENT:\n  Level: L3\n  Step: X/Y\n  Result: FAILED\n",
    "_RECOVERY_EVENT:\n  chain: CHAIN_A\n  trigger: test_failure X%\n  confidence: 0.XX\n  outcome: RECOVERED\n",
    "_RECOVERY_EVENT:\n  chain: [CHAIN_A|CHAIN_B]\n  outcome: RECOVERED | ESCALATED | ABORTED\n",
    "_STEP_COMPLETE:\n  Agent: Builder\n  Status: SUCCESS | PARTIAL | FAILED\n  Next: Radar | VERIFY | DONE\n",
    "recovery_metrics:\n  chain_a:\n    attempts: N\n    success_rate: X%\n  escalation_rate: X%\n",
    "_GUARDRAIL_EVENT:\n  Level: [L1-L4]\n  Trigger: [what]\n",
    "observed_at: <phase / step>\noriginated_at: <phase / artifact>\n",
    "_STEP_COMPLETE:\n  Status: ...\n",
    '{"_ERROR_EVENT": {"Level": "L0|L1|L2", "Result": "FAILED"}}\n',
]
FILLED = [
    "_RECOVERY_EVENT:\n  chain: CHAIN_A\n  outcome: RECOVERED\n  artifacts: [notes/fix.md]\n",
    "_RECOVERY_EVENT:\n  chain: CHAIN_A\n  outcome: RECOVERED\n  artifacts: []\n",
    "_GUARDRAIL_EVENT:\n  Level: L3\n  Action: PAUSE\n  Data_classes: [pii, finance]\n",
    "_ERROR_EVENT:\n  Level: [L3]\n  Result: FAILED\n",
    "_ERROR_EVENT:\n  Level: L2\n  Details: cat log | grep red\n  Result: FAILED\n",
    "_NEXUS_STATE:\n  Phase: EXECUTE\n  Chain: [Scout, Builder]\n  Step: 2/4\n",
]


def one(text: str) -> Block:
    (block,) = blocks_in(text)
    return block


def read(text: str, **given: Any) -> Record:
    return records_of(one(text), "nexus:r", **given)[0]


def error(fields: str) -> ErrorEvent:
    record = read(f"_ERROR_EVENT:\n  {fields}\n")
    assert isinstance(record, ErrorEvent)
    return record


@pytest.mark.parametrize(("text", "errors", "others"), [case[1:] for case in FOUND], ids=[case[0] for case in FOUND])
def test_blocks_are_found_on_their_lines(text: str, errors: list[int], others: list[tuple[str, int]]) -> None:
    wanted = [*(("error_event", line) for line in errors), *others]
    assert [(block.kind, block.line) for block in blocks_in(text)] == wanted


@pytest.mark.parametrize(("fields", "name", "wanted"), [case[1:] for case in VALUES], ids=[case[0] for case in VALUES])
def test_a_value_is_the_text_that_stands_there(fields: str, name: str, wanted: Any) -> None:
    assert getattr(error(fields), name) == wanted


@pytest.mark.parametrize("text", TEMPLATES)
def test_a_template_never_filled_in_is_skipped(text: str) -> None:
    found = [Reader("nexus:r").item(block, Place(1), event_id="x", order=1) for block in blocks_in(text)]
    assert [item.reason for item in found if isinstance(item, Skipped)] == ["template"]


@pytest.mark.parametrize("text", FILLED)
def test_brackets_and_bars_alone_make_no_template(text: str) -> None:
    assert not one(text).is_template


def test_a_recovery_event_is_read_whole() -> None:
    record = read(
        "_RECOVERY_EVENT:\n"
        "  chain: L3_RECOVERY_CHAIN_B\n"
        "  confidence: 72%\n"
        "  auto_executed: true   # threshold of B is 0.70\n"
        "  steps:\n"
        "    - {step: 1, agent: null, action: git rollback, result: SUCCESS}\n"
        "    - {step: 2, agent: @Builder, action: fix: the auth, result: FAILED}\n"
        "    - step: 3\n"
        "      agent: Radar\n"
        "      action: verify: all\n"
        "  outcome: escalated\n"
        "  duration: 3\n"
        "  artifacts:\n"
        "    - reports/b.md\n"
        "    - @notes\n"
    )
    assert isinstance(record, RecoveryEvent)
    assert (record.chain, record.confidence, record.auto_executed) == ("B", 0.72, True)
    assert (record.outcome, record.steps_completed) == ("ESCALATED", 3)
    assert record.artifacts == ("reports/b.md", "@notes")
    assert [(step.step, step.agent, step.action, step.result) for step in record.steps] == [
        (1, None, "git rollback", "SUCCESS"),
        (2, "@Builder", "fix: the auth", "FAILED"),
        (3, "Radar", "verify: all", None),
    ]
    assert record.flags == ()


def test_values_of_the_wrong_type_stay_as_attributes() -> None:
    record = read(
        "_RECOVERY_EVENT:\n  chain: CHAIN_X\n  confidence: high\n  auto_executed: maybe\n  duration: 4m\n  steps: two\n"
        "  outcome: RECOVERED\n"
    )
    assert isinstance(record, RecoveryEvent)
    assert (record.chain, record.confidence, record.auto_executed, record.steps_completed) == (
        "CHAIN_X",
        None,
        None,
        None,
    )
    assert record.attributes == {"confidence": "high", "auto_executed": "maybe", "duration": "4m", "steps": "two"}
    assert set(record.flags) == {"unknown_value", "out_of_range"}


def test_a_nested_guardrail_keeps_its_parts() -> None:
    record = read(
        "_GUARDRAIL_EVENT:\n  id: g-1\n  timestamp: 2026-11-12T09:14:03Z\n  level: L3\n  step: 4/6\n"
        "  details:\n    description: renamed\n    evidence: openapi.yaml\n"
        "  action:\n    type: PAUSE\n  result:\n    status: ESCALATED\n"
    )
    assert isinstance(record, GuardrailEvent)
    assert (record.level, record.action, record.details, record.result) == ("L3", "PAUSE", "renamed", "ESCALATED")
    assert (record.step_index, record.step_total) == (4, 6)
    assert record.occurred_at is not None
    assert record.attributes["details"]["evidence"] == "openapi.yaml"


def test_an_id_names_its_event_and_another_content_under_it_is_another_event() -> None:
    texts = [
        "_GUARDRAIL_EVENT:\n  id: g-1\n  Action: PAUSE\n",
        "_GUARDRAIL_EVENT:\n  id: g-1\n  Action: ABORT\n",
        "_GUARDRAIL_EVENT:\n  id: g-1\n  Action: PAUSE\n",
    ]
    reader = Reader("nexus:r")
    found = [reader.item(one(text), Place(1), event_id="x", order=n) for n, text in enumerate(texts)]
    assert [item.records[0].event_id for item in found if isinstance(item, Parsed)] == ["g-1", "g-1#2", "g-1"]


def test_an_approval_denied() -> None:
    record = read(
        "_GUARDRAIL_EVENT:\n  Level: L4\n  decision: deny\n  reason_code: out_of_grant\n  Destination: production\n"
        "  Data classes: [pii, finance]\n  Blast radius: one tenant\n  Action: ABORT\n"
    )
    assert isinstance(record, GuardrailEvent)
    assert (record.decision, record.reason_code, record.destination) == ("deny", "out_of_grant", "production")
    assert (record.data_classes, record.blast_radius) == (("pii", "finance"), "one tenant")


def test_a_completed_step_is_an_event_with_lower_case_attributes_in_the_phase_of_the_last_state() -> None:
    text = (
        "_NEXUS_STATE:\n  Task: refund\n  Phase: DELIVER\n  Step: 5/5\n  Status: ON_TRACK\n"
        "_STEP_COMPLETE:\n  Agent: Nexus\n  Status: success\n  Next: DONE\n  Reason: all: green\n"
    )
    reader = Reader("nexus:r")
    found = [reader.item(block, Place(block.line), event_id="x", order=n) for n, block in enumerate(blocks_in(text))]
    state, step = [item.records[0] for item in found if isinstance(item, Parsed)]
    assert isinstance(state, Event)
    assert (state.kind, state.phase, state.step_index) == ("nexus_state", "DELIVER", 5)
    assert isinstance(step, Event)
    assert (step.kind, step.phase, step.agent) == ("step_complete", "DELIVER", "Nexus")
    assert step.attributes.items() >= {"status": "SUCCESS", "next": "DONE", "reason": "all: green"}.items()


def test_a_refused_handoff() -> None:
    record = read(
        "HANDOFF_REFUSED:\n  from: Builder\n  to: Radar\n  condition: 2 (missing field)\n"
        "  missing_item: adr-7\n  bounce: 1\n"
    )
    assert isinstance(record, Handoff)
    assert (record.from_agent, record.to_agent, record.status) == ("Builder", "Radar", "refused")
    assert (record.condition, record.details, record.bounce) == ("2", "adr-7", 1)


def test_a_handoff_names_its_next_agent() -> None:
    record = read(
        "## NEXUS_HANDOFF\n- Step: 2/4\n- Agent: Scout\n- Summary: found it\n- Suggested next agent: Builder\n"
    )
    assert isinstance(record, Handoff)
    assert (record.from_agent, record.to_agent, record.status, record.details) == ("Scout", "Builder", None, "found it")


def test_reported_metrics_are_a_row_for_each_chain_with_the_escalation_rate_in_the_first() -> None:
    block = one(
        "recovery_metrics:\n  chain_a: {attempts: 9, success_rate: 78%, avg_confidence: 0.79}\n"
        "  chain_b:\n    attempts: 2\n    success_rate: 50%\n  escalation_rate: 4%\n"
    )
    found = [record for record in records_of(block, "nexus:r") if isinstance(record, ReportedMetric)]
    assert [(row.chain, row.attempts, row.success_rate, row.avg_confidence, row.escalation_rate) for row in found] == [
        ("A", 9, 0.78, 0.79, 0.04),
        ("B", 2, 0.5, None, None),
    ]


def test_a_diagnosis_inside_an_error_event_is_both() -> None:
    block = one(ERROR + "  observed_at: VERIFY / suite\n  originated_at: CLASSIFY / criteria\n")
    found = records_of(block, "nexus:r")
    assert [type(record) for record in found] == [ErrorEvent, Diagnosis]
    assert isinstance(found[1], Diagnosis)
    assert found[1].originated_at == "CLASSIFY / criteria"


CUT = [
    ("_ERROR_EVENT:\n  Level: L2\n  Details: the file ends in this blo", True),
    ("_ERROR_EVENT:\n  Level: L2\n  Details: the file ends after this line\n", True),
    ("_ERROR_EVENT:\n  Level: L2\n  Result: SUCC", True),
    ("_ERROR_EVENT:\n  Level: L2\n  Result: FAILED", False),
    ("_ERROR_EVENT:\n  Level: L2\n\nProse follows.\n", False),
    ("```\n_ERROR_EVENT:\n  Level: L2\n```\n", False),
    ("_RECOVERY_EVENT:\n  chain: CHAIN_A\n  steps:\n    - step: 1\n", True),
    ("_ERROR_EVENT:\n", True),
    ("_ERROR_EVENT:\n  Lev", True),
]


@pytest.mark.parametrize(("text", "is_cut"), CUT)
def test_a_block_at_the_end_of_its_text_without_its_closing_field_is_cut(text: str, is_cut: bool) -> None:  # noqa: FBT001
    assert one(text).is_cut is is_cut


def test_of_a_cut_block_nothing_is_left_but_its_header() -> None:
    item = Reader("nexus:r").item(one("_ERROR_EVENT:\n"), Place(1), event_id="x", order=1)
    assert isinstance(item, Skipped)
    assert item.reason == "incomplete_block"


def test_a_step_that_is_no_fraction_stays_text() -> None:
    assert (error("Step: 3:07\n  Result: FAILED").step, error("Step: 3:07\n  Result: FAILED").flags) == (
        "3:07",
        ("unknown_step",),
    )


def test_a_level_nobody_defined_is_kept_and_flagged() -> None:
    assert (error("Level: L9\n  Result: FAILED").level, error("Level: L9\n  Result: FAILED").flags) == (
        "L9",
        ("unknown_value",),
    )


def test_a_field_that_stands_twice_is_flagged() -> None:
    assert "duplicate_key" in error("Level: L1\n  level: L2\n  Result: FAILED").flags


def test_what_yaml_refuses_is_read_by_the_line() -> None:
    record = error("Level: L2\n  Type lint\n  Details: still here\n  Result: FAILED")
    assert (record.level, record.details, record.result) == ("L2", "still here", "FAILED")
    assert record.flags == ("not_yaml",)


def test_json_objects_are_the_same_blocks() -> None:
    value = {
        "_ERROR_EVENT": {"Level": "L1", "Step": "1/3", "Details": "see a/b.py:3"},
        "timestamp": "2026-01-01T00:00:00Z",
    }
    (block,) = blocks_of(value, 7)
    (record,) = records_of(block, "nexus:r")
    assert isinstance(record, ErrorEvent)
    assert (block.line, record.step_total, record.location) == (7, 3, "a/b.py")
    assert record.occurred_at is not None


PLACES = [
    ("see src/auth/refresh.py:87 for it", "src/auth/refresh.py"),
    ("at C:\\src\\a.ts:12:4", "C:\\src\\a.ts"),
    ("./a.go:1 and b.go:2", "./a.go"),
    ("refused by db.internal:5432", None),
    ("http://localhost.py:80/x", None),
    ("14 of 22 failed: auth", None),
    ("at 10:31:07", None),
]


@pytest.mark.parametrize(("text", "wanted"), PLACES)
def test_a_location_is_the_first_path_with_a_line(text: str, wanted: str | None) -> None:
    found = location_in(text)
    assert (found.path if found else None) == wanted


HOSTILE = [
    "_ERROR_EVENT:\n  a: &x [1]\n  b: [*x, *x]\n",
    "_ERROR_EVENT:\n  a: " + "[" * 5_000 + "\n",
    "_ERROR_EVENT:\n  a: " + "{a: " * 3_000 + "\n",
    "_ERROR_EVENT:\n  ? [a]\n  : b\n",
    "_ERROR_EVENT:\n  <<: {a: 1}\n  Level: L1\n",
    "_ERROR_EVENT:\n  Level: !!python/object/apply:os.system ['true']\n",
    "_ERROR_EVENT:\n  \x00\x01: \ud800\n",
    "_ERROR_EVENT:\n" + "  a b c d: e\n" * 3_000,
    "_ERROR_EVENT:\n" * 3_000,
    '{"_ERROR_EVENT": ' * 3_000,
    "[\n" * 3_000 + '"_ERROR_EVENT": {',
    "- " * 5_000 + "_ERROR_EVENT:\n",
    "_ERROR_EVENT:\n  Details: " + "x#y " * 20_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_costs_neither_an_exception_nor_much_time(text: str) -> None:
    began = time.monotonic()
    for block in blocks_in(text):
        Reader("nexus:r").item(block, Place(1), event_id="x", order=1)
    assert time.monotonic() - began < 30


def test_nothing_is_run_by_what_a_block_says() -> None:
    level = error("Level: !!python/object/apply:os.system ['true']").level
    assert level == "!!python/object/apply:os.system ['true']"


def test_an_alias_never_multiplies_text() -> None:
    record = error("a: {x: &x [1, 1], y: [*x, *x]}\n  Level: L1\n  Result: FAILED")
    assert len(json.dumps(record.attributes)) < 200
