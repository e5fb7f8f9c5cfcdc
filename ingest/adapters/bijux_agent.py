"""What bijux-canon-agent leaves behind: run traces, output folders, application logs, HTTP error answers.

A record is the header of a trace, one of its entries, one input in the list of files, a pipeline
result, the final result, a log line or an HTTP answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.adapter import Adapter, Item, Parsed
from ingest.bijux.agent_folder import bundle, place_name
from ingest.bijux.agent_http import http_items
from ingest.bijux.agent_log import Call, log_items, log_lines
from ingest.bijux.agent_output import output_items
from ingest.bijux.agent_results import Identity, derived_run
from ingest.bijux.agent_shapes import Shape, shape_of_head
from ingest.derive.agent_outcome import Outcome
from ingest.records import Run
from ingest.source import Head, Source


def recognise(head: Head) -> bool:
    """The content is one of the shapes the producer writes."""
    return shape_of_head(head) is not None


def read(source: Source) -> Iterator[Item]:
    """The run or runs of the file and its companions."""
    shape = shape_of_head(source.head)
    if shape is Shape.HTTP_ERROR:
        yield from http_items(source, source.below)
    elif shape is Shape.LOG:
        yield from _log_alone(source)
    else:
        yield from output_items(source)


def _log_alone(source: Source) -> Iterator[Item]:
    """A log without its output folder is a run whose outcome nobody recorded."""
    identity = Identity.of(place_name(source))
    lines = log_lines(source)
    outcome = Outcome("unknown", "an application log alone says no outcome")
    run = derived_run(identity, outcome, workload=source.workload, attributes={"record": "application_log"})
    times = [line.time for line in lines if line.time]
    if times:
        run = run.model_copy(update={"started_at": min(times), "ended_at": max(times), "clock": "wall"})
    waiting: tuple[Run, ...] = (run,)
    for item in log_items(lines, Call(), lambda _line: identity):
        if isinstance(item, Parsed) and waiting:
            yield Parsed(item.place, (*waiting, *item.records))
            waiting = ()
        else:
            yield item


ADAPTER = Adapter(
    name="bijux_agent",
    version=1,
    title="bijux-canon-agent run traces, output folders, logs and HTTP errors",
    recognised_by=(
        "a JSON object with `entries` under a trace header (schema 1 and 2); `successful`, `failed`, `telemetry`; "
        "`stages`, `audit_trail`, `final_status`; `verdict`, `confidence`, `trace_path`, `termination_reason`; "
        "log lines with `level`, `message`, `context`, `metrics`; answers {code, message, http_status}"
    ),
    yields=("runs", "spans", "events", "errors"),
    recognise=recognise,
    read=read,
    bundle=bundle,
    record_is="trace header, entry, file result, result file, log line or HTTP answer",
)
