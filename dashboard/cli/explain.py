"""`faultlens explain`: a run's verdicts with their rules, and what they count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from dashboard.cli._options import opened, store_option
from dashboard.wording import clipped, counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingest.store.attach import Lease

# What is recorded is no value that the tables of the rules have.
UNLISTED = "not known, it is on no list"


@click.command("explain")
@click.argument("run")
@store_option
def explain(run: str, store: str | None) -> None:
    """Explain the verdicts on RUN (run_id or native_id): the rule, the records counted, those left out and why."""
    from queries.export import without_controls

    with opened(store).lease() as lease:
        for line in _lines(lease, run):
            click.echo(clipped(without_controls(line)))


def _lines(lease: Lease, run: str) -> Iterator[str]:
    from ingest.store.errors import FaultlensError
    from queries.runs.run_facts import run_facts

    facts = run_facts(lease, run=run)
    if not facts.rows:
        raise FaultlensError(f"there is no run '{run}' in this store; faultlens query runs lists them")
    for number, fact in enumerate(facts):
        if number:
            yield ""
        yield from _outcome(fact)
        yield from _failures(lease, fact.run_id)
        yield from _counted(lease, fact.run_id)


def _outcome(fact: Any) -> Iterator[str]:
    yield f"run       {fact.run_id}  (native id {fact.native_id}, {fact.identity})"
    yield f"workload  {fact.workload}"
    yield f"outcome   {fact.status}: {fact.status_reason or 'no reason recorded'}"
    if fact.state_at_failure:
        yield f"state     {fact.state_at_failure}: holds: {fact.evidence_that_holds or UNLISTED}"
        yield f"          permitted next: {fact.permitted_next_action or UNLISTED}"
    if fact.contract_class:
        yield f"contract  {fact.contract_class}: {fact.operator_response or UNLISTED}"
    yield f"evidence  {fact.path or 'file not recorded'}{f', line {fact.line}' if fact.line else ''}"


def _failures(lease: Lease, run_id: str) -> Iterator[str]:
    from queries.runs.run_errors import run_errors

    for error in run_errors(lease, run=run_id):
        code = error.error_code or error.type or "no code recorded"
        yield f"failure   seq {error.seq}, event {error.event_id}: {code}"
        place = [f"step {error.step_index}" if error.step_index is not None else None, error.phase, error.agent]
        where = ", ".join(part for part in place if part)
        yield f"          at {where or 'a place that is not recorded'} ({error.basis})"
        if error.contract_class:
            yield f"          contract class {error.contract_class}, {error.contract_class_basis}: {error.rule or ''}"
        if error.failure_class:
            yield (
                f"          failure class {error.failure_class}: {error.profile_category or UNLISTED}, "
                f"retryable {_yes(error.retryable)}, replayable {_yes(error.replayable)}"
            )
        yield f"          signature {_signature(error)}"


def _yes(value: bool | None) -> str:  # noqa: FBT001 - a value to show
    return "not known" if value is None else ("yes" if value else "no")


def _signature(error: Any) -> str:
    if error.signature is None:
        return "none: too few parts recorded"
    seen = f", in {counted(error.seen_in_runs, 'run')}" if error.seen_in_runs else ""
    return f"{error.signature}{' (partial)' if error.signature_partial else ''}{seen}"


def _counted(lease: Lease, run_id: str) -> Iterator[str]:
    from queries.runs.run_evidence import run_evidence

    for row in run_evidence(lease, run=run_id):
        yield f"{row.verdict:<9} {row.what}: {row.records:,}"


COMMAND = explain
