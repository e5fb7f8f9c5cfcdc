"""The spans of a file of OTLP JSON lines as protobuf requests, which is what other servers take.

Runs in the environment of the server that is measured.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

_HEX = ("traceId", "spanId", "parentSpanId")


def requests(file: Path, spans_each: int) -> Iterator[ExportTraceServiceRequest]:
    """Requests of at least so many spans (but the last), in the order of the file."""
    merged = ExportTraceServiceRequest()
    for line in file.open(encoding="utf-8"):
        merged.MergeFrom(ParseDict(_with_bytes(json.loads(line)), ExportTraceServiceRequest()))
        if span_count(merged) >= spans_each:
            yield merged
            merged = ExportTraceServiceRequest()
    if merged.resource_spans:
        yield merged


def span_count(request: ExportTraceServiceRequest) -> int:
    """How many spans the request holds."""
    return sum(len(scope.spans) for resource in request.resource_spans for scope in resource.scope_spans)


def _with_bytes(request: dict[str, Any]) -> dict[str, Any]:
    """OTLP JSON writes ids in hexadecimal where protobuf's own JSON expects base64."""
    for resource in request["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                span |= {key: base64.b64encode(bytes.fromhex(span[key])).decode() for key in _HEX if key in span}
    return request
