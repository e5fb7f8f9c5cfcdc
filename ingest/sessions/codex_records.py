"""What each row of a Codex rollout says. A message stands in it twice, as an item and as an event, and counts once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.adapter import Item, Parsed
from ingest.blocks.items import Reader
from ingest.records import ContextOp, Event, Record, Run, Span, run_key
from ingest.sessions.codex_failures import approval, call_failure, turn_failure
from ingest.sessions.codex_outcome import Outcome
from ingest.sessions.codex_rows import SOURCE, Call, Index, Row, parent_session, role_of, status_of, told_in
from ingest.sessions.recovered import recovery
from ingest.sessions.said import blocks_said, first_words, kept, project_folder, quotations, text_of
from ingest.vendor.values import digest, mapping, text, whole, words

_APPROVALS = frozenset({"exec_approval_request", "apply_patch_approval_request", "elicitation_request"})
_NOT_SHOWN = ("instructions",)


@dataclass(slots=True)
class _Seen:
    """What came before in the file."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    ids: set[str] = field(default_factory=set)
    failed_calls: set[str] = field(default_factory=set)
    failed: dict[tuple[str | None, str | None], str] = field(default_factory=dict)
    stream_errors: list[str] = field(default_factory=list)
    model: str | None = None
    total_tokens: int | None = None
    turns: int = 0
    has_run: bool = False
    has_name: bool = False


class Rollout:
    """The rows of one file in order, as items."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._seen = _Seen()
        self.run_id = run_key(SOURCE, index.session)
        self._reader = Reader(self.run_id)

    def items(self, row: Row) -> Iterator[Item]:
        """The row as one unit; after it the blocks it says or quotes."""
        records: list[Record] = []
        is_header = row.type == "session_meta" or not self._index.has_meta
        if is_header and not self._seen.has_run:
            self._seen.has_run = True
            records.append(self._run(row))
            records += [] if row.type == "session_meta" else self._records(row)
        else:
            records += self._records(row)
        said = next((one.event_id for one in records if type(one) is Event and one.kind in _SAYING), None)
        is_new = said is None or said not in self._seen.ids
        self._seen.ids.update(one.event_id for one in records if one.event_id)
        yield Parsed(row.place, tuple(records))
        if is_new:
            yield from self._said(row, said or f"line-{row.place.line}")

    def _records(self, row: Row) -> Iterator[Record]:
        if row.is_call:
            return self._call(row)
        if row.is_output or row.is_end:
            return self._result(row)
        return _READERS.get((row.type, row.kind), Rollout._other)(self, row)

    def _said(self, row: Row, said_by: str) -> Iterator[Item]:
        role = role_of(row)
        if role == "assistant":
            yield from blocks_said(told_in(row), row.place, self._reader, said_by=lambda: said_by, occurred_at=row.time)
        elif role is not None:
            yield from quotations(told_in(row), row.place)
        elif row.is_output and row.call_id in self._index.outcomes:
            yield from quotations(self._index.outcomes[row.call_id].told, row.place)

    def _run(self, row: Row) -> Run:
        meta = row.payload if row.type == "session_meta" else {}
        parent = parent_session(meta)
        return Run(
            run_id=self.run_id,
            event_id="session",
            source=SOURCE,
            native_id=self._index.session,
            identity="recorded" if self._index.has_meta else "derived",
            workload=project_folder(meta.get("cwd")),
            started_at=row.time,
            session_id=self._index.session,
            parent_run_id=run_key(SOURCE, parent) if parent else None,
            attributes=kept(meta, "id", "timestamp", *_NOT_SHOWN),
            flags=row.flags,
        )

    def message(self, row: Row) -> Iterator[Record]:
        """A message of the user or the model, under an id that both of its copies share."""
        role, told = role_of(row) or "unknown", told_in(row)
        yield self._twice_told(row, f"{role}_message", told)
        if role == "assistant":
            yield from self._recovered(row)
        if role == "user" and not self._seen.has_name and (name := first_words(told)):
            self._seen.has_name = True
            native_id = self._index.session
            yield Run(run_id=self.run_id, event_id="first-words", source=SOURCE, native_id=native_id, name=name)

    def reasoning(self, row: Row) -> Iterator[Record]:
        """What the model says of its reasoning; the encrypted part is not kept."""
        told = text(row.payload.get("text")) or text_of(row.payload.get("summary"))
        yield self._twice_told(row, "reasoning", told) if told else self._event(row)

    def _twice_told(self, row: Row, kind: str, told: str) -> Event:
        what = f"{kind}-{digest(told)}"
        event_id = f"{what}-{self._number(row, what)}"
        said = {"text": told, "phase": row.payload.get("phase"), "images": row.payload.get("images")}
        attributes = kept(said)
        return self._event(row, kind=kind, event_id=event_id, summary=words(told), attributes=attributes)

    def _number(self, row: Row, what: str) -> int:
        """The how-many-th of its like: items and events are counted apart, so that a pair has one number."""
        self._seen.counts[row.type, what] += 1
        return self._seen.counts[row.type, what]

    def _event(self, row: Row, **given: Any) -> Event:
        given.setdefault("kind", row.kind)
        if "attributes" not in given:
            given["attributes"] = kept(row.payload, "type", *_NOT_SHOWN)
        return Event(run_id=self.run_id, occurred_at=row.time, flags=row.flags, **given)

    def _other(self, row: Row) -> Iterator[Record]:
        yield self._event(row, name=text(row.payload.get("turn_id")))

    def turn_context(self, row: Row) -> Iterator[Record]:
        """The model and the policies from here on."""
        self._seen.model = text(row.payload.get("model")) or self._seen.model
        yield self._event(row, name=self._seen.model)

    def tokens(self, row: Row) -> Iterator[Record]:
        """A turn of the model with its own tokens; a repeated running total is no turn."""
        info = mapping(row.payload.get("info"))
        last, total = mapping(info.get("last_token_usage")), mapping(info.get("total_token_usage"))
        sum_so_far = whole(total.get("total_tokens"))
        if not last or (sum_so_far is not None and sum_so_far == self._seen.total_tokens):
            yield self._event(row)
            return
        self._seen.total_tokens = sum_so_far
        self._seen.turns += 1
        yield Span(
            run_id=self.run_id,
            span_id=f"model-{self._seen.turns}",
            kind="llm",
            name=self._seen.model,
            model=self._seen.model,
            started_at=row.time,
            status="ok",
            input_tokens=whole(last.get("input_tokens")),
            output_tokens=whole(last.get("output_tokens")),
            attributes=kept(row.payload, "type"),
            flags=row.flags,
        )

    def _call(self, row: Row) -> Iterator[Record]:
        call_id = row.call_id or f"line-{row.place.line}"
        outcome = self._index.outcomes.get(call_id)
        facts = dict(outcome.facts) if outcome else {}
        yield Span(
            run_id=self.run_id,
            span_id=call_id,
            kind="tool",
            name=row.tool,
            tool=row.tool,
            started_at=row.time,
            ended_at=outcome.time if outcome else None,
            status=status_of(row, outcome),
            attributes=kept({"input": row.given, **({"result": facts} if facts else {})}),
            flags=row.flags,
        )
        yield from self._recovered(row)

    def _result(self, row: Row) -> Iterator[Record]:
        call_id = row.call_id or f"line-{row.place.line}"
        call = self._index.calls.get(call_id, Call())
        outcome = self._index.outcomes.get(call_id)
        event_id = f"{call_id}#{row.kind}"
        name = "tool_result" if row.is_output else row.kind
        summary = words(outcome.told) if outcome else None
        yield self._event(row, kind=name, event_id=event_id, name=call.tool, span_id=call_id, summary=summary)
        if outcome and outcome.is_failed:
            yield from self._failure(row, call_id, call, outcome)
        elif failed := self._seen.failed.pop((call.tool, call.given), None):
            rule = "repeat_succeeded: the same tool succeeded later with the same input"
            yield recovery(row.time, self.run_id, of=call_id, failed=failed, trigger="tool_error", rule=rule)

    def _failure(self, row: Row, call_id: str, call: Call, outcome: Outcome) -> Iterator[Record]:
        if call_id in self._seen.failed_calls:
            return
        self._seen.failed_calls.add(call_id)
        if not outcome.said.is_denial:
            self._seen.failed[call.tool, call.given] = f"{call_id}#error"
        yield from call_failure(row, self.run_id, call_id, call=call, outcome=outcome)

    def failure(self, row: Row) -> Iterator[Record]:
        """The turn failed, or the stream broke and is tried again."""
        message = text(row.payload.get("message"))
        is_retried = row.kind == "stream_error"
        number = self._number(row, f"{row.kind}-{digest(message)}")
        event_id = f"{row.kind}-{digest(message)}-{number}"
        self._seen.stream_errors = [*self._seen.stream_errors, event_id] if is_retried else []
        yield turn_failure(row, self.run_id, event_id)

    def _recovered(self, row: Row) -> Iterator[Record]:
        """The model goes on: the broken streams before are recovered from."""
        if self._seen.stream_errors:
            failed, count = self._seen.stream_errors[-1], len(self._seen.stream_errors)
            self._seen.stream_errors = []
            rule = f"retry_succeeded: the model went on after {count} broken streams"
            yield recovery(row.time, self.run_id, of=failed, failed=failed, trigger="stream_error", rule=rule)

    def aborted(self, row: Row) -> Iterator[Record]:
        """The turn was stopped; by the user, where it says so."""
        reason = text(row.payload.get("reason"))
        yield self._event(row, kind="interruption" if reason == "interrupted" else row.kind, name=reason)

    def approval(self, row: Row) -> Iterator[Record]:
        """A person is asked before the call is made."""
        yield approval(row, self.run_id)

    def compaction(self, row: Row) -> Iterator[Record]:
        """The context was compacted; the record and the event of it are one."""
        yield ContextOp(
            run_id=self.run_id,
            event_id=f"compaction-{self._number(row, 'compaction')}",
            occurred_at=row.time,
            op="compaction",
            details=words(row.payload.get("message")),
            attributes=kept(row.payload, "type", "replacement_history"),
            flags=row.flags,
        )


_SAYING = frozenset({"user_message", "assistant_message", "developer_message", "system_message", "tool_result"})
_READERS: dict[tuple[str, str], Callable[[Rollout, Row], Iterator[Record]]] = {
    ("response_item", "message"): Rollout.message,
    ("event_msg", "user_message"): Rollout.message,
    ("event_msg", "agent_message"): Rollout.message,
    ("response_item", "reasoning"): Rollout.reasoning,
    ("event_msg", "agent_reasoning"): Rollout.reasoning,
    ("turn_context", "turn_context"): Rollout.turn_context,
    ("event_msg", "token_count"): Rollout.tokens,
    ("event_msg", "error"): Rollout.failure,
    ("event_msg", "stream_error"): Rollout.failure,
    ("event_msg", "turn_aborted"): Rollout.aborted,
    ("event_msg", "context_compacted"): Rollout.compaction,
    ("compacted", "compacted"): Rollout.compaction,
    **{("event_msg", kind): Rollout.approval for kind in _APPROVALS},
}
