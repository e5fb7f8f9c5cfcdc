"""The refund workflow, its trace and spans exported by openai-agents to a file; no network.

Called with a folder; prints what was written as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from agents.tracing import (
    Span,
    SpanError,
    Trace,
    TracingProcessor,
    agent_span,
    function_span,
    generation_span,
    guardrail_span,
    handoff_span,
    set_trace_processors,
    trace,
)

ARGUMENTS = '{"order":8841}'


class Lines(TracingProcessor):
    """One line for the trace when it starts, one for each span when it ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written: list[dict[str, Any]] = []

    def line(self, exported: dict[str, Any] | None) -> None:
        if exported:
            self.written.append(exported)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(exported) + "\n")

    def on_trace_start(self, trace: Trace) -> None:
        self.line(trace.export())

    def on_span_end(self, span: Span[Any]) -> None:
        self.line(span.export())

    def on_trace_end(self, trace: Trace) -> None: ...
    def on_span_start(self, span: Span[Any]) -> None: ...
    def shutdown(self) -> None: ...
    def force_flush(self) -> None: ...


def traced() -> None:
    """Two agents, a tool that failed and was called again, a guardrail that triggered, and no turns left."""
    with trace("Refund workflow", group_id="conv-19", metadata={"env": "staging"}):
        with agent_span("triage", handoffs=["refunds", "human"], tools=["lookup_order"], output_type="str"):
            question = [{"role": "user", "content": "Refund order 8841"}]
            usage = {"input_tokens": 12, "output_tokens": 4}
            with generation_span(input=question, model="small-1", usage=usage):
                pass
            with handoff_span(from_agent="triage", to_agent="refunds"):
                pass
        with agent_span("refunds", tools=["issue_refund"]) as agent:
            with function_span("issue_refund", input=ARGUMENTS) as call:
                failure = {"tool_name": "issue_refund", "error": "timed out"}
                call.set_error(SpanError(message="Error running tool", data=failure))
            with function_span("issue_refund", input=ARGUMENTS, output='{"refund_id":"rf-551"}'):
                pass
            with guardrail_span("amount_limit", triggered=True):
                pass
            with handoff_span(from_agent="refunds", to_agent="human"):
                pass
            agent.set_error(SpanError(message="Max turns exceeded", data={"max_turns": 3}))


def main(folder: Path) -> None:
    """Writes `trace.jsonl`."""
    lines = Lines(folder / "trace.jsonl")
    set_trace_processors([lines])
    traced()
    spans = [line for line in lines.written if line["object"] == "trace.span"]
    runs = [line["id"] for line in lines.written if line["object"] == "trace"]
    print(json.dumps({"spans": len(spans), "traces": runs}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
