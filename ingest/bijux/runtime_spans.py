"""The steps of a runtime run and the calls within them, as spans: order is real, time is not."""

from __future__ import annotations

from dataclasses import dataclass, field

from ingest.bijux.runtime_run import RuntimeEvent, RuntimeRun
from ingest.records import Span

_CALLS = {"TOOL_CALL": "tool", "RETRIEVAL": "retrieval", "REASONING": "reasoning", "VERIFICATION": "verification"}
_CLOSED_AS = {"END": "ok", "PASS": "ok", "FAIL": "error", "FAILED": "error", "ESCALATE": "unset"}


@dataclass
class _Call:
    """A call that began; `status` stays open until an event ends it."""

    kind: str
    span_id: str
    parent: str | None
    opened_by: RuntimeEvent
    status: str = "open"
    closed_by: str | None = None

    @property
    def tool(self) -> str | None:
        tool = self.opened_by.fact.payload.get("tool_id")
        return str(tool) if tool else None

    def closes_with(self, kind: str, event: RuntimeEvent) -> bool:
        """Same kind, and for a tool call the same tool."""
        return self.kind == kind and (kind != "tool" or self.tool == event.fact.payload.get("tool_id"))


@dataclass
class RunSpans:
    """Which spans each event opens, which span it belongs to, and the steps that no event opens."""

    opened: dict[str, list[Span]] = field(default_factory=dict)
    span_of: dict[str, str | None] = field(default_factory=dict)
    unopened: list[Span] = field(default_factory=list)


def step_span_id(step: int) -> str:
    """The id of a step's span, the same in a store and in a trace."""
    return f"step-{step}"


def spans_of(run: RuntimeRun) -> RunSpans:
    """Every step and call of the run as spans."""
    spans = RunSpans()
    _add_steps(run, spans)
    for call in _calls(run, spans):
        spans.opened.setdefault(call.opened_by.event_id, []).append(_call_span(run, call))
    return spans


def _add_steps(run: RuntimeRun, spans: RunSpans) -> None:
    starts: dict[int | None, list[RuntimeEvent]] = {}
    for event in run.events:
        if event.fact.type == "STEP_START":
            starts.setdefault(event.fact.step, []).append(event)
    statuses = _step_statuses(run)
    for step, status in statuses.items():
        begun = starts.get(step, [])
        span = _step_span(run, step, status, begun)
        if begun:
            spans.opened.setdefault(begun[0].event_id, []).append(span)
        else:
            spans.unopened.append(span)


def _step_statuses(run: RuntimeRun) -> dict[int, str | None]:
    facts = run.facts
    statuses: dict[int, str | None] = dict.fromkeys(facts.all_steps, "ok")
    statuses.update(dict.fromkeys(facts.incomplete, "open"))
    statuses.update(dict.fromkeys(facts.not_reached, "not_reached"))
    statuses.update({failure.step: "error" for failure in facts.failures if failure.step is not None})
    # An orphan tells nothing about its steps, not even that they were not reached.
    return statuses if run.events else dict.fromkeys(statuses)


def _step_span(run: RuntimeRun, step: int, status: str | None, starts: list[RuntimeEvent]) -> Span:
    planned = run.planned(step)
    attributes = dict(planned.kept) if planned else {}
    if planned and planned.inputs_fingerprint:
        attributes["inputs_fingerprint"] = planned.inputs_fingerprint
    if len(starts) > 1:
        attributes["started_again_at_events"] = [event.event_id for event in starts[1:]]
    return Span(
        run_id=run.run_id,
        span_id=step_span_id(step),
        kind="step",
        name=run.agents.get(step),
        phase=planned.type if planned else None,
        agent=run.agents.get(step),
        step_index=step,
        status=status,
        recorded_seq=starts[0].fact.index if starts else None,
        attributes=attributes,
    )


def _calls(run: RuntimeRun, spans: RunSpans) -> list[_Call]:
    """Every call in the order it began; events are given the innermost span they happened in."""
    calls: list[_Call] = []
    running: list[_Call] = []
    step: str | None = None
    for event in run.events:
        family, _, ending = event.fact.type.rpartition("_")
        if family == "STEP":
            if ending == "START":
                # A step that starts again after a crash: what its first attempt left open is not its own.
                running, step = [], step_span_id(event.fact.step) if event.fact.step is not None else None
            spans.span_of[event.event_id] = step
            running, step = ([], None) if ending == "END" else (running, step)
            continue
        kind = _CALLS.get(family)
        if kind and ending == "START":
            call = _Call(kind, f"{kind}-{event.event_id}", running[-1].span_id if running else step, event)
            calls.append(call)
            running.append(call)
            spans.span_of[event.event_id] = call.span_id
            continue
        closed = _closed(running, kind, event) if kind and ending in _CLOSED_AS else None
        if closed is None:
            spans.span_of[event.event_id] = running[-1].span_id if running else step
            continue
        closed.status, closed.closed_by = _CLOSED_AS[ending], event.event_id
        del running[running.index(closed) :]
        spans.span_of[event.event_id] = closed.span_id
    return calls


def _closed(running: list[_Call], kind: str, event: RuntimeEvent) -> _Call | None:
    return next((call for call in reversed(running) if call.closes_with(kind, event)), None)


def _call_span(run: RuntimeRun, call: _Call) -> Span:
    fact = call.opened_by.fact
    name = call.tool or fact.payload.get("request_id") or fact.payload.get("agent_id")
    attributes = {"opened_by": call.opened_by.event_id, "closed_by": call.closed_by}
    return Span(
        run_id=run.run_id,
        span_id=call.span_id,
        parent_span_id=call.parent,
        kind=call.kind,
        name=str(name) if name else None,
        agent=run.agents.get(fact.step) if fact.step is not None else None,
        step_index=fact.step,
        tool=call.tool,
        status=call.status,
        recorded_seq=fact.index,
        attributes=attributes,
    )
