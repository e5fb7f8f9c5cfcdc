"""What each row of a Claude Code session says: turns, tool calls, failures, retries, compactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ingest.adapter import Item, Parsed
from ingest.blocks.items import Reader
from ingest.blocks.text import mentions_block
from ingest.records import Event, Record, Run, Span
from ingest.sessions.claude_failures import Call, api_error, compaction, final_api_error, tool_failure
from ingest.sessions.claude_rows import SOURCE, Index, Row, is_failed
from ingest.sessions.recovered import recovery
from ingest.sessions.said import blocks_said, first_words, kept, project_folder, quotations, text_of
from ingest.sessions.tool_failure import said_in
from ingest.vendor.values import digest, text, whole, words

_TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}
# Names of a session outrank one another: a title given by a person, a title, a summary, the first words.
_RANK = {"custom-title": 3_000_000_000, "ai-title": 2_000_000_000, "summary": 1_000_000_000}


@dataclass(slots=True)
class _RunState:
    """What was seen of a run so far."""

    reader: Reader
    api_errors: list[str] = field(default_factory=list)
    failed: dict[tuple[str | None, str | None], str] = field(default_factory=dict)
    calls: dict[str, Call] = field(default_factory=dict)
    turns: set[str] = field(default_factory=set)
    rows: set[str] = field(default_factory=set)
    is_named: bool = False
    is_placed: bool = False


class Transcript:
    """The rows of one file in order, as items."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._runs: dict[str, _RunState] = {}

    def items(self, row: Row, native_id: str) -> Iterator[Item]:
        """The row as one unit; after it the blocks it says or quotes."""
        run_id = f"{SOURCE}:{native_id}"
        records: list[Record] = []
        state = self._runs.get(run_id)
        if state is None:
            state = self._runs[run_id] = _RunState(Reader(run_id))
            records.append(self._run(row, native_id, run_id))
        if not state.is_placed and row.value.get("cwd"):
            state.is_placed = True
            records.append(self._placed(row, native_id, run_id))
        records += _READERS.get(row.type, _other)(self, row, state)
        yield Parsed(row.place, tuple(records or _other(self, row, state)))
        if row.key not in state.rows:
            state.rows.add(row.key)
            yield from self._said(row, state)

    def _said(self, row: Row, state: _RunState) -> Iterator[Item]:
        if row.type != "user" and not row.is_model_turn:
            return
        for part in row.parts:
            told = text_of(part.get("content")) if part.get("type") == "tool_result" else text_of([part])
            if not mentions_block(told):
                continue
            if row.type == "user":
                yield from quotations(told, row.place)
            elif part.get("type") == "text":
                said_by = partial(_said_by, row, told)
                yield from blocks_said(told, row.place, state.reader, said_by=said_by, occurred_at=row.time)

    def _run(self, row: Row, native_id: str, run_id: str) -> Run:
        return Run(
            run_id=run_id,
            event_id="session",
            source=SOURCE,
            native_id=native_id,
            started_at=row.time,
            session_id=native_id.partition("/")[0],
            parent_run_id=self._index.parent_run(row),
        )

    def _placed(self, row: Row, native_id: str, run_id: str) -> Run:
        """Where the session ran, from the first row that says it: summaries and snapshots before it do not."""
        return Run(
            run_id=run_id,
            event_id="folder",
            source=SOURCE,
            native_id=native_id,
            workload=project_folder(row.value.get("cwd")),
            attributes=kept(
                {key: row.value.get(key) for key in ("cwd", "version", "gitBranch", "entrypoint", "agentId")}
            ),
        )

    def name(self, row: Row, run_id: str, name: str | None, kind: str) -> Iterator[Record]:
        """A run record that only names the run."""
        rank = _RANK.get(kind)
        yield Run(
            run_id=run_id,
            event_id=f"{kind}-{row.key}" if rank else kind,
            source=SOURCE,
            native_id=run_id.partition(":")[2],
            name=words(name),
            recorded_seq=rank + (row.place.line or 0) if rank else None,
        )

    def user(self, row: Row, state: _RunState) -> Iterator[Record]:
        """What the user said, what tools gave back, and where the user stepped in."""
        told = text_of([part for part in row.parts if part.get("type") == "text"])
        if told or not any(part.get("type") == "tool_result" for part in row.parts):
            yield _event(row, state, _user_kind(row, told), told)
        if not state.is_named and not row.value.get("isMeta") and (name := first_words(told)):
            state.is_named = True
            yield from self.name(row, state.reader.run_id, name, "first-words")
        for part in row.parts:
            if part.get("type") == "tool_result":
                yield from self._result(row, part, state)

    def _result(self, row: Row, part: dict[str, Any], state: _RunState) -> Iterator[Record]:
        call_id = text(part.get("tool_use_id")) or row.key
        call = state.calls.get(call_id, Call(call_id))
        told = text_of(part.get("content"))
        if is_failed(row, part):
            told = told or text_of(row.value.get("toolUseResult"))
            said = said_in(told)
            if not said.is_denial:
                state.failed[call.tool, call.given] = f"{call_id}#error"
            yield from tool_failure(row, state.reader.run_id, call, told, said)
            return
        yield _event(row, state, "tool_result", told, event_id=f"{call_id}#result", span_id=call_id, name=call.tool)
        if failed := state.failed.pop((call.tool, call.given), None):
            rule = "repeat_succeeded: the same tool succeeded later with the same input"
            yield recovery(row.time, state.reader.run_id, of=call_id, failed=failed, trigger="tool_error", rule=rule)

    def assistant(self, row: Row, state: _RunState) -> Iterator[Record]:
        """A turn of the model with its tokens once, what it said and the tools it called."""
        if not row.is_model_turn:
            if row.value.get("isApiErrorMessage"):
                state.api_errors.clear()
                yield final_api_error(row, state.reader.run_id)
            else:
                yield _event(row, state, "synthetic_message", text_of(row.message.get("content")))
            return
        if row.message_id not in state.turns:
            state.turns.add(row.message_id)
            yield self._turn(row, state)
            yield from _answered(row, state)
        for part in row.parts:
            yield from self._part(row, part, state)

    def _turn(self, row: Row, state: _RunState) -> Span:
        turn = self._index.turns[row.message_id]
        usage = {key: item for key, item in turn.usage.items() if key not in ("input_tokens", "output_tokens")}
        given = {"stop_reason": row.message.get("stop_reason"), "request_id": row.value.get("requestId")}
        model = text(row.message.get("model"))
        return Span(
            run_id=state.reader.run_id,
            span_id=row.message_id,
            occurred_at=row.time,
            kind="llm",
            name=model,
            model=model,
            started_at=turn.first,
            # When the call began is not recorded; a turn of one row has no duration.
            ended_at=turn.last if turn.first and turn.last and turn.last > turn.first else None,
            status="ok",
            input_tokens=whole(turn.usage.get("input_tokens")),
            output_tokens=whole(turn.usage.get("output_tokens")),
            attributes=kept({**given, **({"usage": usage} if usage else {})}),
            flags=row.flags,
        )

    def _part(self, row: Row, part: dict[str, Any], state: _RunState) -> Iterator[Record]:
        kind = text(part.get("type")) or "part"
        if kind == "tool_use" and (call_id := text(part.get("id"))):
            yield self._tool(row, part, call_id, state)
            return
        told = text(part.get("text")) or text(part.get("thinking")) or ""
        name = "assistant_message" if kind == "text" else kind
        event_id = f"{row.message_id}#{kind}-{digest(part)}"
        yield _event(row, state, name, told, part, event_id=event_id, span_id=row.message_id)

    def _tool(self, row: Row, part: dict[str, Any], call_id: str, state: _RunState) -> Span:
        given = part.get("input")
        state.calls[call_id] = Call(call_id, text(part.get("name")), digest(given))
        result = self._index.results.get(call_id)
        status = "open" if result is None else "error" if result.is_error else "ok"
        return Span(
            run_id=state.reader.run_id,
            span_id=call_id,
            parent_span_id=row.message_id,
            kind="tool",
            name=text(part.get("name")),
            tool=text(part.get("name")),
            started_at=row.time,
            ended_at=result.time if result else None,
            status=status,
            attributes=kept({"input": given, **({"result": result.facts} if result and result.facts else {})}),
            flags=row.flags,
        )

    def system(self, row: Row, state: _RunState) -> Iterator[Record]:
        """A failed call of the API, one row an attempt; a compaction; anything else as it is."""
        subtype = text(row.value.get("subtype")) or ""
        if subtype == "api_error":
            state.api_errors.append(row.key)
            yield api_error(row, state.reader.run_id)
        elif subtype.endswith("compact_boundary"):
            yield compaction(row, state.reader.run_id)
        else:
            yield from _other(self, row, state)

    def title(self, row: Row, state: _RunState) -> Iterator[Record]:
        """A name of the session."""
        name = text(row.value.get(_TITLES[row.type]))
        yield from self.name(row, state.reader.run_id, name, row.type)


def _said_by(row: Row, told: str) -> str:
    return f"{row.message_id}#{digest(told)}"


def _answered(row: Row, state: _RunState) -> Iterator[Record]:
    """The model answered: the failed calls of its API before are recovered from."""
    if state.api_errors:
        failed, count = state.api_errors[-1], len(state.api_errors)
        state.api_errors.clear()
        rule = f"retry_succeeded: the model answered after {count} failed calls of its API"
        yield recovery(row.time, state.reader.run_id, of=row.message_id, failed=failed, trigger="api_error", rule=rule)


def _user_kind(row: Row, told: str) -> str:
    if told.lstrip().startswith("[Request interrupted by user"):
        return "interruption"
    return "compact_summary" if row.value.get("isCompactSummary") else "user_message"


def _event(
    row: Row, state: _RunState, kind: str, told: str, part: dict[str, Any] | None = None, **given: str | None
) -> Event:
    own = {key: item for key, item in part.items() if key not in ("type", "signature")} if part else None
    return Event(
        run_id=state.reader.run_id,
        occurred_at=row.time,
        kind=kind,
        summary=words(told),
        attributes=kept({"parent_uuid": row.value.get("parentUuid"), **(own or {"text": told})}),
        flags=row.flags,
        **{"event_id": row.key, **given},
    )


def _other(_transcript: Transcript, row: Row, state: _RunState) -> Iterator[Record]:
    """A row of another kind, kept as it is."""
    yield Event(
        run_id=state.reader.run_id,
        event_id=row.key if row.value.get("uuid") else None,
        occurred_at=row.time,
        kind=row.type,
        name=text(row.value.get("subtype")) or text(row.value.get("operation")),
        summary=words(row.value.get("content")) if isinstance(row.value.get("content"), str) else None,
        attributes=kept(row.value, "uuid", "sessionId", "timestamp", "type"),
        flags=row.flags,
    )


_READERS: dict[str, Callable[[Transcript, Row, _RunState], Iterator[Record]]] = {
    "user": Transcript.user,
    "assistant": Transcript.assistant,
    "system": Transcript.system,
    **dict.fromkeys(_TITLES, Transcript.title),
}
