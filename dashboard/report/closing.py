"""The last part of a report: what was done, what people say of it, what is still open, and the evidence."""

from __future__ import annotations

import json
import shlex
from typing import Any
from urllib.parse import urlencode

from dashboard.report.document import (
    Anchor,
    Block,
    Cell,
    Listing,
    Paragraph,
    Raw,
    Section,
    Table,
    Words,
    joined,
    recorded,
    words,
)  # fmt: skip
from dashboard.report.facts import Facts, located_step
from dashboard.report.summary import RESPONSE_RULES
from dashboard.report.told import body, counted, event, human, place, share
from queries.recovery.recovery_chains import RecoveryChainRow
from queries.runs.timeline import TimelineRow


def response(facts: Facts) -> Section:
    """The recovery chains, automatic or asked, failures that came again, and the budget."""
    blocks: list[Block] = []
    if facts.recoveries:
        rows = tuple(
            (event(facts, row.event_id), recorded(row.chain), recorded(row.trigger),
             words("–" if row.confidence is None else f"{row.confidence:.2f}"),
             words({True: "automatic", False: "asked", None: "not recorded"}[row.auto_executed]),
             joined([recorded(step) for step in row.steps or ()], "; "), recorded(row.outcome or "unfinished"),
             event(facts, row.error_event_id))
            for row in facts.recoveries
        )  # fmt: skip
        blocks.append(
            Table(("Event", "Chain", "Trigger", "Confidence", "Started", "Steps", "Outcome", "For failure"), rows)
        )
    else:
        blocks.append(Paragraph(words("No recovery is recorded.")))
    blocks.append(Listing((_repeats(facts), *_budget(facts))))
    return Section("Response", tuple(blocks))


def _repeats(facts: Facts) -> Cell:
    full = [row.signature for row in facts.errors if row.signature and not row.signature_partial]
    partial = sum(bool(row.signature_partial) for row in facts.errors)
    none = sum(row.signature is None for row in facts.errors)
    again = sorted({s for s in full if full.count(s) > 1})
    named = joined([(*recorded(s), Words(f" {full.count(s)} times")) for s in again])
    rest = f" ({counted(len(full), 'error')} with a full signature, {partial} partial, {none} without)."
    return (Words("Repeated signatures: "), *(named if again else words("none")), Words(rest))


def _budget(facts: Facts) -> list[Cell]:
    spoke = [row for row in facts.findings if row.rule in RESPONSE_RULES]
    if not spoke:
        return [
            words(
                "Budget and thresholds: no rule about retries, budgets, attempts, chains or confidence found anything."
            )
        ]
    return [(Words(f"{row.rule} ({row.severity}): "), *recorded(row.message)) for row in spoke]


def coordination(facts: Facts) -> Section:
    """Who handed what to whom, who waited for whom, and what circulated."""
    blocks: list[Block] = []
    if facts.coordination:
        blocks.append(_events(facts, facts.coordination))
    if facts.faults:
        rows = tuple(
            (recorded(row.kind), event(facts, row.event_id), joined([recorded(m) for m in row.members], " → "),
             recorded(row.detail))
            for row in facts.faults
        )  # fmt: skip
        blocks += [Paragraph(words("Cycles, waits and ownership faults:")),
                   Table(("Fault", "Event", "Agents in order", "Detail"), rows)]  # fmt: skip
    if not blocks:
        blocks = [Paragraph(words("No delegation, wait or handoff is recorded in this run."))]
    return Section("Coordination", tuple(blocks))


def replay(facts: Facts) -> Section:
    """What a comparison with another run said: a difference is evidence, never a crash."""
    if not facts.replays:
        return Section("Replay", (Paragraph(words("No replay of this run is recorded.")),))
    note = words("A difference is comparison evidence, not a crash and not a retry. The original stays as it was.")
    return Section("Replay", (_events(facts, facts.replays), Paragraph(note)))


def _events(facts: Facts, rows: tuple[TimelineRow, ...]) -> Table:
    told = tuple(
        (event(facts, row.event_id), words(row.kind), recorded(row.name), recorded(row.outcome), recorded(row.summary))
        for row in rows
    )
    return Table(("Event", "Kind", "Name", "Outcome", "Said"), told)


def lessons(facts: Facts) -> list[Section]:
    """What went well, badly and luckily: only people can say it."""
    return [
        Section("What went well", (human(facts, "went_well", "say what worked and should stay"),)),
        Section("What went badly", (human(facts, "went_badly", "say what made it worse or slower"),)),
        Section("Where we got lucky", (human(facts, "lucky", "say what could have gone worse and why it did not"),)),
    ]


def actions(facts: Facts) -> Section:
    """What will be done, in which layer, by whom, until when; recorded preventions stand beside."""
    rows = tuple(
        ((*recorded(row.prevention), Words(" (prevents nothing)" if row.prevention_null else "")),
         recorded(row.prevention_layer), words("–"), words("–"),
         words("provisional" if row.provisional else "durable" if row.durable else "not recorded"),
         recorded(row.basis), words("not recorded"))
        for row in facts.origins if row.prevention
    )  # fmt: skip
    header = ("Prevention in the records", "Layer", "Owner", "Due", "Provisional or durable", "Basis", "How verified")
    blocks: list[Block] = [Table(header, rows)] if rows else [Paragraph(words("No prevention is recorded."))]
    ask = "name each action with its layer, owner, due date, provisional or durable, and how it will be verified"
    return Section("Actions", (*blocks, human(facts, "actions", ask, "action", text=_action)))


def _action(row: Any) -> str:
    said = body(row)
    term = {"True": "durable", "False": "provisional"}.get(str(said.get("durable")), "TODO provisional or durable")
    given = {name: said.get(name) or "TODO" for name in ("prevention_layer", "owner", "due", "verified")}
    rest = "layer: {prevention_layer}; owner: {owner}; due: {due}; verified by: {verified}; ".format(**given)
    return f"{said.get('comment', '')}\n{rest}{term}"


def questions(facts: Facts) -> Section:
    """What the records leave open, and how many cases the figures rest on."""
    items = [*_samples(facts), *_gaps(facts)]
    return Section(
        "Open questions",
        (Listing(tuple(items)), human(facts, "questions", "write what you still want to know", "question")),
    )


def _samples(facts: Facts) -> list[Cell]:
    band = facts.band
    found: list[Cell] = []
    if band is not None and band.finished:
        found.append((Words("Escalation of workload "), *recorded(band.workload), Words(
            f": {band.escalated} of {counted(band.finished, 'finished attempt')}, "
            f"{share(band.rate, band.rate_low, band.rate_high)}; the band reads {band.state}.")))  # fmt: skip
    found += [words(_chain(chain)) for chain in facts.chains if chain.attempts]
    return found or [words("Sample sizes: this workload has no recovery attempt, so no rate stands here.")]


def _chain(chain: RecoveryChainRow) -> str:
    rate = share(chain.success_rate, chain.success_low, chain.success_high)
    tried = counted(chain.finished, "finished attempt")
    return f"Chain {chain.chain} of this workload: {chain.recovered} of {tried} recovered, {rate}."


def _gaps(facts: Facts) -> list[Cell]:
    gaps: list[Cell] = []
    step = located_step(facts.stages)
    if step and step.not_evaluable:
        numbers = ", ".join(map(str, step.not_evaluable))
        gaps.append(words(f"Context differences not evaluable at the step that is shown: {numbers}."))
    if facts.rules_left_open:
        rules = ", ".join(row.rule for row in facts.rules_left_open)
        gaps.append(words(f"Rules not evaluable, because a record lacks what they need: {rules}."))
    provisional = [row for row in facts.origins if row.provisional]
    if provisional:
        named = joined([event(facts, row.event_id) for row in provisional])
        gaps.append((Words("Provisional fixes that stay open: "), *named, Words(".")))
    if facts.unconfirmed:
        gaps.append(words(f"Unconfirmed outcomes: {len(facts.unconfirmed)}."))
    lost = [row for row in facts.evidence if row.verdict != "counted"]
    gaps += [(Words(f"{row.verdict}: {row.records:,} "), *recorded(row.what)) for row in lost]
    return gaps or [words("Gaps: none that the records show.")]


def appendix(facts: Facts) -> Section:
    """Where every event of the timeline stands, the queries, and the stored records of the failures."""
    rows = tuple(_place(facts, number, row) for number, row in enumerate(facts.incident.rows, 1) if row.event_id)
    queries = tuple(recorded(_command(name, given), longest=500) for name, given in facts.asked)
    blocks: list[Block] = []
    if rows:
        blocks.append(Table(("No", "Event", "Read from", "In the dashboard"), rows))
    blocks += [Paragraph(words("The queries behind this report; each can be asked again:")), Listing(queries)]
    for record in facts.records:
        source = place(record.path, record.line)
        blocks.append(
            Paragraph((Words("Stored record of "), *event(facts, record.event_id), Words(", from "), *source))
        )
        blocks.append(Raw(_pretty(record.record, record.attributes)))
    kinds = [row for row in facts.evidence if row.verdict == "counted"]
    counted_rows = tuple((Words(f"{row.records:,} "), *recorded(row.what)) for row in kinds)
    return Section("Appendix", (*blocks, Paragraph(words("Records counted:")), Listing(counted_rows)))


def _place(facts: Facts, number: int, row: TimelineRow) -> tuple[Cell, ...]:
    found = facts.places.get((row.kind, row.event_id or ""))
    address = "/run?" + urlencode({"run": facts.run.run_id, "event": row.event_id})
    return (
        (Anchor(f"r{number}"), Words(str(number))),
        event(facts, row.event_id),
        place(found.path, found.line) if found else words("not recorded"),
        recorded(address),
    )


def _command(name: str, given: dict[str, Any]) -> str:
    return " ".join(["faultlens query", name, *(f"--param {k}={shlex.quote(str(v))}" for k, v in given.items())])


def _pretty(record: str, attributes: str | None) -> str:
    stored = {name: value for name, value in json.loads(record).items() if value is not None}
    stored["attributes"] = json.loads(attributes) if attributes else {}
    return json.dumps(stored, indent=2, ensure_ascii=False)
