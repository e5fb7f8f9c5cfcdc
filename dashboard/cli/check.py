"""`faultlens check`: bands and rules, for CI and cron."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from dashboard.cli._options import opened, store_option

if TYPE_CHECKING:
    from ingest.store.attach import Lease
    from ingest.store.url import AnyStore
    from queries.escalation.alerts import Alert

STATES = {"low": "LOW", "high": "HIGH", "insufficient": "INSUFFICIENT_DATA"}
SEVERITIES = ("info", "warning", "error", "critical")
FAIL_ON = "low|high|insufficient|findings[:SEVERITY]"


def _conditions(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        name, _, severity = value.partition(":")
        known = (value in STATES) or (name == "findings" and (severity in SEVERITIES or value == "findings"))
        if not known:
            raise click.BadParameter(f"'{value}' is none of {FAIL_ON}; severities: {', '.join(SEVERITIES)}")
    return values


@click.command("check")
@click.option("--fail-on", "conditions", multiple=True, metavar=FAIL_ON, callback=_conditions,
              help="Exit 1 on this; repeatable. low and high include suspected.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option(
    "--notify", "url", metavar="URL", help="Post one JSON message for each change of an alert to this address."
)
@store_option
@click.pass_context
def check(
    ctx: click.Context,
    conditions: tuple[str, ...],
    as_json: bool,  # noqa: FBT001 - click passes flags by name
    url: str | None,
    store: str | None,
) -> None:
    """Evaluate the escalation band of every workload, and the rules, for CI and cron."""
    from queries.escalation.alerts import alerts

    if url is not None:
        from dashboard.escalation.notify import checked_address

        checked_address(url)
    chosen = opened(store)
    with chosen.lease() as lease:
        _hint_at_older_rules(lease)
        found = alerts(lease)
        failed = [line for condition in conditions for line in _failures(lease, found, condition)]
    _note_bands(chosen, found)
    told, undelivered = _notified(chosen, found, url) if url else ([], [])
    if as_json:
        click.echo(json.dumps(_report(found, failed, told), indent=2, ensure_ascii=False))
    else:
        for line in _lines(found):
            click.echo(line)
    for line in [*(f"fails: {line}" for line in failed), *undelivered]:
        click.echo(f"faultlens: {line}", err=True)
    ctx.exit(1 if failed or undelivered else 0)


def _hint_at_older_rules(lease: Lease) -> None:
    """Findings of runs that another version judged are said to be that: a hint, and no reason to fail."""
    from ingest.derive.version import version
    from queries.ingest_health.judged_by import judged_by

    current = version()
    older = sum(row.runs for row in judged_by(lease) if row.version != current)
    if older:
        click.echo(
            f"faultlens: {older} {'run was' if older == 1 else 'runs were'} judged by older rules, or other retry "
            "budgets; faultlens rebuild judges them again",
            err=True,
        )


def _failures(lease: Lease, found: Sequence[Alert], condition: str) -> Iterator[str]:
    """What is to be looked at under one --fail-on."""
    if condition in STATES:
        for alert in found:
            if alert.reading.state == STATES[condition]:
                evidence = f" ({alert.reading.evidence})" if alert.reading.evidence else ""
                yield f"{condition}: {alert.workload} is {alert.reading.state}{evidence}"
        return
    least = condition.partition(":")[2] or SEVERITIES[0]
    number = _findings(lease, least)
    if number:
        yield f"{condition}: {number} findings of severity {least} or worse; faultlens query findings lists them"


def _findings(lease: Lease, least: str) -> int:
    """How many rule findings there are of this severity or worse; a gate that cannot look must not pass."""
    from ingest.store.errors import FaultlensError
    from queries.catalogue import queries

    if "findings" not in queries():
        raise FaultlensError("--fail-on findings is not available: this faultlens has no query 'findings'")
    worse = set(SEVERITIES[SEVERITIES.index(least) :])
    return sum(row.severity in worse for row in queries()["findings"].ask(lease, {}))


def _note_bands(store: AnyStore, found: Sequence[Alert]) -> None:
    """A band that was not in force before is remembered, so that its change is an entry in the history."""
    from ingest.people import note_bands
    from ingest.store.errors import StoreUnusable
    from queries.escalation.bands import unrecorded

    with store.lease() as lease:
        new = unrecorded(lease, [alert.workload for alert in found if alert.reading.finished])
    try:
        note_bands(store, new)
    except StoreUnusable as refusal:
        click.echo(f"faultlens: the bands in force are not remembered: {refusal}", err=True)


def _notified(store: AnyStore, found: Sequence[Alert], url: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The messages that were delivered, each remembered at once, and why others were not."""
    from dashboard.escalation import notify
    from ingest.people import Notification, note_sent, target_of
    from queries.escalation.notifications import notifications

    target = target_of(url)
    with store.lease() as lease:
        messages = notify.due(found, notifications(lease, target=target))
    told: list[dict[str, Any]] = []
    for message in messages:
        try:
            notify.post(url, message)
        except notify.Undelivered as refusal:
            # Its successors would reach nobody either, and must not overtake it.
            return told, [str(refusal)]
        note_sent(
            store,
            [
                Notification(
                    message.workload, target, message.kind, message.to_state, message.severity, message.day,
                    message.acknowledgement,
                )
            ],
        )  # fmt: skip
        told.append(json.loads(message.body))
    return told, []


def _report(found: Sequence[Alert], failed: list[str], told: list[dict[str, Any]]) -> dict[str, Any]:
    from dataclasses import asdict

    from queries.escalation.alerts import worst
    from queries.export import plain

    return {
        "as_of": plain(next((alert.reading.as_of for alert in found), None)),
        "worst": worst(alert.reading.severity for alert in found),
        "workloads": [
            {**plain(asdict(alert.reading)), "alert": alert.state, "alert_severity": alert.severity,
             "alert_since": plain(alert.since.at) if alert.since and alert.is_on else None,
             "acknowledged_by": _acknowledged_by(alert)}
            for alert in found
        ],
        "failed": failed,
        "notified": told,
    }  # fmt: skip


def _acknowledged_by(alert: Alert) -> str | None:
    return alert.acknowledgement.author if alert.acknowledgement and alert.is_acknowledged else None


def _lines(found: Sequence[Alert]) -> Iterator[str]:
    from dashboard.wording import moment
    from queries.export import without_controls

    if not found:
        yield "no workload in this store, and no band in faultlens.toml: nothing to check"
        return
    yield f"as of {moment(found[0].reading.as_of)}"
    for alert in found:
        yield without_controls(_line(alert))


def _line(alert: Alert) -> str:
    from dashboard.escalation import words

    row = alert.reading
    evidence = f", {row.evidence}" if row.evidence else ""
    head = f"{words.state(row.state)}{evidence}"
    parts = [f"{head:<22}", f"{words.severity(row.severity):<11}", f"{row.workload}:", words.happened(row)]
    if row.needed:
        parts.append(f"Needs {row.needed:,} more.")
    parts.append(f"Band {words.band(row.band_low, row.band_high)} over {row.window_text}, {words.band_note(row)}.")
    if row.undated:
        parts.append("Undated: over all its attempts.")
    return " ".join([*parts, *_alerting(alert)])


def _alerting(alert: Alert) -> Iterator[str]:
    from dashboard.wording import moment

    if alert.is_on and alert.since:
        yield f"Alert {alert.state} since {moment(alert.since.at)}."
    ack = alert.acknowledgement
    if ack and alert.is_acknowledged:
        yield f"Acknowledged by {ack.author}{f' until {moment(ack.until)}' if ack.until else ''}."
    elif ack and alert.is_on:
        yield f"Acknowledged by {ack.author} and open again: {alert.reopened_because}."


COMMAND = check
