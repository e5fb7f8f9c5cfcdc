"""What a producer says directly: the `faultlens.*` attributes, read by the same rules as the native format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ingest import native
from ingest.otel.span import OtelSpan
from ingest.otel.values import structured
from ingest.records import SET_NAMES, ContextItem, Diagnosis, ErrorEvent, RecoveryEvent

_ERROR = "faultlens.error."
_RECOVERY = "faultlens.recovery."
_CONTEXT = "faultlens.context."
# These stand on the span itself, not below `faultlens.error.`.
_PAIR = ("observed_at", "originated_at", "trigger", "root_cause")
UNREADABLE = "bad_faultlens_attribute"


def declared_error(span: OtelSpan, run_id: str, flags: set[str]) -> ErrorEvent | None:
    """The error event that the span's attributes spell out; the record has no id and no defaults."""
    if not span.shape.declares:
        return None
    fields = _fields(span, _ERROR)
    record = _record("error_event", span, {**_pair(span), **fields}, flags) if fields else None
    return record.model_copy(update={"run_id": run_id}) if isinstance(record, ErrorEvent) else None


def declared_recovery(span: OtelSpan, run_id: str, flags: set[str]) -> RecoveryEvent | None:
    """The recovery attempt that the span's attributes spell out."""
    if not span.shape.declares:
        return None
    fields = _fields(span, _RECOVERY)
    record = _record("recovery_event", span, fields, flags) if fields else None
    if not isinstance(record, RecoveryEvent):
        return None
    at = record.occurred_at or span.end or span.start
    return record.model_copy(update={"run_id": run_id, "event_id": f"{span.span_id}/recovery", "occurred_at": at})


def declared_diagnosis(span: OtelSpan, run_id: str, error: ErrorEvent | None) -> Diagnosis | None:
    """The diagnosis that an observed_at / originated_at pair makes; it belongs to the span's error, if there is one."""
    if not span.shape.declares:
        return None
    pair = {name: getattr(error, name, None) or value for name, value in _pair(span).items()} if error else _pair(span)
    observed = error.observed_at if error and error.observed_at else pair.get("observed_at")
    originated = error.originated_at if error and error.originated_at else pair.get("originated_at")
    if not (observed and originated):
        return None
    return Diagnosis(
        run_id=run_id,
        event_id=f"{span.span_id}/diagnosis",
        for_event=error.event_id if error else None,
        occurred_at=error.occurred_at if error else span.end or span.start,
        observed_at=observed,
        originated_at=originated,
        trigger=error.trigger if error and error.trigger else pair.get("trigger"),
        root_cause=error.root_cause if error and error.root_cause else pair.get("root_cause"),
        context_failure_class=error.context_failure_class if error else None,
    )


def declared_sets(span: OtelSpan, flags: set[str]) -> dict[str, tuple[ContextItem, ...]]:
    """The context sets that the span records; an empty list is a set that is recorded and empty."""
    found: dict[str, tuple[ContextItem, ...]] = {}
    for name in SET_NAMES if span.shape.declares else ():
        value = structured(span.attributes.get(f"{_CONTEXT}{name}"))
        if value is None:
            continue
        try:
            members = value if isinstance(value, list) else [value]
            found[name] = tuple(dict.fromkeys(native.context_item(name, member) for member in members))
        except native.Invalid:
            flags.add(UNREADABLE)
    return found


def _pair(span: OtelSpan) -> dict[str, str]:
    found = {name: span.attributes.get(f"faultlens.{name}") for name in _PAIR}
    return {name: str(value) for name, value in found.items() if value not in (None, "")}


def _fields(span: OtelSpan, prefix: str) -> dict[str, Any]:
    return {
        key.removeprefix(prefix): structured(value)
        for key, value in span.attributes.items()
        if key.startswith(prefix) and value is not None
    }


def _record(kind: str, span: OtelSpan, fields: Mapping[str, Any], flags: set[str]) -> Any:
    """The native record of these fields; attributes that make none stay on the span, flagged."""
    try:
        return native.records_of({"run_id": span.trace_id, **fields, "record": kind})[0]
    except native.Invalid:
        flags.add(UNREADABLE)
        return None
