"""Two traces of the refund agent as mlflow writes them: its tool failed and ended the first, the second recovered.

Called with a folder; prints what was written as JSON; no network.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import mlflow
from mlflow.entities import Trace


@mlflow.trace(span_type="RETRIEVER")
def retrieve(q: str) -> list[dict[str, Any]]:
    return [{"page_content": "Refunds within 30 days", "metadata": {"doc_uri": "kb://pol-3", "chunk_id": "1"}}]


# Whether the payment gateway times out: at the only call of the first agent, and at the first of two of the second.
timeouts = iter((True, True, False))


@mlflow.trace(span_type="TOOL")
def issue_refund(order: int) -> dict[str, str]:
    if next(timeouts):
        raise TimeoutError("payment gateway timed out")
    return {"refund_id": "rf-551"}


@mlflow.trace(name="agent", span_type="AGENT")
def failing(q: str) -> None:
    retrieve(q)
    issue_refund(8841)


@mlflow.trace(name="agent", span_type="AGENT")
def recovering(q: str) -> str:
    with mlflow.start_span("chat", span_type="CHAT_MODEL") as span:
        span.set_inputs([{"role": "user", "content": q}])
        span.set_attribute("mlflow.chat.tokenUsage", {"input_tokens": 12, "output_tokens": 4, "total_tokens": 16})
    with suppress(TimeoutError):
        issue_refund(8841)
    issue_refund(8841)
    return "done"


def written(path: Path, agent: Callable[[str], Any]) -> dict[str, Any]:
    """One call of the agent and the trace of it, as `Trace.to_json` spells it."""
    with suppress(TimeoutError):
        agent("Refund order 8841")
    trace = mlflow.get_trace(mlflow.get_last_active_trace_id(), flush=True)
    assert isinstance(trace, Trace)
    path.write_text(trace.to_json(pretty=True), encoding="utf-8")
    return {"trace": trace.info.trace_id, "spans": len(trace.data.spans), "state": trace.info.state.value}


def main(folder: Path) -> None:
    """Writes `trace_error.json` and `recovered.json`."""
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"  # the other backends want a database library
    mlflow.set_tracking_uri((folder / "tracking").absolute().as_uri())
    mlflow.set_experiment("refunds")
    found = {"trace_error": written(folder / "trace_error.json", failing)}
    found["recovered"] = written(folder / "recovered.json", recovering)
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
