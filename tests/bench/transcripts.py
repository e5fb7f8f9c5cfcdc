"""A seeded folder of session transcripts: the rows of the samples over and over, under ids and times of their own.

What is said and what tools gave back is as long as in real sessions (the samples hold a few words each): most of it
short, some of it a file of thousands of characters, which stands in Claude Code's rows twice. Tool calls come more
often than failures and compactions. `plain` leaves the rows as they are: all of them short, which is the worst case.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parents[2] / "sample_traces"
# In the order in which their rows follow one another, the usual ones more often than the rest.
CLAUDE = (
    *("tool_call_conversation", "representative_messages", "tool_call_conversation", "representative_messages"),
    *("retries", "tool_call_conversation", "representative_messages", "compaction_session", "blocks_session"),
)
CODEX = (
    *("rollout-2026-01-02-session", "rollout-2026-08-01-subagent-parent", "rollout-2026-01-02-session"),
    *("failures", "rollout-2026-01-02-session", "rollout-2026-08-01-subagent-parent", "blocks_rollout"),
)
START = datetime(2026, 11, 1, tzinfo=UTC)
# Fields that name a row, a message or a call; each copy of the samples has its own.
_IDS = frozenset({"uuid", "parentUuid", "leafUuid", "messageId", "requestId", "tool_use_id", "call_id", "id"})
_WORDS = (
    *("def", "return", "import", "raise", "self", "value", "result", "index", "session", "store", "record", "assert"),
    *("SELECT", "FROM", "WHERE", "file_id", "run_id", "NULL", "count", "==", "->", "(", ")", "{", "}", "[", "]", "#"),
    *("TODO", '"name"', "'kind'", "0", "1", "42", "0x1f", "é", "→", "ok", "FAILED", "path/to/part.py", "the", "and"),
)
_LONGEST = 18_000

Row = dict[str, Any]


@dataclass
class _Session:
    """One file's session and how far its copies of the samples have come."""

    chance: random.Random
    name: str
    copy: int = 0
    at: datetime = START
    plain: bool = False

    def next_time(self) -> str:
        """Two seconds after the row before."""
        self.at += timedelta(seconds=2)
        return self.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def told(self, text: str, usual: float = 1_200) -> str:
        """The text, as long as in a real session: half of what a tool gives back is longer than `usual`."""
        if self.plain:
            return text
        wanted = min(_LONGEST, int(usual * self.chance.lognormvariate(0, 1.2)))
        lines = [text]
        length = len(text)
        while length < wanted:
            lines.append("    " + " ".join(self.chance.choices(_WORDS, k=9)))
            length += len(lines[-1]) + 1
        return "\n".join(lines)


def write(folder: Path, *, megabytes: float = 60, files: int = 24, seed: int = 11, plain: bool = False) -> int:
    """The folder holds so many transcripts, of Claude Code and of Codex in turn; their size in bytes."""
    size = int(megabytes * 1_000_000 / files)
    return sum(write_one(_path(folder, number), size, seed=seed + number, plain=plain) for number in range(files))


def _path(folder: Path, number: int) -> Path:
    if number % 2:
        return folder / "codex" / f"rollout-2026-11-01T00-00-00-{_session_id(number)}.jsonl"
    return folder / "claude" / f"{_session_id(number)}.jsonl"


def _session_id(number: int) -> str:
    return f"0b5e55ed-0000-4000-8000-{number:012x}"


def write_one(path: Path, size: int, *, seed: int = 11, plain: bool = False) -> int:
    """The file holds one session of about so many bytes, of Codex where its name begins as a rollout's; its size."""
    path.parent.mkdir(parents=True, exist_ok=True)
    session = _Session(random.Random(seed), path.stem[-36:], plain=plain)  # noqa: S311 - data, no secret
    rows = _codex(session) if path.name.startswith("rollout-") else _claude(session)
    written = 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            written += file.write(json.dumps(next(rows), ensure_ascii=False, separators=(",", ":")) + "\n")
    return path.stat().st_size


def _sample(folder: str, name: str) -> list[Row]:
    """The whole rows of a sample; one ends in the middle of a row."""
    rows = []
    for line in (SAMPLES / folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    return rows


def _claude(session: _Session) -> Iterator[Row]:
    samples = [_sample("claude_code", name) for name in CLAUDE]
    while True:
        for rows in samples:
            session.copy += 1
            for row in rows:
                yield _claude_row(session, _renamed(row, session.copy))


def _claude_row(session: _Session, row: Row) -> Row:
    if "sessionId" in row:
        row |= {"sessionId": session.name, "timestamp": session.next_time(), "cwd": "/srv/dev/ledger"}
    content = row.get("message", {}).get("content")
    for part in content if isinstance(content, list) else []:
        if part.get("type") == "tool_result" and isinstance(part.get("content"), str) and not part.get("is_error"):
            told = part["content"] = session.told(part["content"])
            row["toolUseResult"] = {"stdout": told, "stderr": "", "interrupted": False, "isImage": False}
        elif part.get("type") in ("text", "thinking") and row["type"] == "assistant":
            part[part["type"]] = session.told(part[part["type"]], usual=300)
        elif part.get("type") == "tool_use" and "new_string" in part["input"]:
            part["input"]["new_string"] = session.told(part["input"]["new_string"])
    return row


def _codex(session: _Session) -> Iterator[Row]:
    samples = [_sample("codex", name) for name in CODEX]
    header = {**samples[0][0]["payload"], "id": session.name, "cwd": "/srv/dev/ledger"}
    yield {"timestamp": session.next_time(), "type": "session_meta", "payload": header}
    while True:
        for rows in samples:
            session.copy += 1
            for row in rows:
                if row["type"] != "session_meta":
                    yield _codex_row(session, _renamed(row, session.copy))


def _codex_row(session: _Session, row: Row) -> Row:
    row["timestamp"] = session.next_time()
    payload = row["payload"]
    if payload.get("type") in ("function_call_output", "custom_tool_call_output"):
        payload["output"] = _codex_output(session, payload["output"])
    if payload.get("type") == "custom_tool_call":
        payload["input"] = session.told(payload["input"])
    if payload.get("type") == "token_count":
        payload["info"]["total_token_usage"]["total_tokens"] += 100_000 * session.copy
    return row


def _codex_output(session: _Session, output: Any) -> Any:
    """The output of a call: a text, a list of parts, or a JSON text with its metadata."""
    if isinstance(output, list):
        return [{**part, "text": session.told(part["text"])} for part in output]
    if not output.startswith("{"):
        return session.told(output)
    value = json.loads(output)
    if "output" in value:
        value["output"] = session.told(value["output"])
    return json.dumps(value)


def _renamed(row: Row, copy: int) -> Row:
    """The row with every id of its own marked as this copy's."""

    def change(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: change(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [change(item) for item in value]
        return f"{value}-{copy}" if key in _IDS and isinstance(value, str) else value

    renamed: Callable[[Row], Row] = change
    return renamed(row)
