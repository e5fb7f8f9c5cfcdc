"""Langfuse's trace and observation as records; the names of a field in every version of the export."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ingest.records import Event, Record, Run, Span, run_key
from ingest.vendor.failure import duration_checked, failure
from ingest.vendor.span_runs import SpanRuns
from ingest.vendor.values import Notes, given_digest, mapping, real, sequence, storable, text, words

SOURCE = "langfuse"
TYPES = frozenset(
    {
        "SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL",
    }
)  # fmt: skip
_TRACE_KEYS = frozenset(
    {
        "userId", "sessionId", "release", "bookmarked", "public", "environment", "totalCost", "latency", "scores",
        "htmlPath", "projectId", "externalId", "observations", "version",
    }
)  # fmt: skip
_KINDS = {"GENERATION": "llm", "EVENT": "event", "RETRIEVER": "retrieval"}
_INPUT_TOKENS = (
    "inputUsage",
    "inputTokens",
    "promptTokens",
    "input",
    "promptTokenCount",
    "prompt_tokens",
    "input_tokens",
)
_OUTPUT_TOKENS = (
    "outputUsage", "outputTokens", "completionTokens", "output", "completionTokenCount", "completion_tokens",
    "output_tokens",
)  # fmt: skip
_TEXTS = ("input", "output")
_ALL_WELL = re.compile(r"\s*(?:ok|success(?:ful(?:ly)?)?|succeeded|completed|done|200)\W*", re.IGNORECASE)
_TAKEN = frozenset(
    {
        "id", "traceId", "parentObservationId", "name", "startTime", "endTime", "model", "providedModelName",
    }
)  # fmt: skip


def is_observation(value: dict[str, Any]) -> bool:
    """It names its trace, its beginning, and a type that Langfuse has."""
    return "traceId" in value and "startTime" in value and "id" in value and str(value.get("type")).upper() in TYPES


def is_trace(value: dict[str, Any]) -> bool:
    """It has an id and at least three of the keys that only a trace has together."""
    known = _TRACE_KEYS & value.keys()
    if "traceId" in value or "id" not in value or len(known) < 3:
        return False
    return "timestamp" in value or ("observations" in value and bool({"userId", "sessionId"} & known))


def trace_records(trace: dict[str, Any], flags: Iterable[str]) -> tuple[Record, ...]:
    """The run that a trace is, and its scores."""
    notes = Notes()
    notes.add(*flags)
    run_id = run_key(SOURCE, str(trace["id"]))
    started_at = notes.time("timestamp", trace.get("timestamp"))
    latency = real(trace.get("latency"))
    if latency is not None and latency < 0:
        notes.add("negative_duration")
    attributes = notes.attributes(trace, {"id", "timestamp", "name", "sessionId", "observations", "scores"})
    run = Run(
        run_id=run_id,
        event_id="trace",
        source=SOURCE,
        native_id=str(trace["id"]),
        tenant=None,
        name=text(trace.get("name")) or words(trace.get("input")),
        started_at=started_at,
        session_id=text(trace.get("sessionId")),
        attributes=attributes,
        flags=notes.all(),
    )
    return run, *_scores(run_id, None, trace)


def _scores(run_id: str, span_id: str | None, value: dict[str, Any]) -> tuple[Event, ...]:
    """A score is somebody's judgement of the run: kept as an event, not taken for its outcome."""
    return tuple(_score(run_id, span_id, score) for score in sequence(value.get("scores")) if isinstance(score, dict))


def _score(run_id: str, span_id: str | None, score: dict[str, Any]) -> Event:
    notes = Notes()
    shown = score.get("stringValue") if score.get("value") is None else score.get("value")
    return Event(
        run_id=run_id,
        event_id=text(score.get("id")),
        occurred_at=notes.time("timestamp", score.get("timestamp")),
        span_id=text(score.get("observationId")) or span_id,
        kind="score",
        name=text(score.get("name")),
        summary=": ".join(part for part in (text(shown), words(score.get("comment"))) if part) or None,
        attributes=notes.attributes(score),
        flags=notes.all(),
    )


def observation_records(
    observation: dict[str, Any], trace_id: str, runs: SpanRuns, flags: Iterable[str]
) -> tuple[Record, ...]:
    """The span or event that an observation is, its error, and what it repeats of its trace."""
    notes = Notes()
    notes.add(*flags)
    span = _span(observation, run_key(SOURCE, trace_id), notes)
    error = _error(observation, span)
    shown: Record = _event(span) if span.kind == "event" else span
    said = _run_said(observation, span, trace_id)
    told = runs.of(span.run_id)
    return (*told, *said, shown, *((error,) if error else ()), *_scores(span.run_id, span.span_id, observation))


def _span(observation: dict[str, Any], run_id: str, notes: Notes) -> Span:
    kind = str(observation.get("type") or "").upper()
    if kind and kind not in TYPES:
        notes.add("unknown_value")
    name = text(observation.get("name"))
    started_at, ended_at = duration_checked(
        notes, notes.time("startTime", observation.get("startTime")), notes.time("endTime", observation.get("endTime"))
    )
    parent = text(observation.get("parentObservationId"))
    inward, outward, cost = _usage(observation, notes)
    return Span(
        run_id=run_id,
        span_id=str(observation["id"]),
        parent_span_id=parent,
        kind=_KINDS.get(kind, kind.lower()) or None,
        name=name,
        agent=name if kind == "AGENT" else None,
        tool=name if kind == "TOOL" else None,
        started_at=started_at,
        ended_at=ended_at,
        status=_status(observation),
        model=text(observation.get("providedModelName")) or text(observation.get("model")),
        input_tokens=inward,
        output_tokens=outward,
        cost_usd=cost,
        attributes={**notes.attributes(observation, _TAKEN), **given_digest(observation.get("input"))},
        flags=notes.all(),
    )


def _status(observation: dict[str, Any]) -> str | None:
    if str(observation.get("level")).upper() == "ERROR":
        return "error"
    if observation.get("endTime") in (None, "") and str(observation.get("type")).upper() != "EVENT":
        return "open"
    return "unset"


def _usage(observation: dict[str, Any], notes: Notes) -> tuple[int | None, int | None, float | None]:
    """Tokens and cost under whatever names this version of the export has for them."""
    places = mapping(observation.get("usageDetails")), mapping(observation.get("usage"))
    cost = next((observation[key] for key in ("calculatedTotalCost", "totalCost") if observation.get(key)), None)
    return (
        notes.count("input_tokens", _first(observation, places, _INPUT_TOKENS)),
        notes.count("output_tokens", _first(observation, places, _OUTPUT_TOKENS)),
        notes.amount("cost", cost),
    )


def _first(observation: dict[str, Any], places: Iterable[dict[str, Any]], names: tuple[str, ...]) -> Any:
    """`input` and `output` of an observation are its texts; inside a usage object they are counts."""
    for place in places:
        for name in names if place else ():
            if place.get(name) is not None:
                return place[name]
    for name in names:
        if name in observation and name not in _TEXTS and observation[name] is not None:
            return observation[name]
    return None


def _error(observation: dict[str, Any], span: Span) -> Record | None:
    """Level ERROR is an error; a status message at another level is believed to be one, unless it says all is well."""
    message = text(observation.get("statusMessage"))
    level = text(observation.get("level"))
    given = observation.get("input")
    if span.status == "error":
        return failure(span, message or "", given=given)
    if message is None or _ALL_WELL.fullmatch(message):
        return None
    rule = f"langfuse_status_message: a status message is set, and the level is {level or 'not recorded'}"
    error = failure(span, message, given=given, rule=rule)
    return error.model_copy(update={"event_id": f"{span.span_id}/status_message"})


def _event(span: Span) -> Event:
    return Event(
        run_id=span.run_id,
        event_id=span.span_id,
        span_id=span.parent_span_id,
        occurred_at=span.started_at,
        kind="event",
        name=span.name,
        summary=words(span.attributes.get("statusMessage")) or words(span.attributes.get("input")),
        attributes=span.attributes,
        flags=span.flags,
    )


def _run_said(observation: dict[str, Any], span: Span, trace_id: str) -> tuple[Run, ...]:
    """The fields of the trace that some exports repeat on every observation."""
    repeated = {key: text(observation.get(key)) for key in ("traceName", "sessionId", "userId")}
    if not any(repeated.values()):
        return ()
    return (
        Run(
            run_id=span.run_id,
            event_id="observations",
            source=SOURCE,
            native_id=trace_id,
            name=repeated["traceName"],
            session_id=repeated["sessionId"],
            attributes=storable({"userId": repeated["userId"]} if repeated["userId"] else {}),
        ),
    )
