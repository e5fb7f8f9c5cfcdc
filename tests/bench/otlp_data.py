"""A seeded file of OTLP JSON lines: requests of agent spans by the GenAI and OpenInference conventions.

A trace is an agent's turn with calls of models, tools and retrievals below it; one span in twenty fails with an
exception, and a failed call is tried again. A line is one export request, which holds spans of several traces.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

START = 1_796_000_000_000_000_000
SERVICES = ("payments-agent", "support-triage", "code-review", "nightly-index")
AGENTS = ("Sherpa", "Scout", "Builder", "Radar", "Atlas")
MODELS = ("small-1", "medium-2", "large-3")
TOOLS = ("issue_refund", "search_orders", "read_file", "run_tests", "lookup_policy", "send_reply")
FAILURES = (
    ("TimeoutError", "the call timed out after 30 s"),
    ("ConnectionResetError", "connection reset by peer"),
    ("ValidationError", "missing 1 required argument: amount"),
    ("PermissionError", "permission denied: refunds above 500 need a person"),
    ("AssertionError", "expected 3 rows, got 2"),
)
WORDS = (
    "order", "refund", "window", "policy", "customer", "asked", "again", "invoice", "limit", "shipment", "late", "the",
    "approve", "reject", "check", "a", "and", "within", "thirty", "days", "of", "delivery", "whether", "for",
)  # fmt: skip
FAILING = 0.05
MOST_IN_A_REQUEST = 100


def write(path: Path, *, spans: int = 100_000, seed: int = 11) -> int:
    """The file holds that many spans, 1 to 100 a line; its size in bytes."""
    chance = random.Random(seed)  # noqa: S311 - data, no secret
    source, left = _spans(chance), spans
    with path.open("w", encoding="utf-8") as file:
        while left:
            size = min(left, chance.randint(1, MOST_IN_A_REQUEST))
            left -= size
            request = _request(chance, [next(source) for _ in range(size)])
            file.write(json.dumps(request, separators=(",", ":"), ensure_ascii=False) + "\n")
    return path.stat().st_size


def _request(chance: random.Random, spans: list[tuple[int, dict[str, Any]]]) -> dict[str, Any]:
    """The spans below the resources of their services and the scopes of their instrumentations."""
    by_service: dict[int, list[dict[str, Any]]] = {}
    for service, span in spans:
        by_service.setdefault(service, []).append(span)
    scope = {"name": "openinference.instrumentation.agent", "version": "0.1.30"}
    return {
        "resourceSpans": [
            {"resource": _resource(service), "scopeSpans": [{"scope": scope, "spans": found}]}
            for service, found in by_service.items()
        ]
    }


def _resource(service: int) -> dict[str, Any]:
    return {
        "attributes": _attributes({
            "telemetry.sdk.language": "python", "telemetry.sdk.name": "opentelemetry",
            "telemetry.sdk.version": "1.45.2", "service.instance.id": f"{service:08x}-0000-4000-8000-000000000000",
            "service.name": SERVICES[service % len(SERVICES)], "deployment.environment.name": "staging",
        })
    }  # fmt: skip


def _spans(chance: random.Random) -> Iterator[tuple[int, dict[str, Any]]]:
    """Spans with the number of the process that wrote them, trace after trace; a root ends after its children."""
    at = START
    while True:
        service, trace, root = chance.randrange(12), _hex(chance, 128), _hex(chance, 64)
        agent, began = chance.choice(AGENTS), at
        for _ in range(chance.randint(4, 24)):
            for span in _calls(chance, trace, root, agent, at):
                at = int(span["endTimeUnixNano"]) + chance.randrange(1_000, 40_000_000)
                yield service, span
        yield service, _agent_span(chance, trace, root, agent, (began, at))
        at += chance.randrange(10_000_000, 60_000_000_000)


def _calls(chance: random.Random, trace: str, root: str, agent: str, at: int) -> Iterator[dict[str, Any]]:
    """A call, and where it failed perhaps the same call once more."""
    maker = chance.choices((_chat, _tool, _retrieval, _chain), (45, 30, 5, 20))[0]
    call = maker(chance, agent)
    failed = chance.random() < FAILING
    yield _span(chance, trace, root, call, at, failed=failed)
    if failed and chance.random() < 0.6:
        yield _span(chance, trace, root, call, at + 2_000_000_000, failed=False)


def _span(
    chance: random.Random, trace: str, parent: str, call: tuple[str, int, dict[str, Any]], at: int, *, failed: bool
) -> dict[str, Any]:
    name, kind, attributes = call
    ended = at + chance.randrange(100_000, 2_000_000_000)
    span: dict[str, Any] = {
        "traceId": trace, "spanId": _hex(chance, 64), "parentSpanId": parent, "name": name, "kind": kind,
        "startTimeUnixNano": str(at), "endTimeUnixNano": str(ended), "attributes": _attributes(attributes),
    }  # fmt: skip
    if failed:
        error, message = chance.choice(FAILURES)
        span["attributes"] += _attributes({"error.type": error})
        raised = {"exception.type": error, "exception.message": message, "exception.escaped": "False"}
        span["events"] = [{"timeUnixNano": str(ended), "name": "exception", "attributes": _attributes(raised)}]
        span["status"] = {"message": f"{error}: {message}", "code": 2}
    else:
        span["status"] = {"code": 1} if chance.random() < 0.7 else {}
    span["flags"] = 256
    return span


def _agent_span(chance: random.Random, trace: str, root: str, agent: str, took: tuple[int, int]) -> dict[str, Any]:
    attributes = {
        "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent, "openinference.span.kind": "AGENT",
        "gen_ai.conversation.id": f"conv-{chance.randrange(5_000)}", "input.value": _said(chance, 10),
    }  # fmt: skip
    return {
        "traceId": trace, "spanId": root, "name": f"invoke_agent {agent}", "kind": 1,
        "startTimeUnixNano": str(took[0]), "endTimeUnixNano": str(took[1]), "attributes": _attributes(attributes),
        "status": {"code": 1 if chance.random() < 0.9 else 2}, "flags": 256,
    }  # fmt: skip


def _chat(chance: random.Random, agent: str) -> tuple[str, int, dict[str, Any]]:
    """A call of a model; what was said is opt-in and mostly left out."""
    model = chance.choice(MODELS)
    attributes = {
        "gen_ai.operation.name": "chat", "gen_ai.request.model": model, "gen_ai.agent.name": agent,
        "gen_ai.usage.input_tokens": chance.randrange(20, 8_000), "gen_ai.request.temperature": 0.2,
        "gen_ai.usage.output_tokens": chance.randrange(1, 900), "gen_ai.response.finish_reasons": ["stop"],
    }  # fmt: skip
    if chance.random() < 0.3:
        messages = [{"role": "user", "parts": [{"type": "text", "content": _said(chance, 8)}]}]
        attributes["gen_ai.input.messages"] = json.dumps(messages)
    return f"chat {model}", 3, attributes


def _tool(chance: random.Random, agent: str) -> tuple[str, int, dict[str, Any]]:
    tool = chance.choice(TOOLS)
    given = {"order_id": f"A-{chance.randrange(10_000)}", "amount": chance.randrange(900)}
    return f"execute_tool {tool}", 1, {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, "gen_ai.agent.name": agent,
        "gen_ai.tool.call.arguments": json.dumps(given), "gen_ai.tool.call.id": f"call_{chance.randrange(10**9):09}",
    }  # fmt: skip


def _retrieval(chance: random.Random, _agent: str) -> tuple[str, int, dict[str, Any]]:
    found: dict[str, Any] = {
        "gen_ai.operation.name": "retrieval", "gen_ai.data_source.id": "kb-policies",
        "openinference.span.kind": "RETRIEVER", "input.value": _said(chance, 4),
    }  # fmt: skip
    for place in range(3):
        found[f"retrieval.documents.{place}.document.id"] = f"pol-{chance.randrange(200)}"
        found[f"retrieval.documents.{place}.document.score"] = round(chance.random(), 2)
    return "retrieval policies", 3, found


def _chain(chance: random.Random, agent: str) -> tuple[str, int, dict[str, Any]]:
    step = chance.choice(("plan", "route", "summarise", "check"))
    return step, 1, {
        "openinference.span.kind": "CHAIN", "agent.name": agent, "input.value": json.dumps({"text": _said(chance, 4)}),
        "input.mime_type": "application/json", "output.value": _said(chance, 5), "cached": chance.random() < 0.5,
    }  # fmt: skip


def _attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in values.items()]


def _value(value: Any) -> dict[str, Any]:
    """The value in OTLP's wrapper; whole numbers are text there."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(item) for item in value]}}
    return {"stringValue": value}


def _said(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words))


def _hex(chance: random.Random, bits: int) -> str:
    return f"{chance.getrandbits(bits) | 1:0{bits // 4}x}"
