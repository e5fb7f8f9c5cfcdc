"""Runs of an agent as the langsmith client sends them and gives them back; no network.

The client speaks to a session that keeps the bodies. `sent.jsonl` holds each run as it was sent, start and end joined;
`listed.jsonl` holds the same runs as the client's own `Run`, with the status that the service adds.
Called with a folder; prints what was written as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import requests
from langsmith import Client, traceable
from langsmith.run_helpers import tracing_context
from langsmith.schemas import LangSmithInfo, Run

SESSION = "99999999-0000-4000-8000-000000000009"
failures_left = 1


class Kept(requests.Session):
    """A session that sends nothing: every run whose start and end were given to it, in the order of the last word."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: dict[str, dict[str, Any]] = {}

    def request(self, method: str, url: str, **request: Any) -> requests.Response:  # type: ignore[override]
        body = request.get("data")
        if method in {"POST", "PATCH"} and body:
            said = json.loads(body)
            run_id = str(said.get("id") or url.rsplit("/", 1)[-1])
            self.runs[run_id] = {**self.runs.pop(run_id, {}), **said, "id": run_id}
        response = requests.Response()
        response.status_code = 200
        response._content = b"{}"
        return response


@traceable(run_type="llm", name="model", metadata={"ls_model_name": "small-1"})
def model(q: str) -> dict[str, Any]:
    return {"content": "call lookup", "usage_metadata": {"input_tokens": 30, "output_tokens": 9, "total_tokens": 39}}


@traceable(run_type="tool", name="lookup")
def lookup(order: int) -> dict[str, bool]:
    global failures_left  # noqa: PLW0603
    if failures_left:
        failures_left -= 1
        raise ValueError("bad order 8841")
    return {"ok": True}


@traceable(run_type="chain", name="agent", metadata={"thread_id": "thread-3"})
def agent(q: str) -> dict[str, str]:
    """The model, a tool that fails, and the same call again."""
    model(q)
    try:
        lookup(8841)
    except ValueError:
        lookup(8841, langsmith_extra={"tags": ["retry:attempt:2"]})
    return {"a": "done"}


def listed(run: dict[str, Any]) -> dict[str, Any]:
    """The run as a client reads it: the service has added the status, the project and the tokens of the model."""
    usage = (run.get("outputs") or {}).get("usage_metadata") or {}
    counts = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens", "total_tokens": "total_tokens"}
    tokens = {name: usage.get(key) for name, key in counts.items()}
    added = {"status": "error" if run.get("error") else "success", "session_id": SESSION, "app_path": "/r"}
    dumped: dict[str, Any] = json.loads(Run(**{**run, **tokens, **added}).model_dump_json())
    return dumped


def written(path: Path, runs: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(run) + "\n" for run in runs), encoding="utf-8")


def main(folder: Path) -> None:
    """Writes `sent.jsonl` and `listed.jsonl`."""
    kept = Kept()
    client = Client(
        api_url="http://127.0.0.1:9",
        api_key="any",
        session=kept,
        auto_batch_tracing=False,
        info=LangSmithInfo(),
    )
    with tracing_context(enabled=True, client=client):
        agent("Refund order 8841")
    runs = list(kept.runs.values())
    written(folder / "sent.jsonl", runs)
    written(folder / "listed.jsonl", [listed(run) for run in runs])
    print(json.dumps({"spans": len(runs), "traces": sorted({run["trace_id"] for run in runs})}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
