"""Long transcripts: what no longer fits is read again, and what is passed over quickly is what says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import passes, registry
from ingest.adapter import Item
from ingest.blocks.text import mentions_block
from ingest.sessions.tool_failure import said_in
from ingest.source import Source
from tests.bench import transcripts


def items(path: Path) -> list[Item]:
    source = Source(path, path.name, path.name)
    return list(registry.recognise(source).read(source))


@pytest.mark.parametrize("name", ["session.jsonl", "rollout-2026-11-01-session.jsonl"])
@pytest.mark.parametrize("kept", [0, 7_000, 60_000])
def test_rows_beyond_what_is_kept_say_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kept: int
) -> None:
    path = tmp_path / name
    transcripts.write_one(path, 50_000, seed=2)
    with path.open("ab") as file:
        file.write(b'{"cut": "')
    at_once = items(path)
    monkeypatch.setattr(passes, "KEPT_TEXT", kept)
    assert items(path) == at_once
    assert len(at_once) > 20


def test_the_same_seed_writes_the_same_bytes(tmp_path: Path) -> None:
    sizes = [transcripts.write(tmp_path / name, megabytes=0.2, files=4, seed=5) for name in ("one", "two")]
    assert sizes[0] == sizes[1] >= 200_000
    pairs = zip(*(sorted((tmp_path / name).rglob("*.jsonl")) for name in ("one", "two")), strict=True)
    assert all(one.read_bytes() == two.read_bytes() for one, two in pairs)


@pytest.mark.parametrize(
    ("text", "tool_error_class", "exit_code"),
    [
        ("The user doesn't want to proceed with this tool use.", "policy_denial", None),
        ("patch REJECTED BY the User", "policy_denial", None),
        ("reJected by u\u017fer", "policy_denial", None),
        ("Permission to use Bash has been denied", "policy_denial", None),
        ("Claude asked, but you haven't granted it yet", "policy_denial", None),
        ("PreToolUseHook: the call was blocked", "policy_denial", None),
        ("<tool_use_error>InputValidationError: no path", "invocation", None),
        ("Error: No such tool available: Foo", "invocation", None),
        ("unsupported call: foo", "invocation", None),
        ("failed to parse function arguments: EOF", "invocation", None),
        ("File has not been read yet. Read it first", "state_conflict", None),
        ("File has been unexpectedly modified", "state_conflict", None),
        ("String to replace not found in file.", "state_conflict", None),
        ("Command timed out after 2m", "unknown_outcome", None),
        ("Exit code 3\nassertion failed", "execution", "3"),
        ("Process exited with code 2\nOutput:\nno", "execution", "2"),
        ("Ex\u0130t code 3, as no keyboard writes it", "execution", "3"),
        ("a hook stands in the middle and blocked nothing", None, None),
        ("nothing of the kind", None, None),
    ],
)
def test_what_a_failed_call_says(text: str, tool_error_class: str | None, exit_code: str | None) -> None:
    found = said_in(text)
    assert (found.tool_error_class, found.exit_code) == (tool_error_class, exit_code)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("_ERROR_EVENT:", True),
        ("see _recovery_event", True),
        ("nexus_HANDOFF", True),
        ("Handoff_Refused", True),
        ("_recovery_metric\u017f", True),
        ("originated_at: PLAN", True),
        ("a_event, error_event, originated at, nexus-handoff", False),
        ("snake_case only", False),
    ],
)
def test_a_mention_of_a_block_is_found(text: str, *, expected: bool) -> None:
    assert mentions_block(text) is expected
