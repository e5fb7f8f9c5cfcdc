"""What AutoGen, AG2 and Magentic-One leave: message lists, console text, lines of the `autogen_core.events` logger.

A step is a position in the list, from 0. Errors stand only in the text: what looks like one is derived and
names its rule. Labels of a failure-attribution set are kept with the run and used by nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.adapter import Adapter, Item, Rejected
from ingest.records import file_run_key
from ingest.source import Head, Source
from ingest.vendor import autogen_console, autogen_events
from ingest.vendor.json_values import Unit, glimpses, units
from ingest.vendor.message_records import SOURCE, Conversation, is_message, message_records, run_record
from ingest.vendor.parsed import parsed
from ingest.vendor.values import mapping, sequence


def recognise(head: Head) -> bool:
    """Messages of `role` and `content`, in one of their four wrappings."""
    seen = list(glimpses(head))
    if seen:
        return (
            all(is_message(value) for value in seen)
            or any(_is_conversation(value) for value in seen)
            or any(autogen_events.is_event(value) for value in seen)
        )
    return autogen_console.is_console(head.text)


def _is_conversation(value: dict[str, Any]) -> bool:
    """An object with a list of messages, and no more of another format than that."""
    messages = sequence(value.get("history"))
    if not messages or any(mapping(message).get("message_type") for message in messages):
        return False
    return all(is_message(mapping(message)) for message in messages)


def read(source: Source) -> Iterator[Item]:
    """Every conversation of the file, message by message."""
    if autogen_console.is_console(source.head.text) and not any(glimpses(source.head)):
        yield from _conversation(autogen_console.unit(source), source.below)
        return
    single: list[Unit] = []
    events = autogen_events.Reading(source.below)
    for number, unit in enumerate(units(source)):
        if not isinstance(unit, Unit):
            yield unit
        elif isinstance(unit.value, dict) and _is_conversation(unit.value):
            yield from _conversation(unit, source.below if number == 0 else f"{source.below}#{number}")
        elif isinstance(unit.value, dict) and autogen_events.is_event(unit.value):
            yield parsed(unit.place, unit.raw, events.records, unit.value, unit.flags)
        elif isinstance(unit.value, dict) and is_message(unit.value):
            single.append(unit)
        else:
            yield Rejected(unit.place, "unknown_record", "a message has `role` and `content`", unit.raw)
    if single:
        yield from _messages(Conversation(_run_id(source.below, single), source.below), single)


def _conversation(unit: Unit, native_id: str) -> Iterator[Item]:
    inner = [Unit(message, unit.place, "") for message in sequence(unit.value.get("history"))]
    conversation = Conversation(_run_id(native_id, inner), native_id, mapping(unit.value))
    yield from _messages(conversation, inner, unit.flags)


def _run_id(native_id: str, messages: list[Unit]) -> str:
    return file_run_key(SOURCE, native_id, [unit.value for unit in messages[:1]])


def _messages(conversation: Conversation, messages: list[Unit], flags: tuple[str, ...] = ()) -> Iterator[Item]:
    first = messages[0].place
    yield parsed(first, "", run_record, conversation, [unit.value for unit in messages], flags)
    for index, unit in enumerate(messages):
        yield parsed(unit.place, unit.raw, message_records, unit.value, conversation, index, unit.flags)


ADAPTER = Adapter(
    name="message_list",
    version=1,
    title="AutoGen, AG2 and Magentic-One message lists, console text and event lines",
    recognised_by="`role` and `content` in a list or a `history`, `---------- X ----------` headers, LLMCall lines",
    yields=("runs", "spans", "events", "errors", "delegations"),
    recognise=recognise,
    read=read,
    record_is="run or message",
)
