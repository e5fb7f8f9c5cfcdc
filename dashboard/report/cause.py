"""The middle of a report: where the failure began, what set it off, and what kind of failure it is."""

from __future__ import annotations

from collections.abc import Iterable

from dashboard.report.document import (
    Block,
    Cell,
    Drawing,
    Listing,
    Paragraph,
    Raw,
    Section,
    Table,
    Words,
    fields,
    joined,
    recorded,
    words,
)  # fmt: skip
from dashboard.report.drawing import sets_svg
from dashboard.report.facts import Facts, is_localised, located_step
from dashboard.report.told import beside, by_whom, counted, event, suspect
from queries.context.context_stage import ContextStageRow
from queries.runs.run_errors import RunErrorRow

DIFFERENCES = {
    1: ("required − retrieved", "retrieval omission", "ingestion / index / query"),
    2: ("retrieved − eligible", "policy or authority filter", "permissions, scope, classification"),
    3: ("eligible − composed", "budget or composition drop", "budget order, degradation step"),
    4: ("composed − consumed", "attention or utilisation", "volume, position, format"),
    5: ("consumed − current", "staleness or wrong authority", "freshness typing, authority"),
}


def origin(facts: Facts) -> Section:
    """Where the failure began, with the Context Diff; or that nobody knows."""
    blocks: list[Block] = []
    if is_localised(facts.origins):
        rows = tuple(
            (event(facts, row.event_id), beside(row.originated_at, row.recorded_originated_at, row.basis),
             beside(row.observed_at, row.recorded_observed_at, row.basis), recorded(row.basis),
             recorded(row.author), recorded(row.rule))
            for row in facts.origins
        )  # fmt: skip
        blocks.append(Table(("Failure", "Originated at", "Observed at", "Basis", "By", "Rule"), rows))
        blocks += _several_diagnoses(facts)
    else:
        blocks.append(Paragraph(words("Not localised: neither a record nor a person says where this failure began.")))
        blocks += _suspicions(facts)
    step = located_step(facts.stages)
    blocks += _context(facts, step) if step else [Paragraph(words("Context Diff: no context set is recorded."))]
    return Section("Origin", tuple(blocks))


def _several_diagnoses(facts: Facts) -> list[Block]:
    told = [row for row in facts.incident.rows if row.kind == "diagnosis"]
    if len(told) <= len(facts.origins):
        return []
    named = joined([event(facts, row.event_id) for row in told])
    said = " Where several speak of one failure, what was recorded last stands here, field by field."
    return [Paragraph((Words("Recorded diagnoses: "), *named, Words(f".{said}")))]


def _suspicions(facts: Facts) -> list[Block]:
    if not facts.candidates or facts.incident.first_failure is None:
        return []
    items = tuple(
        (*suspect(row.step), Words(f", score {row.score:.2f}, rule "), *recorded(row.rule),
         Words(": "), *recorded(row.evidence))
        for row in facts.candidates
    )  # fmt: skip
    return [
        Paragraph(
            words(
                "Suspicions that rules derived from the records; none is a diagnosis. "
                "A score is the share of a step among the steps that were looked at:"
            )
        ),
        Listing(items),
    ]


def _context(facts: Facts, step: ContextStageRow) -> list[Block]:
    lead = (Words("Context Diff of step "), *recorded(step.step_id), Words(f": {_verdict(step)}. {_others(facts)}"))
    rows = tuple((words(str(n)), *_difference(facts, step, n)) for n in DIFFERENCES)
    drawing = Drawing(sets_svg(facts.sets), "How many items each of the six context sets holds")
    return [Paragraph(lead), drawing, Table(("No", "Difference", "Lost items", "Stage", "Owner"), rows)]


def _verdict(step: ContextStageRow) -> str:
    if step.lost is None:
        return "nothing can be evaluated"
    if step.stage_no is None:
        return "no loss found, proven" if step.proven else "no loss found, not proven"
    return f"lost at difference {step.stage_no}, {DIFFERENCES[step.stage_no][1]}, {_sureness(step)}"


def _sureness(step: ContextStageRow) -> str:
    return "proven" if step.proven else "localised, not proven"


def _others(facts: Facts) -> str:
    lost = sum(row.stage_no is not None for row in facts.stages)
    judged = sum(row.lost is not None for row in facts.stages)
    steps = counted(len(facts.stages), "step has", "steps have")
    return f"{steps} context sets, {judged} can be evaluated, {lost} lost something."


def _difference(facts: Facts, step: ContextStageRow, number: int) -> tuple[Cell, Cell, Cell, Cell]:
    name, stage, owner = DIFFERENCES[number]
    if number in step.not_evaluable:
        return words(name), words("not evaluable: a set is not recorded"), words(stage), words(owner)
    lost = [row for row in facts.differences if row.stage_no == number]
    items = [
        (*recorded(row.item_id if row.revision is None else f"{row.item_id}@{row.revision}"),
         *((Words(" (current "), *recorded(row.current_revision), Words(")")) if row.current_revision else ()),
         Words(" (background)" if row.is_background else ""))
        for row in lost
    ]  # fmt: skip
    below = " (below the stage: not yet meaningful)" if step.stage_no and number > step.stage_no and lost else ""
    cell = (*joined(items[:12]), Words(f" and {len(items) - 12} more" if len(items) > 12 else ""), Words(below))
    return words(name), cell if lost else words("none"), words(stage), words(owner)


def trigger_and_cause(facts: Facts) -> Section:
    """What set the failure off, and what let it become one: two fields, never one."""
    blocks: list[Block] = []
    for row in facts.origins:
        values: list[tuple[str, Cell]] = [
            ("Failure", event(facts, row.event_id)),
            ("Trigger (what set it off)", beside(row.trigger, row.recorded_trigger, row.basis)),
            ("Root cause (what let it become a failure)", beside(row.root_cause, row.recorded_root_cause, row.basis)),
            ("Said by", by_whom(row.basis, row.author)),
        ]
        blocks.append(fields(values))
        if row.trigger_is_cause:
            blocks.append(Paragraph(words("The trigger is given as the root cause: the cause is still unsaid.")))
    if not blocks:
        blocks = [fields([("Trigger", words("not recorded")), ("Root cause", words("not recorded"))])]
    return Section("Trigger and root cause", tuple(blocks))


def _or_not(text: str | None) -> Cell:
    return recorded(text) if text else words("not recorded")


def classification(facts: Facts) -> Section:
    """What kind of failure it is on each axis, what still holds, what may be done, and which rules spoke."""
    blocks: list[Block] = []
    for alike in _alike(facts.errors):
        named = joined([event(facts, error.event_id) for error in alike])
        blocks.append(fields([("Failure" if len(alike) == 1 else "Failures", named), *_axes(alike[0])]))
        if alike[0].details:
            blocks.append(Raw(alike[0].details[:2000]))
    if facts.run.errors > len(facts.errors):
        blocks.append(Paragraph(words(f"{facts.run.errors - len(facts.errors):,} more errors are not told here.")))
    if not facts.errors:
        blocks.append(Paragraph(words("No error is recorded.")))
    run = facts.run
    state: list[tuple[str, Cell]] = [
        ("State at failure", _or_not(run.state_at_failure)),
        ("Evidence that still holds", _or_not(run.evidence_that_holds)),
        ("Permitted next action", _or_not(run.permitted_next_action)),
        ("Contract class", _or_not(run.contract_class)),
        ("Operator response", _or_not(run.operator_response)),
    ]
    return Section("Classification", (*blocks, fields(state), *_rules(facts)))


def _alike(errors: Iterable[RunErrorRow]) -> list[list[RunErrorRow]]:
    """Errors of one class with one text are told once, where the first of them stands."""
    told: dict[str, list[RunErrorRow]] = {}
    for error in errors:
        told.setdefault(repr((_axes(error), error.details)), []).append(error)
    return list(told.values())


def _axes(error: RunErrorRow) -> list[tuple[str, Cell]]:
    axes: dict[str, object] = {
        "Severity level": error.level,
        "Type": error.type,
        "Location": error.location,
        "Error code": error.error_code,
        "Agent error code": error.agent_error_code,
        "Tool error class": error.tool_error_class,
        "Context failure class": error.context_failure_class,
        "Failure class": error.failure_class,
        "Contract class": error.contract_class,
        "Action": error.action,
        "Result of the action": error.result,
        "Basis": error.basis,
        "Rule": error.rule,
    }
    said = [(name, recorded(value)) for name, value in axes.items() if value is not None]
    unset = ", ".join(name.lower() for name, value in axes.items() if value is None)
    return [*said, ("Not recorded", words(unset))] if unset else said


def _rules(facts: Facts) -> list[Block]:
    if not facts.findings:
        return [Paragraph(words("No conformance rule found anything in this run."))]
    rows = tuple(
        (words(row.severity), words(row.rule), event(facts, row.event_id), recorded(row.message), recorded(row.advice))
        for row in facts.findings
    )
    return [Table(("Severity", "Rule that spoke", "Event", "Finding", "What to do"), rows)]
