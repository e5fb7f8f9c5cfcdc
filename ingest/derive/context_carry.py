"""The context sets of a model call, from the spans of its run: what was retrieved for it, what it was given and used.

Retrievals and rerankings stand on spans of their own; they are carried to the model call they feed, so that the
differences have both sides at one step. Everything here is derived, and says by which rule.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ingest.derive.context_mentions import Document, Mentions, cited_in, found_in
from ingest.otel.context import context_sets
from ingest.otel.messages import input_messages, listed, output_messages
from ingest.otel.span import OtelSpan
from ingest.otel.values import as_text, flattened
from ingest.records import ContextItem

MODEL_KINDS = frozenset({"llm", "chat", "chat_model", "generation", "model", "generate_content", "text_completion"})
FEEDING_KINDS = frozenset({"retrieval", "retriever", "reranker", "memory"})
GATE_KINDS = frozenset({"guardrail", "filter"})
TOOL_KINDS = frozenset({"tool", "execute_tool"})
CARRIED = ("required", "retrieved", "eligible", "current")
_DOCUMENTS = (
    "retrieval.documents",
    "gen_ai.retrieval.documents",
    "reranker.input_documents",
    "reranker.output_documents",
)
_LET_THROUGH = "reranker.output_documents"
_CONTENTS = ("document.content", "content", "text", "page_content")
_OUTPUTS = ("output.value", "gen_ai.tool.call.result", "traceloop.entity.output")
_ARGUMENTS = ("gen_ai.tool.call.arguments", "tool.parameters", "input.value", "traceloop.entity.input")
_DEEPEST = 64

CARRY_RULE = "context_carried: recorded on {spans}, carried to the next model call, which it feeds"
GATE_RULE = "gate_output: the retrieved items that the output of {spans} names or quotes"
COMPOSED_RULE = "input_messages: ids or exact content found in the input messages of this model call"
RERANKED_RULE = "reranker_output: what {spans} let through; the input messages do not show what was composed"
CONSUMED_RULE = "cited: ids or exact content found in the output or the tool arguments of this model call"


@dataclass(frozen=True, slots=True)
class SpanView:
    """A span of a run as the derivation needs it."""

    span_id: str
    parent_id: str | None
    seq: int
    kind: str
    started_at: datetime | None
    ended_at: datetime | None
    otel: OtelSpan

    @property
    def is_gate(self) -> bool:
        """A guardrail, or something that calls itself a filter."""
        return self.kind in GATE_KINDS or "filter" in (self.otel.name or "").casefold()


@dataclass(frozen=True, slots=True)
class KnownSet:
    """A set that a step already has."""

    items: tuple[ContextItem, ...]
    is_recorded: bool


@dataclass(frozen=True, slots=True)
class DerivedSet:
    """A set of a step that follows from other records, by a rule."""

    step_id: str
    set_name: str
    items: tuple[ContextItem, ...]
    rule: str


@dataclass
class Carried:
    """What a run's spans give: sets at model calls, and which steps were carried there."""

    sets: list[DerivedSet] = field(default_factory=list)
    steps: dict[str, str] = field(default_factory=dict)


Known = Mapping[str, Mapping[str, KnownSet]]


def carried(spans: Sequence[SpanView], known: Known) -> Carried:
    """The sets of every model call of a run that a retrieval feeds or that has sets of its own."""
    order = sorted(spans, key=lambda span: span.seq)
    calls = _Calls(order)
    feeding: dict[str, list[SpanView]] = defaultdict(list)
    gates: dict[str, list[SpanView]] = defaultdict(list)
    for span in order:
        if _feeds(span, known) and (call := calls.after(span)):
            feeding[call.span_id].append(span)
        elif span.is_gate and (call := calls.after(span)):
            gates[call.span_id].append(span)
    result = Carried()
    for call in calls.all:
        sources = feeding[call.span_id]
        if sources or {"retrieved", "eligible", "composed"} & known.get(call.span_id, {}).keys():
            result.sets += _sets_of(call, sources, gates[call.span_id], calls.tools_of(call), known)
            result.steps |= {source.span_id: call.span_id for source in sources}
    return result


def _feeds(span: SpanView, known: Known) -> bool:
    """A retrieval or reranking whose sets do not yet say what became of the items."""
    sets = known.get(span.span_id, {})
    return span.kind in FEEDING_KINDS and bool(sets) and not ({"composed", "consumed"} & sets.keys())


class _Calls:
    """The model calls of a run by what they stand below; calls inside a retrieval are part of it."""

    def __init__(self, order: Sequence[SpanView]) -> None:
        self._parents = {span.span_id: span.parent_id for span in order}
        feeding = {span.span_id for span in order if span.kind in FEEDING_KINDS}
        self._below: dict[str | None, list[SpanView]] = defaultdict(list)
        self._tools = [span for span in order if span.kind in TOOL_KINDS]
        self.all: list[SpanView] = []
        for span in order:
            lineage = self._lineage(span)
            if span.kind in MODEL_KINDS and not feeding & set(lineage):
                self.all.append(span)
                for ancestor in {*lineage, None}:
                    self._below[ancestor].append(span)

    def _lineage(self, span: SpanView) -> list[str]:
        found: list[str] = []
        at = span.parent_id
        while at is not None and at not in found and len(found) < _DEEPEST:
            found.append(at)
            at = self._parents.get(at)
        return found

    def after(self, span: SpanView) -> SpanView | None:
        """The next model call, as near in the tree as there is one: parallel branches do not feed one another."""
        for ancestor in (*self._lineage(span), None):
            calls = self._below.get(ancestor, [])
            start = bisect_right(calls, span.seq, key=lambda call: call.seq)
            for call in calls[start:]:
                if not _overlap(span, call):
                    return call
        return None

    def tools_of(self, call: SpanView) -> list[SpanView]:
        """The tool calls that the model call asked for: below it, or beside it before the next model call."""
        siblings = self._below.get(call.parent_id, [])
        following = next((other.seq for other in siblings if other.seq > call.seq), None)
        return [
            tool
            for tool in self._tools
            if tool.parent_id == call.span_id
            or (
                tool.parent_id == call.parent_id and call.seq < tool.seq and (following is None or tool.seq < following)
            )
        ]


def _overlap(span: SpanView, call: SpanView) -> bool:
    """The call began before the span had ended: it cannot have been given what the span found."""
    return bool(span.ended_at and call.started_at and call.started_at < span.ended_at)


def _sets_of(
    call: SpanView, sources: Sequence[SpanView], gates: Sequence[SpanView], tools: Sequence[SpanView], known: Known
) -> Iterator[DerivedSet]:
    own = known.get(call.span_id, {})
    sets: dict[str, tuple[ContextItem, ...]] = {name: given.items for name, given in own.items()}
    for name in CARRIED:
        if name not in own and (holding := [source for source in sources if name in known.get(source.span_id, {})]):
            sets[name] = _union(known[source.span_id][name].items for source in holding)
            yield DerivedSet(call.span_id, name, sets[name], CARRY_RULE.format(spans=_named(holding)))
    contents = _contents([call, *sources])
    if "eligible" not in sets and (passed := _passed(gates, _documents(sets.get("retrieved", ()), contents))):
        sets["eligible"] = passed
        yield DerivedSet(call.span_id, "eligible", passed, GATE_RULE.format(spans=_named(gates)))
    candidates = _documents(_union([sets.get("retrieved", ()), sets.get("eligible", ())]), contents)
    if "composed" not in sets and (composed := _composed(call, sources, candidates)):
        sets["composed"] = composed.items
        yield composed
    if "consumed" not in sets:
        yield from _consumed(call, tools, _documents(sets["composed"], contents) if "composed" in sets else candidates)


def _union(sets: Iterable[Iterable[ContextItem]]) -> tuple[ContextItem, ...]:
    return tuple(dict.fromkeys(item for items in sets for item in items))


def _named(spans: Sequence[SpanView]) -> str:
    return ", ".join(f"span {span.span_id}" for span in spans)


def _passed(gates: Sequence[SpanView], candidates: Sequence[Document]) -> tuple[ContextItem, ...]:
    """What the last gate that says something of the candidates let through."""
    for gate in reversed(gates):
        mentions = found_in(_recorded(gate, _OUTPUTS), candidates)
        if mentions.is_complete:
            return _items(mentions)
    return ()


def _composed(call: SpanView, sources: Sequence[SpanView], candidates: Sequence[Document]) -> DerivedSet | None:
    text = "\n".join(message.text for message in input_messages(call.otel))
    if text:
        mentions = found_in(text, candidates)
        return DerivedSet(call.span_id, "composed", _items(mentions), COMPOSED_RULE) if mentions.is_complete else None
    through = [source for source in sources if listed(source.otel.attributes, _LET_THROUGH) is not None]
    if not through:
        return None
    items = _union([_item(d) for d in listed(source.otel.attributes, _LET_THROUGH) or ()] for source in through)
    return DerivedSet(call.span_id, "composed", items, RERANKED_RULE.format(spans=_named(through)))


def _consumed(call: SpanView, tools: Sequence[SpanView], candidates: Sequence[Document]) -> Iterator[DerivedSet]:
    said = [message.text for message in output_messages(call.otel)]
    mentions = cited_in("\n".join([*said, *(_recorded(tool, _ARGUMENTS) for tool in tools)]), candidates)
    if mentions.is_complete:
        yield DerivedSet(call.span_id, "consumed", _items(mentions), CONSUMED_RULE)


def _recorded(span: SpanView, names: Iterable[str]) -> str:
    return "\n".join(text for name in names if (text := as_text(span.otel.attributes.get(name))))


def _items(mentions: Mentions) -> tuple[ContextItem, ...]:
    return tuple(document.item for document in mentions.found)


def _documents(items: Iterable[ContextItem], contents: Mapping[str, str]) -> list[Document]:
    return [Document(item, contents.get(item.item_id)) for item in items]


def _contents(spans: Iterable[SpanView]) -> dict[str, str]:
    """The content of every document that the spans recorded, by item id."""
    found: dict[str, str] = {}
    for span in spans:
        for name in _DOCUMENTS:
            for document in listed(span.otel.attributes, name) or ():
                flat = flattened(document)
                if content := next((as_text(flat[key]) for key in _CONTENTS if flat.get(key)), None):
                    found.setdefault(_item(document).item_id, content)
    return found


def _item(document: Mapping[str, object]) -> ContextItem:
    """The document as the item that the span reader makes of it."""
    alone = OtelSpan(trace_id="", span_id="", attributes={"retrieval.documents": [document]})
    return next(context_sets(alone, "", set())).members[0]
