"""The refund trace, exported by opentelemetry-sdk in the three spellings its users keep on disk; no network.

Called with a folder; prints what was written as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.json.file import FileSpanExporter
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, Tracer, TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Span, SpanKind, StatusCode

TOOL = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "issue_refund",
    "gen_ai.tool.call.arguments": '{"order":8841,"amount":612.50}',
}


def traced(tracer: Tracer) -> None:
    """An agent that looks something up, asks its model, fails at a tool, calls it again and stops at a limit."""
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "refund-agent"}
    with tracer.start_as_current_span("invoke_agent refund-agent", attributes=agent):
        with tracer.start_as_current_span("retrieval policies") as span:
            span.set_attributes({"gen_ai.operation.name": "retrieval", "openinference.span.kind": "RETRIEVER"})
        with tracer.start_as_current_span("chat small-1", kind=SpanKind.CLIENT) as span:
            span.set_attributes({"gen_ai.operation.name": "chat", "gen_ai.request.model": "small-1"})
            span.set_attributes({"gen_ai.usage.input_tokens": 812, "gen_ai.usage.output_tokens": 41})
            span.set_attribute("gen_ai.response.finish_reasons", ["tool_calls"])
        with tool(tracer, "call_1") as span:
            failed(span, TimeoutError("payment gateway timed out after 2000 ms"))
        with tool(tracer, "call_2") as span:
            span.set_attribute("gen_ai.tool.call.result", '{"refund_id":"rf-551"}')
            span.set_status(StatusCode.OK)
        with tracer.start_as_current_span("guardrail amount_limit") as span:
            span.set_attribute("openinference.span.kind", "GUARDRAIL")
            span.set_attribute("output.value", "blocked: amount above 500 needs a human")
            span.add_event("escalation", {"escalation.reason": "amount_over_limit", "escalation.target": "human"})


@contextmanager
def tool(tracer: Tracer, call: str) -> Iterator[Span]:
    attributes = {**TOOL, "gen_ai.tool.call.id": call}
    with tracer.start_as_current_span("execute_tool issue_refund", attributes=attributes) as span:
        yield span


def failed(span: Span, error: Exception) -> None:
    span.set_attribute("error.type", type(error).__name__)
    span.record_exception(error)
    span.set_status(StatusCode.ERROR, str(error))


def through_protobuf(spans: list[ReadableSpan]) -> str:
    """As protobuf's own JSON has it: base64 ids and names of enums."""
    return json.dumps(MessageToDict(encode_spans(spans))) + "\n"


def main(folder: Path) -> None:
    """Writes `file_exporter.jsonl`, `protobuf.json` and `console.txt`."""
    kept = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource.create({"service.name": "refund-agent"}))
    with (folder / "console.txt").open("w", encoding="utf-8") as console:
        exporters = (kept, ConsoleSpanExporter(out=console), FileSpanExporter(str(folder / "file_exporter.jsonl")))
        for exporter in exporters:
            provider.add_span_processor(SimpleSpanProcessor(exporter))
        traced(provider.get_tracer("demo.agent", "0.1"))
        provider.shutdown()
    spans = list(kept.get_finished_spans())
    (folder / "protobuf.json").write_text(through_protobuf(spans), encoding="utf-8")
    traces = {f"{span.context.trace_id:032x}" for span in spans}
    print(json.dumps({"spans": len(spans), "traces": sorted(traces)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
