"""The report of one run, in the order in which a room of people reads it."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

from dashboard.report.cause import classification, origin, trigger_and_cause
from dashboard.report.closing import actions, appendix, coordination, lessons, questions, replay, response
from dashboard.report.document import Document, Paragraph, Redaction, Section, words
from dashboard.report.facts import Facts, facts_of
from dashboard.report.html import html
from dashboard.report.human import written_in
from dashboard.report.markdown import markdown
from dashboard.report.opening import detection, header, impact, timeline
from dashboard.report.summary import summary
from dashboard.report.told import counted
from ingest.store.attach import Lease
from queries.export import plain

FORMATS = ("md", "html", "json")
KIND = "Postmortem"


def postmortem(facts: Facts) -> Document:
    """The report of the run, its secrets masked and counted."""
    sections = (
        header(facts), summary(facts), impact(facts), timeline(facts), detection(facts), origin(facts),
        trigger_and_cause(facts), classification(facts), response(facts), coordination(facts), replay(facts),
        *lessons(facts), actions(facts), questions(facts), appendix(facts),
    )  # fmt: skip
    redaction = Redaction()
    document = redaction.document(Document(KIND, facts.run.name or facts.run.native_id, sections))
    said = f"Redaction: {counted(redaction.count, 'secret was', 'secrets were')} masked in this report."
    return replace(document, sections=_noted(document.sections, said))


def _noted(sections: tuple[Section, ...], said: str) -> tuple[Section, ...]:
    last = sections[-1]
    return (*sections[:-1], replace(last, blocks=(*last.blocks, Paragraph(words(said)))))


def report(lease: Lease, run: str, form: str, kept_from: str = "") -> str:
    """The report of a run in one of `FORMATS`; what people wrote into `kept_from`, an earlier report, stays."""
    facts = facts_of(lease, run)
    if form == "json":
        return _as_json(facts)
    document = postmortem(facts).with_kept(written_in(kept_from))
    return html(document) if form == "html" else markdown(document)


def _as_json(facts: Facts) -> str:
    stated: dict[str, Any] = asdict(facts)
    stated["places"] = list(stated["places"].values())
    stated["asked"] = [{"query": name, "parameters": given} for name, given in facts.asked]
    return json.dumps(plain(stated), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
