"""bijux-canon-runtime 0.3.9: its execution store, trace JSON, replay results and HTTP failure envelopes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ingest import json_text
from ingest.adapter import Adapter, Item, Parsed, Place, Rejected, Skipped, unread
from ingest.bijux import runtime_http, runtime_replay, runtime_store, runtime_stored_runs, runtime_trace
from ingest.source import Head, Source

_SHAPES = (
    runtime_trace.is_trace,
    runtime_replay.is_command_result,
    runtime_replay.is_report,
    runtime_http.is_refusal,
    runtime_http.is_named_answers,
)
_RAW = 2_000
# What a trace that was cut still shows at its beginning.
_TRACE_WORDS = ('"causality_tag"', '"payload_hash"', '"event_index"')


@dataclass(frozen=True, slots=True)
class _Document:
    """One JSON value of the file: the whole of it, an element of its list, or a line."""

    value: Any
    place: Place
    found_at: str
    flags: tuple[str, ...] = ()


def recognise(head: Head) -> bool:
    """A DuckDB file with the runtime's tables, or JSON of one of its shapes, a cut one included."""
    if runtime_store.is_duckdb(head.sample):
        return runtime_store.is_execution_store(head.source)
    if any(_has_shape(document) for document in head.documents()):
        return True
    return head.document is None and head.text.lstrip().startswith("{") and _is_cut_trace(head)


def _has_shape(value: Any) -> bool:
    return any(has_shape(value) for has_shape in _SHAPES)


def _is_cut_trace(head: Head) -> bool:
    return not head.first_records and all(word in head.text for word in _TRACE_WORDS)


def read(source: Source) -> Iterator[Item]:
    """Every row of a store, every event of a trace, every result and envelope as one unit."""
    if runtime_store.is_duckdb(source.head.sample):
        yield from runtime_stored_runs.items(source)
        return
    for document in _documents(source):
        if isinstance(document, _Document):
            yield from _items(document)
        else:
            yield document


def _documents(source: Source) -> Iterator[_Document | Rejected | Skipped]:
    data = source.data()
    whole = json_text.decode(json_text.decoded_leniently(data))
    if isinstance(whole, json_text.Fault) and not _is_lines(whole, source):
        if data.strip():
            yield Rejected(Place(1, 0), whole.reason, whole.message, source.head.text[:_RAW])
        return
    if isinstance(whole, json_text.Fault):
        yield from _lines(source)
    elif isinstance(whole.value, list):
        for number, value in enumerate(whole.value, start=1):
            yield _Document(value, Place(), f"{source.below}#{number}", whole.flags)
    else:
        yield _Document(whole.value, Place(1, 0), source.below, whole.flags + _encoding_flags(data))


def _encoding_flags(data: bytes) -> tuple[str, ...]:
    """Undecodable bytes are replaced, not a reason to lose the run: a missing event would change how it ended."""
    if data.startswith(json_text.UTF16_MARKS):
        return ()
    try:
        data.decode()
    except UnicodeDecodeError:
        return ("not_utf8",)
    return ()


def _is_lines(fault: json_text.Fault, source: Source) -> bool:
    """There is text after a first value, and at least one line holds a whole one."""
    return fault.reason == "text_after_value" or bool(source.head.first_records)


def _lines(source: Source) -> Iterator[_Document | Rejected | Skipped]:
    with source.open() as stream:
        for line, decoded in json_text.values(stream):
            place = Place(line.number, line.offset)
            if isinstance(decoded, json_text.Decoded):
                yield _Document(decoded.value, place, f"{source.below}#{line.number}", decoded.flags)
            else:
                yield unread(place, line, decoded)


def _items(document: _Document) -> Iterator[Item]:
    value, place = document.value, document.place
    if runtime_replay.is_command_result(value) and runtime_trace.is_trace(value["trace"]):
        yield from _command_items(document)
    elif runtime_trace.is_trace(value):
        yield from runtime_trace.items(value, place, document.found_at, flags=document.flags)
    elif runtime_replay.is_report(value):
        yield Parsed(place, runtime_replay.report_records(value))
    elif runtime_http.is_named_answers(value):
        yield from runtime_http.named_items(value, place, document.found_at)
    elif runtime_http.is_envelope(value) or runtime_http.is_answer(value):
        yield runtime_http.item(value, place, document.found_at, value.get("name"))
    else:
        yield Rejected(place, "unknown_shape", "this is no trace, replay result or failure envelope", str(value))


def _command_items(document: _Document) -> Iterator[Item]:
    """The replay's trace, its header's unit with the differences beside the run."""
    value = document.value
    traced = runtime_trace.items(
        value["trace"], document.place, document.found_at, run_id=str(value["run_id"]), flags=document.flags
    )
    replays = runtime_replay.command_records(value)
    for number, item in enumerate(traced):
        if number == 0 and isinstance(item, Parsed):
            yield Parsed(item.place, (*item.records, *replays))
        else:
            yield item


ADAPTER = Adapter(
    name="bijux_runtime",
    version=1,
    title="bijux-canon-runtime store, trace, replay result and failure envelopes",
    recognised_by="a DuckDB file with the runtime's tables; JSON with a trace's, a replay's or an envelope's keys",
    yields=("runs", "spans", "events", "errors", "replays"),
    recognise=recognise,
    read=read,
    bundle=runtime_store.bundle,
    record_is="row",
)
