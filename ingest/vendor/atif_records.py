"""An ATIF trajectory as records. Step ids are numbers or texts, times may be missing, errors have no field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ingest.records import ContextOp, Delegation, Event, Record, Run, Span, run_key
from ingest.vendor.error_like import likeness
from ingest.vendor.failure import failure
from ingest.vendor.values import Notes, mapping, sequence, storable, text, whole, within, words
from ingest.vocabulary import CONTEXT_OP

SOURCE = "atif"
# Orders of one step: the step, then its calls and what they led to; of one file; of one session.
_PER_STEP = 1_000
_PER_FILE = 10_000_000
_TAKEN_STEP = frozenset({"step_id", "timestamp", "model_name", "metrics", "tool_calls", "observation"})


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Which run a file belongs to, and the how-many-th file of its session it is."""

    native_id: str
    is_recorded: bool
    part: int
    agent: str | None

    @classmethod
    def of(cls, value: dict[str, Any], below: str) -> Trajectory:
        """By session id and continuation index; without a session the file is the run."""
        agent = mapping(value.get("agent"))
        index = whole(mapping(agent.get("extra")).get("continuation_index"))
        session = text(value.get("session_id"))
        return cls(session or below, session is not None, max(index or 0, 0), text(agent.get("name")))

    @property
    def run_id(self) -> str:
        """The run's key over all sources."""
        return run_key(SOURCE, self.native_id)

    def span_id(self, step_id: Any) -> str:
        """Step ids begin again in every continuation, so these carry its number."""
        return f"{self.part}.{step_id}" if self.part else str(step_id)

    def order(self, index: int) -> int:
        """Where a step stands in its session."""
        return self.part * _PER_FILE + index * _PER_STEP


def run_record(value: dict[str, Any], trajectory: Trajectory, flags: Iterable[str]) -> tuple[Record, ...]:
    """The run; the format has no outcome."""
    notes = Notes()
    notes.add(*flags)
    first: dict[str, Any] = next((s for s in sequence(value.get("steps")) if mapping(s).get("source") == "user"), {})
    run = Run(
        run_id=trajectory.run_id,
        event_id=f"part-{trajectory.part}",
        recorded_seq=trajectory.order(0),
        source=SOURCE,
        native_id=trajectory.native_id,
        identity="recorded" if trajectory.is_recorded else "derived",
        workload=trajectory.agent,
        name=_task(first) if not trajectory.part else None,
        status="unknown",
        status_reason="ATIF records no outcome; a grader's verdict is kept elsewhere",
        session_id=trajectory.native_id if trajectory.is_recorded else None,
        attributes=notes.attributes(value, {"steps", "session_id"}),
        flags=notes.all(),
    )
    return (run,)


def _task(step: dict[str, Any]) -> str | None:
    """The task, which stands below the instructions in the first message."""
    message = text(step.get("message")) or ""
    _, mark, below = message.partition("Task Description:")
    return words(below.strip().split("\n")[0] if mark else message)


def step_records(step: dict[str, Any], trajectory: Trajectory, index: int) -> tuple[Record, ...]:
    """A step of the agent with its calls, or a message of the user or the system with what it says of the context."""
    notes = Notes()
    records: tuple[Record, ...]
    if step.get("source") == "agent":
        records = tuple(_agent_step(step, trajectory, index, notes))
    else:
        records = (_message(step, trajectory, index, notes),)
    return (*records, *_context_op(step, trajectory, index, notes), *_delegations(step, trajectory, index))


def _agent_step(step: dict[str, Any], trajectory: Trajectory, index: int, notes: Notes) -> Iterator[Record]:
    metrics = mapping(step.get("metrics"))
    results = [mapping(result) for result in sequence(mapping(step.get("observation")).get("results"))]
    calls = [mapping(call) for call in sequence(step.get("tool_calls"))]
    shown = _output([result for result in results if not _belongs(result, calls)])
    found = likeness(shown)
    span = Span(
        run_id=trajectory.run_id,
        span_id=trajectory.span_id(step.get("step_id", index + 1)),
        recorded_seq=trajectory.order(index),
        kind="step",
        name=f"step {step.get('step_id', index + 1)}",
        agent=trajectory.agent,
        step_index=_index(step, index, notes),
        started_at=notes.time("timestamp", step.get("timestamp")),
        status="error" if found else "unset",
        model=text(step.get("model_name")),
        input_tokens=notes.count("prompt_tokens", metrics.get("prompt_tokens")),
        output_tokens=notes.count("completion_tokens", metrics.get("completion_tokens")),
        cost_usd=notes.amount("cost_usd", metrics.get("cost_usd")),
        attributes=notes.attributes({**step, "output": shown or None}, _TAKEN_STEP),
        flags=notes.all(),
    )
    yield span
    if found:
        error = failure(
            span, found.line, code=found.code, given=step.get("message"), rule=found.rule, seq=span.recorded_seq
        )
        yield error.model_copy(update={"exit_code": found.exit_code})
    for number, call in enumerate(calls, start=1):
        yield from _call(call, span, number, results)


def _index(step: dict[str, Any], index: int, notes: Notes) -> int:
    """The step's number; where its id is none, its place in the file."""
    number = whole(step.get("step_id"))
    return index + 1 if number is None else (notes.count("step_id", number) or index + 1)


def _output(results: list[dict[str, Any]]) -> str:
    return "\n".join(text(result.get("content")) or "" for result in results).strip()


def _belongs(result: dict[str, Any], calls: list[dict[str, Any]]) -> bool:
    return any(result.get("source_call_id") == call.get("tool_call_id") for call in calls if call.get("tool_call_id"))


def _call(call: dict[str, Any], step: Span, number: int, results: list[dict[str, Any]]) -> Iterator[Record]:
    order = (step.recorded_seq or 0) + number
    shown = _output([result for result in results if _belongs(result, [call])])
    found = likeness(shown)
    name = text(call.get("function_name"))
    span = Span(
        run_id=step.run_id,
        span_id=f"{step.span_id}/{call.get('tool_call_id') or number}",
        parent_span_id=step.span_id,
        recorded_seq=order,
        kind="tool",
        name=name,
        tool=name,
        agent=step.agent,
        step_index=step.step_index,
        started_at=step.started_at,
        status="error" if found else "unset",
        attributes=storable({"arguments": within(call.get("arguments")), "output": shown or None}),
    )
    yield span
    if found:
        error = failure(span, found.line, code=found.code, given=call.get("arguments"), rule=found.rule, seq=order)
        yield error.model_copy(update={"exit_code": found.exit_code})


def _message(step: dict[str, Any], trajectory: Trajectory, index: int, notes: Notes) -> Event:
    return Event(
        run_id=trajectory.run_id,
        event_id=f"step-{trajectory.span_id(step.get('step_id', index + 1))}",
        recorded_seq=trajectory.order(index),
        occurred_at=notes.time("timestamp", step.get("timestamp")),
        kind="message",
        name=text(step.get("source")),
        step_index=_index(step, index, notes),
        summary=words(step.get("message")),
        attributes=notes.attributes(step, {"step_id", "timestamp"}),
        flags=notes.all(),
    )


def _context_op(step: dict[str, Any], trajectory: Trajectory, index: int, notes: Notes) -> tuple[ContextOp, ...]:
    management = mapping(mapping(step.get("extra")).get("context_management"))
    op = text(management.get("type"))
    if op is None:
        return ()
    known = CONTEXT_OP.matched(op)
    return (
        ContextOp(
            run_id=trajectory.run_id,
            event_id=f"context-{trajectory.span_id(step.get('step_id', index + 1))}",
            recorded_seq=trajectory.order(index) + 1,
            occurred_at=notes.time("timestamp", step.get("timestamp")),
            op=known or op,
            agent=trajectory.agent,
            details=words(step.get("message")),
            attributes=storable(management),
            flags=() if known else ("unknown_value",),
        ),
    )


def _delegations(step: dict[str, Any], trajectory: Trajectory, index: int) -> Iterator[Delegation]:
    """Every sub-agent whose trajectory the step refers to."""
    number = 0
    for result in sequence(mapping(step.get("observation")).get("results")):
        for reference in sequence(mapping(result).get("subagent_trajectory_ref")):
            number += 1
            yield Delegation(
                run_id=trajectory.run_id,
                event_id=f"delegation-{trajectory.span_id(step.get('step_id', index + 1))}-{number}",
                recorded_seq=trajectory.order(index) + 1 + number,
                task_id=text(mapping(reference).get("session_id")),
                from_agent=trajectory.agent,
                attributes=storable(mapping(reference)),
            )
