"""The whole spans of an OTLP document that is cut or damaged: what stands is kept, what does not is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ingest.adapter import Item, Place, Rejected
from ingest.json_text import Fault
from ingest.otel.objects import object_at
from ingest.otel.otlp_values import attributes_of
from ingest.otel.proto_json import Found, is_span, span_from
from ingest.otel.records import SpanRecords

_MARKS = re.compile(r'"resource"\s*:\s*(?=\{)|(?=\{\s*"(?:traceId|trace_id)"\s*:)')
_SHOWN = 2_000


def salvaged(text: str, damage: Rejected, spans: SpanRecords) -> Iterator[Item]:
    """Every span of the text that is whole, and a rejection for each that is not; one at least, for the damage."""
    at, line, refused = 0, 1, 0
    resource: Mapping[str, Any] = {}
    while mark := _MARKS.search(text, at):
        start = mark.end()
        line += text.count("\n", at, start)
        value, end = object_at(text, start)
        if isinstance(value, Fault):
            if not mark[0]:
                refused += 1
                yield Rejected(Place(line), value.reason, value.message, text[start : start + _SHOWN])
            end = start + 1
        elif mark[0]:
            resource = attributes_of(value.value)
        elif is_span(value.value):
            flags = (*value.flags, "from_damaged_document")
            found = Found("", "span", value.value, resource)
            yield spans.item(Place(line), lambda: span_from(found, flags), value.value)  # noqa: B023 - called at once
        line += text.count("\n", start, end)
        at = end
    if not refused:
        yield damage
