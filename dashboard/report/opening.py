"""The first half of a report: what failed, what it touched, when, and who noticed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from dashboard.report.document import (
    Anchor,
    Block,
    Cell,
    Drawing,
    Link,
    Listing,
    Paragraph,
    Section,
    Table,
    Words,
    fields,
    recorded,
    words,
)  # fmt: skip
from dashboard.report.drawing import timeline_svg
from dashboard.report.facts import Facts
from dashboard.report.incident import told_best
from dashboard.report.told import counted, event, human, moment, seconds, spot
from queries.runs.timeline import TimelineRow


def header(facts: Facts) -> Section:
    """Which run this is, how it ended and what decided that, and the evidence by its digests."""
    run = facts.run
    values: list[tuple[str, Cell]] = [
        ("Run", recorded(run.run_id)),
        ("Native id", recorded(run.native_id)),
        ("Name", recorded(run.name)),
        ("Workload", recorded(run.workload)),
        ("Source", recorded(run.source)),
        *([("Parent run", recorded(run.parent_run_id))] if run.parent_run_id else []),
        ("Outcome", recorded(run.status)),
        ("Decided by", recorded(run.status_reason)),
        ("Stop reason", recorded(run.stop_reason)),
        ("Started", words(moment(run.started_at) if run.clock == "wall" else "no clock: order is real, time is not")),
        ("Duration", words(seconds(run.duration_s))),
        ("Counts", words(_counts(facts))),
        ("Made by", words(f"faultlens {facts.version}, schema version {facts.schema_version}")),
    ]
    files = tuple(
        (recorded(f.path), recorded(f.file_id), words(f"{f.format}, adapter version {f.adapter_version}"),
         words(f"{f.records:,}"))
        for f in facts.files
    )  # fmt: skip
    evidence = Table(("Evidence file", "sha256 of its bytes", "Format", "Records of the run"), files)
    return Section("Header", (fields(values), evidence))


def _counts(facts: Facts) -> str:
    run = facts.run
    parts = [
        counted(run.spans, "step"), counted(run.errors, "error"), counted(run.recoveries, "recovery", "recoveries"),
        counted(run.guardrails, "guardrail event"), counted(len(facts.findings), "finding"),
    ]  # fmt: skip
    return ", ".join(parts)


def impact(facts: Facts) -> Section:
    """What the failure touched, what may have happened unseen, and what was not affected."""
    blocks: list[Block] = [Paragraph(words(_unconfirmed(facts)))]
    if facts.unconfirmed:
        rows = tuple(
            (event(facts, row.event_id), recorded(row.resource), recorded(row.checked_state or "nobody looked"),
             recorded(row.checked_by), recorded(row.details))
            for row in facts.unconfirmed
        )  # fmt: skip
        blocks.append(Table(("Event", "Resource", "Checked state", "Checked by", "Details"), rows))
    blocks.append(Listing(tuple(words(line) for line in _unaffected(facts))))
    blocks.append(human(facts, "impact", "say who was affected and how badly; the records know only the run"))
    return Section("Impact", tuple(blocks))


def _unconfirmed(facts: Facts) -> str:
    if not facts.unconfirmed:
        return "Unconfirmed outcomes: none recorded (no call is classed unknown_outcome)."
    unseen = sum(row.checked_state is None for row in facts.unconfirmed)
    return f"Unconfirmed outcomes: {len(facts.unconfirmed)}, of which {unseen} without a recorded look at the resource."


def _unaffected(facts: Facts) -> list[str]:
    shape, errors = facts.shape, counted(facts.run.errors, "error is", "errors are")
    if shape is None:
        return [f"Steps: none is recorded, so none can be named as unaffected; {errors} recorded."]
    steps = counted(shape.spans, "step")
    return [
        f"Completed: {shape.completed:,} of {steps}. That a step completed does not say that what it did was right.",
        f"Affected: {shape.failed:,} failed, {shape.unfinished:,} started and have no recorded end; {errors} recorded.",
        f"Never reached: {shape.not_reached:,}; a step that was never reached did not fail.",
        f"Without a recorded status: {shape.not_recorded:,}.",
        f"Not hanging together: {counted(shape.orphans, 'orphan')}, {shape.in_circles:,} in circles of parents.",
    ]


def timeline(facts: Facts) -> Section:
    """What happened, from before the first failure on, each row linked to its event."""
    told = facts.incident
    dated = facts.run.clock == "wall"
    header = ("No", "Time (UTC)" if dated else "Order (no clock)", "What", "Where", "Said", "Event")
    rows = tuple(_row(facts, number, row, dated=dated) for number, row in enumerate(told.rows, 1))
    blocks: list[Block] = []
    if rows:
        blocks = [Drawing(timeline_svg(facts), "The steps of the run with its errors, recoveries and guardrails"),
                  Table(header, rows)]  # fmt: skip
    said = (
        [f"{told.earlier:,} earlier and {told.others:,} other events are not told here."]
        if told.earlier or told.others
        else []
    )
    if dated and _runs_backwards(told.rows):
        said.append("Rows stand in the order of the records; their times do not all follow it.")
    if told.first_failure is None:
        said.append("No failure is recorded, so the timeline starts where the run does.")
    blocks += [Paragraph(words(line)) for line in said]
    blocks.append(human(facts, "notes", "add notes to the moments on the walkthrough page", "note", "comment"))
    return Section("Timeline", tuple(blocks))


def _runs_backwards(rows: Sequence[TimelineRow]) -> bool:
    times = [row.occurred_at for row in rows if row.occurred_at]
    return any(later < earlier for earlier, later in pairwise(times))


def _row(facts: Facts, number: int, row: TimelineRow, *, dated: bool) -> tuple[Cell, ...]:
    mark = " ← first failure" if number - 1 == facts.incident.first_failure else ""
    when = moment(row.occurred_at) if dated else f"seq {row.seq}"
    return (
        (Anchor(f"e{number}"), Words(f"{number}{mark}")),
        words(when),
        (Words(f"{row.kind}: "), *recorded(row.name), *((Words(" → "), *recorded(row.outcome)) if row.outcome else ())),
        spot(row) if row.phase or row.agent else words("–"),
        recorded(row.summary, longest=160),
        (Link("record", f"#r{number}"),) if row.event_id else words("–"),
    )


def detection(facts: Facts) -> Section:
    """Where and by whom the failure was noticed, how late, and which gate spoke or did not."""
    blocks: list[Block] = []
    if facts.origins:
        rows = tuple(
            (event(facts, row.event_id), recorded(row.observed_at), recorded(row.agent), words(seconds(row.delay_s)),
             words("–" if row.distance is None else str(row.distance)))
            for row in facts.origins
        )  # fmt: skip
        header = ("Failure", "Observed at", "Agent in the record", "Delay since its origin", "Phases since its origin")
        blocks.append(Table(header, rows))
        if all(row.delay_s is None for row in facts.origins):
            blocks.append(
                Paragraph(words("The delay cannot be measured: it needs both places on a timeline with a clock."))
            )
    elif facts.incident.first_failure is not None:
        row = told_best(facts.incident, facts.incident.rows[facts.incident.first_failure])
        said = (Words("Observed at: "), *spot(row), Words(", in event "), *event(facts, row.event_id),
                Words(". The record names no observed_at; here the first failure was written down."))  # fmt: skip
        blocks.append(Paragraph(said))
    else:
        blocks.append(Paragraph(words("No failure is recorded, so nothing was detected.")))
    blocks.append(_guardrails(facts))
    blocks.append(human(facts, "gate", "name the gate that should have caught it; no record says this"))
    return Section("Detection", tuple(blocks))


def _guardrails(facts: Facts) -> Block:
    first = facts.incident.first_failure
    spoke = [(n, row) for n, row in enumerate(facts.incident.rows) if row.kind == "guardrail"]
    if not spoke:
        return Paragraph(words("No guardrail spoke in this run."))
    items = tuple(
        (Words("Guardrail "), *event(facts, row.event_id), Words(" said "), *recorded(row.name or row.summary),
         Words(" after the first failure: " if first is not None and n > first else ": "), *recorded(row.summary))
        for n, row in spoke
    )  # fmt: skip
    return Listing(items)
