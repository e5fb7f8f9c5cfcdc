"""How long MLflow takes until the spans of a file can be queried: `python mlflow_spans.py FILE FOLDER`.

Runs in MLflow's own environment. The path is its store's `log_spans` in this process, on SQLite, with thousands of
spans a call: its OTLP endpoint makes the same call behind a web server. The requests are made before the clock starts.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from otlp_requests import requests, span_count

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"

SPANS_A_CALL = 5_000


def main(file: Path, folder: Path) -> None:
    """The measurement is printed as JSON."""
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    asked = list(requests(file, SPANS_A_CALL))
    spans, bodies = sum(map(span_count, asked)), [request.SerializeToString() for request in asked]
    store = SqlAlchemyStore(f"sqlite:///{folder / 'mlflow.db'}", str(folder / "artifacts"))
    experiment = store.create_experiment("bench")
    used, began = time.process_time(), time.perf_counter()
    for body in bodies:
        store.log_spans(experiment, _spans(body))
    told = {"spans": spans, "clock_s": time.perf_counter() - began, "cpu_s": time.process_time() - used}
    print(json.dumps(told))


def _spans(body: bytes) -> list[Any]:
    """The spans of a request as the endpoint makes them."""
    from mlflow.entities.span import Span

    return [
        Span.from_otel_proto(span, resource=resource.resource)
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
