"""The answer in a few lines: what failed, where it began, what was tried, and what is not known."""

from __future__ import annotations

from collections import Counter

from dashboard.report.cause import DIFFERENCES
from dashboard.report.document import Cell, Listing, Section, Words, joined, recorded, words
from dashboard.report.facts import Facts, is_localised, located_step
from dashboard.report.incident import told_best
from dashboard.report.told import beside, by_whom, counted, event, human, spot, suspect
from queries.origins.origins import OriginRow
from queries.report.run_recoveries import RunRecoveryRow
from queries.runs.timeline import TimelineRow

# Rules that judge what was done about a failure: whether it was allowed, and whether it was of use.
RESPONSE_RULES = (
    "retry-unchanged", "retry-class", "retry-budget", "budget-open", "chain-attempts", "chain-mismatch",
    "auto-below-threshold", "unknown-outcome-collapsed", "policy-denial-bypassed",
)  # fmt: skip
TOLD = 6


def summary(facts: Facts) -> Section:
    """The run in a few lines of facts, then a person's summary."""
    items = (
        _what_failed(facts), *_between_agents(facts), _where_it_began(facts), _what_was_tried(facts),
        *_what_rules_say(facts), _what_is_provisional(facts), *_what_is_unknown(facts),
    )  # fmt: skip
    asked = human(facts, "summary", "say in three sentences what happened and what it means", "summary")
    return Section("Summary", (Listing(items), asked))


def _what_failed(facts: Facts) -> Cell:
    told, run = facts.incident, facts.run
    lead: Cell = (Words("What failed: the run ended "), *recorded(run.status), Words("; "))
    if run.status == "running":
        lead = words("What failed: the run has no recorded end; ")
    if told.first_failure is None:
        return (*lead, Words("no failure is recorded in it."), *_decided(facts))
    row = told_best(told, told.rows[told.first_failure])
    return (*lead, Words("the first failure is "), *_named(row), Words(" at "), *spot(row),
            Words(", event "), *event(facts, row.event_id), *_first_error(facts, row), Words("."))  # fmt: skip


def _first_error(facts: Facts, failed: TimelineRow) -> Cell:
    """What a failed step alone does not tell: the first error, where none is tied to the step."""
    error = next((row for row in facts.incident.rows if row.kind == "error"), None)
    if failed.kind == "error" or error is None:
        return ()
    return (Words("; the first error is "), *_named(error), Words(", event "), *event(facts, error.event_id))


def _named(row: TimelineRow) -> Cell:
    parts = [recorded(text) for text in dict.fromkeys((row.name, row.summary)) if text]
    return joined(parts, ": ") if parts else words("not named")


def _decided(facts: Facts) -> Cell:
    """How a run ended otherwise than well without a failure: what decided that, and what was said of it."""
    if facts.run.status in {"succeeded", "running"}:
        return ()
    decision = next((row for row in reversed(facts.incident.rows) if row.name == "decision"), None)
    said = (Words(", "), *recorded(decision.summary)) if decision and decision.summary else ()
    return (Words(" Decided by "), *recorded(facts.run.status_reason), *said, Words("."))


def _between_agents(facts: Facts) -> list[Cell]:
    if not facts.faults:
        return []
    # Circles first: an overdue wait is often only an arc of one.
    ordered = sorted(facts.faults, key=lambda row: row.kind not in {"wait cycle", "circulating task"})
    told = joined([recorded(row.detail) for row in ordered[:TOLD]], "; ")
    return [(Words("Between agents: "), *told, Words("."))]


def _where_it_began(facts: Facts) -> Cell:
    if is_localised(facts.origins):
        rows = [row for row in facts.origins if row.originated_at]
        return (Words("Where it began: "), *joined([_began(facts, row) for row in rows[:TOLD]], "; "), Words("."))
    if facts.run.status == "succeeded" and facts.incident.first_failure is None:
        return words("Where it began: nothing failed, so there is nothing to localise.")
    return (Words("Where it began: not localised. No record and no person says it."), *_suspected(facts))


def _began(facts: Facts, row: OriginRow) -> Cell:
    said = beside(row.originated_at, row.recorded_originated_at, row.basis)
    doubt = words(", which is after it was observed: look again") if _is_late(row) else ()
    return (*event(facts, row.event_id), Words(" at "), *said, Words(", "), *by_whom(row.basis, row.author), *doubt,
            Words("; root cause: "), *_cause(row))  # fmt: skip


def _is_late(row: OriginRow) -> bool:
    return row.direction == "origin after its observation"


def _cause(row: OriginRow) -> Cell:
    said = beside(row.root_cause, row.recorded_root_cause, row.basis)
    return (*said, Words(", which is also given as the trigger: the cause is unsaid")) if row.trigger_is_cause else said


def _suspected(facts: Facts) -> Cell:
    best = max((row.score for row in facts.candidates), default=0.0)
    first = [row for row in facts.candidates if row.score == best and row.rule != "observed-there"]
    if not first or facts.incident.first_failure is None:
        return _lost(facts)
    told = joined([(*suspect(row.step), Words(": "), *recorded(row.evidence)) for row in first], "; ")
    return (Words(" Most suspected by rules: "), *told, Words(". A suspicion is no diagnosis."))


def _lost(facts: Facts) -> Cell:
    step = located_step(facts.stages)
    if step is None or step.stage_no is None:
        return ()
    return (Words(" The context of step "), *recorded(step.step_id), Words(
        f" lost something at {DIFFERENCES[step.stage_no][1]}, {'proven' if step.proven else 'not proven'}: "
        "see the Context Diff."))  # fmt: skip


def _what_was_tried(facts: Facts) -> Cell:
    count = counted(len(facts.recoveries), "recovery", "recoveries") if facts.recoveries else "no recovery is recorded"
    told = joined([_recovery(row) for row in facts.recoveries[:TOLD]], "; ") if facts.recoveries else ()
    lead = Words(f"What was tried: {count}{': ' if told else ''}")
    return (lead, *told, *_tried_again(facts), Words("."))


def _recovery(row: RunRecoveryRow) -> Cell:
    started = {True: ", automatic", False: ", asked", None: ""}[row.auto_executed]
    return (*_chain(row), Words(f"{started}, "), *recorded(row.outcome or "unfinished"))


def _chain(row: RunRecoveryRow) -> Cell:
    return (Words("chain "), *recorded(row.chain)) if row.chain else words("no chain named")


def _tried_again(facts: Facts) -> Cell:
    retries = sum(row.kind == "event" and row.name == "retry" for row in facts.incident.rows)
    actions = [
        (*recorded(row.action), Words(" after "), *event(facts, row.event_id)) for row in facts.errors if row.action
    ]
    same = max(Counter(row.signature for row in facts.errors if not row.signature_partial and row.signature).values(),
               default=0)  # fmt: skip
    return (
        Words(f"; {counted(retries, 'retry', 'retries')}" if retries else ""),
        *((Words("; recorded actions: "), *joined(actions[:TOLD])) if actions else ()),
        Words(f"; the same failure was met {same} times" if same > 1 else ""),
    )


def _what_rules_say(facts: Facts) -> list[Cell]:
    """Whether what was tried was allowed, as far as rules can tell."""
    spoke = [row for row in facts.findings if row.rule in RESPONSE_RULES]
    if not spoke:
        return [words(f"Whether it was allowed: {_no_objection(facts)}.")] if facts.recoveries else []
    told = joined([recorded(row.message) for row in spoke[:TOLD]], "; ")
    rest = f"; and {len(spoke) - TOLD} more" if len(spoke) > TOLD else ""
    return [(Words("Whether it was allowed: rules object: "), *told, Words(f"{rest}."))]


def _no_objection(facts: Facts) -> str:
    unable = [row.rule for row in facts.rules_left_open if row.rule in RESPONSE_RULES]
    return "no rule objects" + (f", but these could not judge: {', '.join(unable)}" if unable else " to what was tried")


def _what_is_provisional(facts: Facts) -> Cell:
    if not facts.origins:
        return words(f"What is provisional: {_without_diagnosis(facts)}")
    provisional = [event(facts, row.event_id) for row in facts.origins if row.provisional]
    unsaid = [event(facts, row.event_id) for row in facts.origins if row.fix_at is None]
    said: list[Cell] = []
    if provisional:
        said.append((Words("the fix of "), *joined(provisional), Words(", made where it was observed: it stays open")))
    if unsaid:
        said.append((Words("no record says where "), *joined(unsaid), Words(" was fixed, or that it was")))
    told = joined(said, "; ") if said else words("no fix is recorded as made where the failure was only observed")
    return (Words("What is provisional: "), *told, Words("."))


def _without_diagnosis(facts: Facts) -> str:
    if facts.incident.first_failure is None:
        return "no diagnosis and no fix is recorded."
    if any(row.outcome == "RECOVERED" for row in facts.recoveries):
        return "the recovery: without a diagnosis nothing says that it reached the origin."
    return "everything. Neither a diagnosis nor a fix is recorded."


def _what_is_unknown(facts: Facts) -> list[Cell]:
    unseen = [event(facts, row.event_id) for row in facts.unconfirmed if row.checked_state is None]
    if not unseen:
        return []
    return [(Words("What is unknown: the effect of "), *joined(unseen), Words(" may exist; nobody is recorded to have "
             "looked."))]  # fmt: skip
