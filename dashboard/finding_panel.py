"""Findings as tables: on their own page with a way to the run, and on the page of a run in the order of its records."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from dashboard.cards import heading
from dashboard.finding_words import SEVERITIES, evidence, severity
from dashboard.links import VIEWS, row_pressed
from dashboard.notices import nothing
from dashboard.paging import matching
from dashboard.reading import ask
from dashboard.tables import more, table
from dashboard.why import why
from dashboard.wording import counted
from queries.findings.findings import FindingRow, findings
from queries.rules.run_rules import run_rules

SHOWN = 200


def finding_panel(run_id: str, choose: Callable[[str | None], None] | None = None) -> None:
    """The findings of one run in the order of its records; `choose` shows the record that breaks the rule."""
    heading("Findings", "Rules that these records break. The same records give the same findings.")
    found = ask(findings, run=run_id, limit=SHOWN)
    looked = ask(run_rules, run=run_id)
    if not looked.rows:
        nothing(
            "No rule has looked at this run: it was loaded before there were rules.",
            next_step="Ingest its file again, or another file of the same run.",
        )
        return
    if found.rows:
        finding_table(found.rows, key="run_findings", choose=choose)
        more(len(found), matching(found), "findings")
    else:
        nothing("No finding in this run.")
    evaluated = sum(row.evaluated for row in looked)
    lacking = [row.rule for row in looked if row.not_evaluable]
    if lacking:
        st.caption(f"Not evaluable here, because a record lacks what the rule needs: {', '.join(lacking)}.")
    why(
        found,
        f"{counted(matching(found), 'finding')}; {counted(evaluated, 'rule')} had something to judge",
        {"rules not evaluable": len(lacking)},
    )


def finding_table(
    rows: Sequence[FindingRow], *, key: str, choose: Callable[[str | None], None] | None = None, with_run: bool = False
) -> None:
    """The findings with their evidence; a button leads to the record."""
    places = tuple((row.run_id, row.event_id) for row in rows)
    cells: dict[str, Callable[[FindingRow], object]] = {
        "Open": lambda r: "Open" if with_run or r.event_id else None,
        "Severity": lambda r: [severity(r.severity)],
        "Rule": lambda r: r.rule,
        "What": lambda r: r.message,
    }
    if with_run:
        cells |= {"Run": lambda r: r.run_name, "Workload": lambda r: r.workload, "Started": lambda r: r.started_at}
    else:
        cells |= {"Seq": lambda r: r.seq}
    cells |= {
        "What to do": lambda r: r.advice,
        "Evidence": lambda r: evidence(r.evidence),
        "Event id": lambda r: r.event_id,
    }
    table(
        rows,
        cells,
        alt="Findings with their evidence",
        config={
            "Open": st.column_config.ButtonColumn(
                "", key=key, width=70, type="tertiary", pinned=True, on_click=_pressed, args=(key, places, choose)
            ),
            "Severity": st.column_config.MultiselectColumn(
                "Severity",
                options=[severity(name) for name in SEVERITIES],
                color=[sign.colour for sign in SEVERITIES.values()],
                width=112,
            ),
            "Rule": st.column_config.TextColumn(width=180),
            "What": st.column_config.TextColumn(width=420),
            "Started": st.column_config.DatetimeColumn("Started (UTC)", format="YYYY-MM-DD HH:mm", timezone="UTC"),
            "What to do": st.column_config.TextColumn(width=420),
            "Evidence": st.column_config.TextColumn(width=420),
        },
        optional=("Seq", "Event id", "Started"),
    )


def _pressed(key: str, places: tuple[tuple[str, str | None], ...], choose: Callable[[str | None], None] | None) -> None:
    """The record is shown here where the page can, else on the page of its run."""
    numbers = tuple(str(number) for number in range(len(places)))
    pressed = row_pressed(key, numbers)
    if pressed is None:
        return
    run_id, event_id = places[int(pressed)]
    if choose is not None:
        choose(event_id)
        return
    asked = {"run": run_id} | ({"event": event_id} if event_id else {})
    st.switch_page(VIEWS / "run.py", query_params=asked)
