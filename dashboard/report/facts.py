"""Everything that the report of one run states, read from one generation of the store."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from dashboard.report.incident import Incident, incident
from ingest.store.attach import Lease
from ingest.store.errors import FaultlensError
from queries.context.context_diff import ContextDiffRow, context_diff
from queries.context.context_stage import ContextStageRow, context_stage
from queries.context.context_step_sets import ContextStepSetRow, context_step_sets
from queries.coordination.coordination import CoordinationRow, coordination
from queries.escalation.escalation_band import EscalationBandRow, escalation_band
from queries.findings.findings import FindingRow, findings
from queries.origins.origin_candidates import OriginCandidateRow, origin_candidates
from queries.origins.origins import OriginRow, origins
from queries.origins.reviews import ReviewRow, reviews
from queries.reader import Answer
from queries.recovery.recovery_chains import RecoveryChainRow, recovery_chains
from queries.report.event_places import EventPlaceRow, event_places
from queries.report.rules_left_open import RuleLeftOpenRow, rules_left_open
from queries.report.run_files import RunFileRow, run_files
from queries.report.run_recoveries import RunRecoveryRow, run_recoveries
from queries.report.schema_in_force import schema_in_force
from queries.report.span_shape import SpanShapeRow, span_shape
from queries.report.unconfirmed_outcomes import UnconfirmedOutcomeRow, unconfirmed_outcomes
from queries.runs.event_record import EventRecord, event_record
from queries.runs.run_errors import RunErrorRow, run_errors
from queries.runs.run_evidence import EvidenceRow, run_evidence
from queries.runs.run_facts import RunFacts, run_facts
from queries.runs.run_spans import SpanRow, run_spans
from queries.runs.timeline import TimelineRow, timeline

RECORDS_SHOWN = 8
SPANS_DRAWN = 40
ERRORS_SHOWN = 50
COORDINATION = ("delegation", "wait", "handoff")


class UnknownRun(FaultlensError):
    """There is no run of that id, or several."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a run and of what it is measured by."""

    version: str
    schema_version: int | None
    run: RunFacts
    files: tuple[RunFileRow, ...]
    evidence: tuple[EvidenceRow, ...]
    shape: SpanShapeRow | None
    spans: tuple[SpanRow, ...]
    incident: Incident
    places: dict[tuple[str, str], EventPlaceRow]
    errors: tuple[RunErrorRow, ...]
    unconfirmed: tuple[UnconfirmedOutcomeRow, ...]
    origins: tuple[OriginRow, ...]
    candidates: tuple[OriginCandidateRow, ...]
    stages: tuple[ContextStageRow, ...]
    differences: tuple[ContextDiffRow, ...]
    sets: tuple[ContextStepSetRow, ...]
    recoveries: tuple[RunRecoveryRow, ...]
    chains: tuple[RecoveryChainRow, ...]
    band: EscalationBandRow | None
    findings: tuple[FindingRow, ...]
    rules_left_open: tuple[RuleLeftOpenRow, ...]
    coordination: tuple[TimelineRow, ...]
    faults: tuple[CoordinationRow, ...]
    replays: tuple[TimelineRow, ...]
    reviews: tuple[ReviewRow, ...]
    records: tuple[EventRecord, ...]
    asked: tuple[tuple[str, dict[str, Any]], ...]


class _Questions:
    """Queries asked of one lease, remembered for the appendix."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, query: Any, **parameters: Any) -> Answer[Any]:
        answer: Answer[Any] = query(self._lease, **parameters)
        given = {name: value for name, value in parameters.items() if value is not None}
        if (answer.name, given) not in self.asked:
            self.asked.append((answer.name, given))
        return answer


def run_of(lease: Lease, run: str) -> RunFacts:
    """The one run of this run_id or native id."""
    found = run_facts(lease, run=run)
    if not found.rows:
        raise UnknownRun(f"there is no run '{run}' in this store; faultlens query runs lists them")
    if len(found) > 1:
        ids = ", ".join(row.run_id for row in found)
        raise UnknownRun(f"several runs have the native id '{run}'; name one by its run_id: {ids}")
    return found.rows[0]


def facts_of(lease: Lease, run: str) -> Facts:
    """What is known of the run."""
    ask = _Questions(lease)
    chosen = run_of(lease, run)
    run_id, workload = chosen.run_id, chosen.workload or "default"
    ask(run_facts, run=run_id)
    told = incident(lease, run_id)
    ask.asked.append(("timeline", {"run": run_id}))
    errors = ask(run_errors, run=run_id, limit=ERRORS_SHOWN).rows
    located = ask(origins, run=run_id).rows
    stages = ask(context_stage, run=run_id, limit=500).rows
    step = located_step(stages)
    return Facts(
        version=_version(),
        schema_version=next((row.version for row in schema_in_force(lease)), None),
        run=chosen,
        files=ask(run_files, run=run_id).rows,
        evidence=ask(run_evidence, run=run_id).rows,
        shape=ask(span_shape, run=run_id).first,
        spans=ask(run_spans, run=run_id, limit=SPANS_DRAWN).rows,
        incident=told,
        places=_places(lease, run_id, told),
        errors=errors,
        unconfirmed=ask(unconfirmed_outcomes, run=run_id).rows,
        origins=located,
        candidates=() if is_localised(located) else ask(origin_candidates, run=run_id, limit=3).rows,
        stages=stages,
        differences=ask(context_diff, run=run_id, step=step.step_id).rows if step else (),
        sets=ask(context_step_sets, run=run_id, step=step.step_id).rows if step else (),
        recoveries=ask(run_recoveries, run=run_id).rows,
        chains=ask(recovery_chains, workload=workload).rows,
        band=ask(escalation_band, workload=workload).first,
        findings=ask(findings, run=run_id, limit=200).rows,
        rules_left_open=ask(rules_left_open, run=run_id).rows,
        coordination=ask(timeline, run=run_id, kinds=",".join(COORDINATION), limit=100).rows,
        faults=ask(coordination, run=run_id, limit=100).rows,
        replays=ask(timeline, run=run_id, kinds="replay", limit=100).rows,
        reviews=ask(reviews, run=run_id).rows,
        records=tuple(row for error in errors[:RECORDS_SHOWN] for row in _records(lease, run_id, error.event_id)),
        asked=tuple(ask.asked),
    )


def is_localised(rows: tuple[OriginRow, ...]) -> bool:
    """Whether a record or a person says where a failure of the run began."""
    return any(row.originated_at for row in rows)


def located_step(stages: tuple[ContextStageRow, ...]) -> ContextStageRow | None:
    """The step whose Context Diff is shown: the first at which context was lost, else the first with sets."""
    return next((row for row in stages if row.stage_no is not None), next(iter(stages), None))


def _records(lease: Lease, run_id: str, event_id: str) -> tuple[EventRecord, ...]:
    return tuple(row for row in event_record(lease, run=run_id, event=event_id) if row.kind == "error")


def _places(lease: Lease, run_id: str, told: Incident) -> dict[tuple[str, str], EventPlaceRow]:
    ids = json.dumps(sorted({row.event_id for row in told.rows if row.event_id}))
    return {(row.kind, row.event_id): row for row in event_places(lease, run=run_id, events=ids)}


def _version() -> str:
    try:
        return metadata.version("faultlens")
    except metadata.PackageNotFoundError:
        return "checkout"
