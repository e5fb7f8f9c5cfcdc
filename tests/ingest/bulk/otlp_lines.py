"""Random OTLP lines, seeded: usual spans, and with `odd` everything that producers were seen to write besides."""

from __future__ import annotations

import json
import random
from typing import Any

BEGAN = 1_796_000_000_000_000_000
NAMES = (
    "gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind", "mlflow.spanType", "gen_ai.tool.name",
    "tool.name", "mcp.tool.name", "traceloop.entity.name", "gen_ai.response.model", "gen_ai.request.model",
    "llm.model_name", "gen_ai.agent.name", "agent.name", "gen_ai.agent.id", "gen_ai.conversation.id", "session.id",
    "thread.id", "gen_ai.usage.input_tokens", "llm.token_count.prompt", "gen_ai.usage.output_tokens",
    "gen_ai.usage.cost", "llm.cost.total", "gen_ai.tool.call.arguments", "tool.parameters", "input.value",
    "traceloop.entity.input", "faultlens.phase", "service.name", "gen_ai.system_instructions", "gen_ai.input.messages",
    "llm.input_messages.0.message.role", "llm.input_messages.0.message.content", "gen_ai.prompt.0.content",
    "output.value", "x", "y.z", "ünïcode", 'k"q', "k\\b", "tab\tkey", "http.request.method",
    "http.response.status_code", "error.type", "retrieval.documents.0.document.id", "gen_ai.retrieval.documents",
)  # fmt: skip
RARE = (
    "faultlens.error.level", "faultlens.observed_at", "faultlens.context.retrieved", "faultlens.recovery.outcome",
    "reranker.input_documents", "guardrail.triggered", "otel.flags", "otel.kind", "input_digest",
)  # fmt: skip
WORDS = (
    "a", "chat", "LLM", "TOOL", "retriever", "unknown", "Chat", "  AGENT ", "812", "12.5", "x y", "line\nbreak",
    'q"uote', "back\\slash", "ünï", "😀", "\x1b[1m", "[1, 2]", '{"b": 1, "a": [2, null, 1.0]}', "{'py': 1}",
    '  {"a": 1}', '[{"role": "user", "content": "hi"}]', "\u2028", "/", "{", "e\u0301", "TimeoutError", "POST",
    '[{"role": "user", "parts": [{"type": "text", "content": "yo"}]}]',
)  # fmt: skip
ODD_WORDS = ("", "GUARDRAIL", "guardrail", "transfer to Bob", "handoff")
EVENTS = ("exception", "gen_ai.user.message", "gen_ai.choice", "gen_ai.system.message", "log", "cache miss")
SAID_IN_EVENTS = ("exception.type", "exception.message", "exception.stacktrace", "content", "message", "role", "index")
ODD_VALUES: tuple[Any, ...] = (
    {}, None, "bare", 5, {"kvlistValue": {"values": [{"key": "a", "value": {"intValue": "1"}}]}}, {"stringValue": 5},
    {"bytesValue": "AAE="}, {"intValue": "0x10"}, {"intValue": 1.5}, {"doubleValue": "NaN"}, {"doubleValue": "1.5"},
    {"stringValue": "a", "intValue": "1"}, {"boolValue": "true"}, {"intValue": "99999999999999999999"},
    {"unknownValue": 1}, {"arrayValue": {"values": [{"doubleValue": 1.5}]}}, {"string_value": "snake"},
    {"intValue": "007"}, {"intValue": "+5"}, {"doubleValue": 1e308},
)  # fmt: skip
ODD_PAIRS: tuple[Any, ...] = (
    5, {"value": {}}, {"key": "n"}, {"key": 3, "value": {"stringValue": "v"}},
    {"key": "more", "value": {"stringValue": "v"}, "extra": 1},
)  # fmt: skip
ODD_FIELDS: tuple[Any, ...] = (
    None, 5, "x", [], {}, "0" * 32, "ABCDEF0123456789", "w5khQ/lQqKg=", "0x0123456789abcdef", -1, 1.5, True,
    "1796000000", "span-1", "  pad ", "2026-11-30T00:00:00Z",
)  # fmt: skip
FIELDS = (
    "traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes", "events",
    "links", "status", "flags", "extra", "droppedAttributesCount",
)  # fmt: skip


def write(seed: int, count: int, *, odd: bool) -> bytes:
    """That many lines."""
    chance = random.Random(seed)  # noqa: S311 - data, no secret
    return b"".join(_line(chance, odd=odd).encode() + b"\n" for _ in range(count))


def _line(chance: random.Random, *, odd: bool) -> str:
    value = _request(chance, odd=odd) if chance.random() < 0.85 else _span(chance, odd=odd)
    compact = chance.random() < 0.7
    text = json.dumps(value, separators=(",", ":") if compact else None, ensure_ascii=chance.random() < 0.3)
    return _spoilt(chance, text) if odd and chance.random() < 0.08 else text


def _spoilt(chance: random.Random, text: str) -> str:
    at = chance.randrange(len(text))
    return chance.choice([
        text[:at], f"{text[:at]},{text[at:]}", f"{text} x", "", text[::-1], text.replace("}]", "},]", 1),
        text.replace('"kind":1', '"kind":1,"kind":2', 1), text.replace(":1,", ":NaN,", 1),
        text.replace("0.5", "1e400", 1), text.replace('"a"', '"\\ud800"', 1), text.replace('"x"', '"\\u0000"', 1),
    ])  # fmt: skip


def _request(chance: random.Random, *, odd: bool) -> Any:
    traces = [f"{chance.getrandbits(128) | 1:032x}" for _ in range(3)]
    entries = [_entry(chance, traces, odd=odd) for _ in range(chance.choice([1, 1, 1, 2, 3]))]
    request: dict[str, Any] = {"resourceSpans": entries}
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [_exception_log(traces[0])]}]}]}
    if odd and chance.random() < 0.08:
        return chance.choice([
            {"result": request}, {**request, "extra": 1}, {"resourceSpans": {}}, {"resourceSpans": []}, [request], 5,
            {"resource_spans": entries}, {**request, **logs}, logs, {"resourceMetrics": []}, "x", None, [1],
        ])  # fmt: skip
    return request


def _exception_log(trace: str) -> dict[str, Any]:
    return {
        "eventName": "exception", "traceId": trace, "spanId": "00000000000000ab", "timeUnixNano": str(BEGAN),
        "attributes": [{"key": "exception.type", "value": {"stringValue": "E"}}],
    }  # fmt: skip


def _entry(chance: random.Random, traces: list[str], *, odd: bool) -> Any:
    groups = []
    for _ in range(chance.choice([1, 1, 2])):
        spans: Any = [
            _span(chance, chance.choice(traces), odd=odd and chance.random() < 0.6) for _ in range(chance.randint(1, 5))
        ]
        if odd and chance.random() < 0.06:
            spans = chance.choice([None, 5, {}, [], [*spans, 5, None]])
        scope = chance.choice([{"name": "demo", "version": "1"}, {"name": "demo"}, {}, {"name": "s", "attributes": []}])
        groups.append(
            {"scope": scope, "spans": spans, **({"schemaUrl": "https://a.example/1"} if chance.random() < 0.2 else {})}
        )
    entry = {"resource": _resource(chance, odd=odd), "scopeSpans": groups}
    if odd and chance.random() < 0.05:
        return chance.choice([{}, {"resource": {}}, {"instrumentationLibrarySpans": groups}, 5, {**entry, "extra": 1}])
    return entry


def _resource(chance: random.Random, *, odd: bool) -> Any:
    if odd and chance.random() < 0.1:
        twice = [{"key": "a", "value": {"stringValue": "1"}}, {"key": "a", "value": {"stringValue": "2"}}]
        return chance.choice([None, 5, [], {"attributes": {"service.name": "object"}}, {"attributes": twice}])
    name = chance.choice(["pay", "ops", "unknown_service:python"])
    session = [{"key": "session.id", "value": {"stringValue": "of-resource"}}] if chance.random() < 0.3 else []
    return {"attributes": [{"key": "service.name", "value": {"stringValue": name}}, *session]}


def _span(chance: random.Random, trace: str | None = None, *, odd: bool) -> dict[str, Any]:
    start = BEGAN + chance.randrange(10**12)
    end = start + chance.randrange(10**10)
    found: dict[str, Any] = {
        "traceId": trace or _hex(chance, 128), "spanId": _hex(chance, 64),
        "parentSpanId": chance.choice([_hex(chance, 64), "", "0" * 16]),
        "name": chance.choice(["chat small", "execute_tool pay", "plan", 'ünï "q"', "execute_tool ", "", "x\ty"]),
        "kind": chance.choice([0, 1, 2, 3, 4, 5, "SPAN_KIND_CLIENT"]),
        "startTimeUnixNano": chance.choice([str(start), str(start // 1000 * 1000), start]),
        "endTimeUnixNano": chance.choice([str(end), str(end), end, "0"]),
        "attributes": _attributes(chance, NAMES, 8, odd=odd),
        "status": chance.choice([{}, {"code": 1}, {"code": 2, "message": "bad: 404"}, {"code": 2}, {"message": ""},
                                 {"code": "STATUS_CODE_OK", "message": "fine"}]),
    }  # fmt: skip
    if chance.random() < 0.3:
        found["events"] = [_event(chance, odd=odd) for _ in range(chance.randint(0, 3))]
    if chance.random() < 0.2:
        found |= {"flags": 256, "traceState": chance.choice(["", "a=b"]), "droppedAttributesCount": 0}
    if odd and chance.random() < 0.05:
        found["links"] = [{"traceId": _hex(chance, 128), "spanId": _hex(chance, 64)}]
    if odd and chance.random() < 0.15:
        found[chance.choice(FIELDS)] = chance.choice([*ODD_FIELDS, found["spanId"], str(start - 10**9)])
    return found


def _event(chance: random.Random, *, odd: bool) -> Any:
    at = str(BEGAN + chance.randrange(10**10))
    found: dict[str, Any] = {"timeUnixNano": at, "name": chance.choice(EVENTS)}
    found["attributes"] = _attributes(chance, SAID_IN_EVENTS, 4, odd=odd and chance.random() < 0.3)
    if odd and chance.random() < 0.15:
        return chance.choice([5, {}, {**found, "timeUnixNano": "0"}, {**found, "name": None}, {**found, "other": 1},
                              {**found, "name": "handoff"}])  # fmt: skip
    return found


def _attributes(chance: random.Random, names: tuple[str, ...], most: int, *, odd: bool) -> list[Any]:
    chosen = chance.sample(names, chance.randint(0, min(most, len(names))))
    if odd and chance.random() < 0.2:
        chosen.append(chance.choice([*RARE, *chosen]))
    found: list[Any] = [{"key": name, "value": _value(chance, name, odd=odd)} for name in chosen]
    return [*found, chance.choice(ODD_PAIRS)] if odd and chance.random() < 0.04 else found


def _value(chance: random.Random, name: str, *, odd: bool) -> Any:
    if odd and chance.random() < 0.15:
        return chance.choice(ODD_VALUES)
    if "token" in name:
        return {"intValue": chance.choice(["812", "0", 5, 9000])}
    if "cost" in name:
        return {"doubleValue": chance.choice([0.1, 0.000045, 1, 1e-9, 2.5])}
    if name in NAMES[:30] or chance.random() < 0.5:
        return {"stringValue": chance.choice([*WORDS, *ODD_WORDS] if odd else WORDS)}
    return chance.choice([
        {"intValue": "-5"}, {"intValue": 7}, {"boolValue": True}, {"doubleValue": 1e16}, {"doubleValue": 1e-5},
        {"doubleValue": chance.random()}, {"doubleValue": 0.5}, {"doubleValue": -0.0}, {"arrayValue": {}},
        {"arrayValue": {"values": [{"stringValue": 'a"b]}'}, {"intValue": "3"}, {"boolValue": False}]}},
    ])  # fmt: skip


def _hex(chance: random.Random, bits: int) -> str:
    return f"{chance.getrandbits(bits) | 1:0{bits // 4}x}"
