"""OTLP written by hand: what the tests of OpenTelemetry adapters and derivations share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.ingest.loaded import Loaded, load_bytes

TRACE = "a1b2c3d4e5f60718293a4b5c6d7e8f90"
RUN = f"opentelemetry:{TRACE}"
SECOND = 1_770_000_000


def value(of: Any) -> dict[str, Any]:
    if isinstance(of, bool):
        return {"boolValue": of}
    if isinstance(of, int):
        return {"intValue": str(of)}
    if isinstance(of, float):
        return {"doubleValue": of}
    if isinstance(of, list):
        return {"arrayValue": {"values": [value(item) for item in of]}}
    return {"stringValue": of}


def pairs(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value(of)} for key, of in attributes.items()]


def nano(seconds: float) -> str:
    return str((SECOND * 1000 + round(seconds * 1000)) * 1_000_000)


def span(
    number: int,
    name: str = "work",
    *,
    parent: int | None = None,
    at: tuple[float, float | None] = (0, 1),
    code: int = 0,
    message: str | None = None,
    attributes: dict[str, Any] | None = None,
    events: list[tuple[str, dict[str, Any]]] | None = None,
    trace: str = TRACE,
    **more: Any,
) -> dict[str, Any]:
    """A span with a short id; `at` is its beginning and end in seconds."""
    start, end = at
    return {
        "traceId": trace,
        "spanId": f"{number:016x}",
        "parentSpanId": "" if parent is None else f"{parent:016x}",
        "name": name,
        "kind": 1,
        "startTimeUnixNano": nano(start),
        "endTimeUnixNano": "0" if end is None else nano(end),
        "attributes": pairs(attributes or {}),
        "events": [
            {"name": event, "timeUnixNano": nano(start), "attributes": pairs(said)} for event, said in events or []
        ],
        "status": {key: of for key, of in (("code", code), ("message", message)) if of},
        **more,
    }


def request(*spans: dict[str, Any], service: str = "desk-agent", **resource: Any) -> dict[str, Any]:
    described = {"attributes": pairs({"service.name": service, **resource})}
    return {"resourceSpans": [{"resource": described, "scopeSpans": [{"scope": {"name": "t"}, "spans": list(spans)}]}]}


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(of).encode() + b"\n" for of in values)


def load_spans(folder: Path, *spans: dict[str, Any], **options: Any) -> Loaded:
    return load_bytes(folder, lines(*(request(of) for of in spans)), **options)
