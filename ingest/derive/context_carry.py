"""The context sets of a model call, from the spans of its run: what was retrieved for it, what it was given and used.

Retrievals and rerankings stand on spans of their own; they are carried to the model call they feed, so that the
differences have both sides at one step. Everything here is derived, and says by which rule.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ingest.derive.context_mentions import Document, Mentions, cited_in, found_in
from ingest.otel.context import document_item
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
# One of them is enough for a call to be looked at.
_OWN = frozenset({"retrieved", "eligible", "composed"})

CARRY_RULE = "context_carried: recorded on {spans}, carried to the next model call, which it feeds"
GATE_RULE = "gate_output: the retrieved items that the output of {spans} names or quotes"
COMPOSED_RULE = "input_messages: ids or exact content found in the input messages of this model call"
RERANKED_RULE = "reranker_output: what {spans} let through; the input messages do not show what was composed"
CONSUMED_RULE = "cited: ids or exact content found in the output or the tool arguments of this model call"


@dataclass(slots=True, eq=False)
class SpanView:
    """Where a span of a run stands; its times are microseconds since 1970, its size the bytes of its attributes."""

    span_id: str
    parent_id: str | None
    seq: int
    kind: str
    name: str | None
    started_us: int | None
    ended_us: int | None
    size: int

    @property
    def is_gate(self) -> bool:
        """A guardrail, or something that calls itself a filter."""
        return self.kind in GATE_KINDS or "filter" in (self.name or "").casefold()


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


@dataclass(frozen=True, slots=True)
class Fed:
    """A model call of which something can be derived, with the spans that say it."""

    call: SpanView
    sources: Sequence[SpanView]
    gates: Sequence[SpanView]
    tools: Sequence[SpanView]

    @property
    def spans(self) -> tuple[SpanView, ...]:
        """The spans whose attributes are read."""
        return (self.call, *self.sources, *self.gates, *self.tools)


Known = Mapping[str, Mapping[str, KnownSet]]
Recorded = Mapping[str, OtelSpan]


def fed_calls(spans: Sequence[SpanView], known: Known) -> list[Fed]:
    """Every model call of a run that a retrieval feeds or that has sets of its own."""
    order = sorted(spans, key=_seq)
    calls = _Calls(order)
    feeding: dict[str, list[SpanView]] = defaultdict(list)
    gates: dict[str, list[SpanView]] = defaultdict(list)
    for span in order:
        if _feeds(span, known) and (call := calls.after(span)):
            feeding[call.span_id].append(span)
        elif span.is_gate and (call := calls.after(span)):
            gates[call.span_id].append(span)
    return [
        Fed(call, feeding[call.span_id], gates[call.span_id], calls.tools_of(call))
        for call in calls.all
        if feeding[call.span_id] or _OWN & known.get(call.span_id, {}).keys()
    ]


def carried(fed: Iterable[Fed], known: Known, recorded: Recorded) -> Carried:
    """The sets of these calls of a run; `recorded` has what their spans say."""
    result = Carried()
    for one in fed:
        result.sets += _sets_of(one, known, recorded)
        result.steps |= {source.span_id: one.call.span_id for source in one.sources}
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
        self._tools: dict[str | None, list[SpanView]] = defaultdict(list)
        self.all: list[SpanView] = []
        for span in order:
            if span.kind in TOOL_KINDS:
                self._tools[span.parent_id].append(span)
            if span.kind in MODEL_KINDS and feeding.isdisjoint(lineage := self._lineage(span)):
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
            start = bisect_right(calls, span.seq, key=_seq)
            for call in calls[start:]:
                if not _overlap(span, call):
                    return call
        return None

    def tools_of(self, call: SpanView) -> list[SpanView]:
        """The tool calls that the model call asked for: below it, or beside it before the next model call."""
        siblings = self._below.get(call.parent_id, [])
        at = bisect_right(siblings, call.seq, key=_seq)
        following = siblings[at].seq if at < len(siblings) else None
        below = self._tools.get(call.span_id, [])
        if call.parent_id == call.span_id:
            return below
        beside = self._tools.get(call.parent_id, [])
        beside = beside[bisect_right(beside, call.seq, key=_seq) :]
        return sorted([*below, *(tool for tool in beside if following is None or tool.seq < following)], key=_seq)


def _seq(span: SpanView) -> int:
    return span.seq


def _overlap(span: SpanView, call: SpanView) -> bool:
    """The call began before the span had ended: it cannot have been given what the span found."""
    return span.ended_us is not None and call.started_us is not None and call.started_us < span.ended_us


def _sets_of(fed: Fed, known: Known, recorded: Recorded) -> Iterator[DerivedSet]:
    call, sources, gates = fed.call, fed.sources, fed.gates
    own = known.get(call.span_id, {})
    sets: dict[str, tuple[ContextItem, ...]] = {name: given.items for name, given in own.items()}
    for name in CARRIED:
        if name not in own and (holding := [source for source in sources if name in known.get(source.span_id, {})]):
            sets[name] = _union(known[source.span_id][name].items for source in holding)
            yield DerivedSet(call.span_id, name, sets[name], CARRY_RULE.format(spans=_named(holding)))
    contents = _contents(recorded[span.span_id] for span in (call, *sources))
    if "eligible" not in sets and (passed := _passed(fed, recorded, _documents(sets.get("retrieved", ()), contents))):
        sets["eligible"] = passed
        yield DerivedSet(call.span_id, "eligible", passed, GATE_RULE.format(spans=_named(gates)))
    candidates = _documents(_union([sets.get("retrieved", ()), sets.get("eligible", ())]), contents)
    if "composed" not in sets and (composed := _composed(fed, recorded, candidates)):
        sets["composed"] = composed.items
        yield composed
    if "consumed" not in sets:
        given = _documents(sets["composed"], contents) if "composed" in sets else candidates
        yield from _consumed(fed, recorded, given)


def _union(sets: Iterable[Iterable[ContextItem]]) -> tuple[ContextItem, ...]:
    return tuple(dict.fromkeys(item for items in sets for item in items))


def _named(spans: Sequence[SpanView]) -> str:
    return ", ".join(f"span {span.span_id}" for span in spans)


def _passed(fed: Fed, recorded: Recorded, candidates: Sequence[Document]) -> tuple[ContextItem, ...]:
    """What the last gate that says something of the candidates let through."""
    for gate in reversed(fed.gates):
        mentions = found_in(_said(recorded[gate.span_id], _OUTPUTS), candidates)
        if mentions.is_complete:
            return _items(mentions)
    return ()


def _composed(fed: Fed, recorded: Recorded, candidates: Sequence[Document]) -> DerivedSet | None:
    call = fed.call
    text = "\n".join(message.text for message in input_messages(recorded[call.span_id]))
    if text:
        mentions = found_in(text, candidates)
        return DerivedSet(call.span_id, "composed", _items(mentions), COMPOSED_RULE) if mentions.is_complete else None
    listings = {source.span_id: listed(recorded[source.span_id].attributes, _LET_THROUGH) for source in fed.sources}
    through = [source for source in fed.sources if listings[source.span_id] is not None]
    if not through:
        return None
    items = _union(
        [document_item(document, set()) for document in listings[source.span_id] or ()] for source in through
    )
    return DerivedSet(call.span_id, "composed", items, RERANKED_RULE.format(spans=_named(through)))


def _consumed(fed: Fed, recorded: Recorded, candidates: Sequence[Document]) -> Iterator[DerivedSet]:
    said = [message.text for message in output_messages(recorded[fed.call.span_id])]
    said += [_said(recorded[tool.span_id], _ARGUMENTS) for tool in fed.tools]
    mentions = cited_in("\n".join(said), candidates)
    if mentions.is_complete:
        yield DerivedSet(fed.call.span_id, "consumed", _items(mentions), CONSUMED_RULE)


def _said(span: OtelSpan, names: Iterable[str]) -> str:
    return "\n".join(text for name in names if (text := as_text(span.attributes.get(name))))


def _items(mentions: Mentions) -> tuple[ContextItem, ...]:
    return tuple(document.item for document in mentions.found)


def _documents(items: Iterable[ContextItem], contents: Mapping[str, str]) -> list[Document]:
    return [Document(item, contents.get(item.item_id)) for item in items]


def _contents(spans: Iterable[OtelSpan]) -> dict[str, str]:
    """The content of every document that the spans recorded, by item id."""
    found: dict[str, str] = {}
    for span in spans:
        for name in _DOCUMENTS:
            for document in listed(span.attributes, name) or ():
                flat = flattened(document)
                if content := next((as_text(flat[key]) for key in _CONTENTS if flat.get(key)), None):
                    found.setdefault(document_item(document, set()).item_id, content)
    return found
