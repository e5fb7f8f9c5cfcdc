"""`faultlens compare`: two runs side by side, and where they part."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from dashboard.cli._options import opened, store_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingest.store.attach import Lease


@click.command("compare")
@click.argument("run_a")
@click.argument("run_b")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
@store_option
def compare(
    run_a: str,
    run_b: str,
    as_json: bool,  # noqa: FBT001 - click passes flags by name
    store: str | None,
) -> None:
    """Compare two runs (run_id or native_id): steps aligned, what differs first, durations, context sets, findings."""
    from queries.export import without_controls

    with opened(store).lease() as lease:
        ids = _one_run(lease, run_a), _one_run(lease, run_b)
        found = _compared(lease, *ids)
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    for line in _lines(found):
        click.echo(without_controls(line))


def _one_run(lease: Lease, name: str) -> str:
    from ingest.store.errors import FaultlensError
    from queries.runs.run_facts import run_facts

    found = run_facts(lease, run=name).rows
    if not found:
        raise FaultlensError(f"there is no run '{name}' in this store; faultlens query runs lists them")
    if len(found) > 1:
        raise FaultlensError(f"several runs are called '{name}'; name one of: {', '.join(row.run_id for row in found)}")
    return found[0].run_id


def _compared(lease: Lease, run_a: str, run_b: str) -> dict[str, Any]:
    from queries.export import plain
    from queries.replay.compare_context import compare_context
    from queries.replay.compare_facts import compare_facts
    from queries.replay.compare_findings import compare_findings
    from queries.replay.compare_steps import compare_steps

    steps = compare_steps(lease, run_a=run_a, run_b=run_b).rows
    first = next((row for row in steps if row.differs), None)
    return {
        "run_a": run_a,
        "run_b": run_b,
        "facts": [plain(asdict(row)) for row in compare_facts(lease, run_a=run_a, run_b=run_b)],
        "first_difference": plain(asdict(first)) if first else None,
        "steps": [plain(asdict(row)) for row in steps],
        "context": [plain(asdict(row)) for row in compare_context(lease, run_a=run_a, run_b=run_b)],
        "findings": [plain(asdict(row)) for row in compare_findings(lease, run_a=run_a, run_b=run_b)],
    }


def _lines(found: dict[str, Any]) -> Iterator[str]:
    yield f"A  {found['run_a']}"
    yield f"B  {found['run_b']}"
    for row in found["facts"]:
        yield f"{'=' if row['same'] else '≠'} {row['fact']:<18} {_said(row['value_a'])}  |  {_said(row['value_b'])}"
    first = found["first_difference"]
    yield f"first difference: {_step(first)}" if first else "first difference: none, the steps are the same"
    for row in found["steps"]:
        yield f"{'≠' if row['differs'] else '='} {_step(row)}"
    for row in found["context"]:
        if row["only_a"] or row["only_b"]:
            yield (
                f"≠ context {row['set_name']} of step {row['step_id']}: "
                f"only in A {_items(row['only_a'])}, only in B {_items(row['only_b'])}"
            )
    for row in found["findings"]:
        sign = "=" if row["in_a"] == row["in_b"] else "≠"
        yield f"{sign} finding {row['rule']}: {row['in_a']} in A, {row['in_b']} in B"


def _step(row: dict[str, Any]) -> str:
    where = ", ".join(str(part) for part in (row["phase"], row["agent"]) if part)
    told = f"{row['row_no']:>3} {row['kind']} {_said(row['name'])}{f' ({where})' if where else ''}"
    outcome = f"{_said(row['outcome_a'])} | {_said(row['outcome_b'])}"
    return f"{told}: {row['differs'] or 'same'}, {outcome}"


def _said(value: object) -> str:
    return "–" if value in (None, "") else str(value)


def _items(items: list[str] | None) -> str:
    return ", ".join(items or []) or "nothing"


COMMAND = compare
