"""What the conformance rules found: by rule, severity, workload and day; a rule with its evidence and blind spots."""

from __future__ import annotations

from datetime import date
from functools import partial

import streamlit as st

from dashboard.cards import facts, figure, heading
from dashboard.charts.findings import findings_by_day
from dashboard.charts.ranking import ranking
from dashboard.drawn import draw_chart
from dashboard.filters import filters, options_with_asked
from dashboard.finding_panel import finding_table
from dashboard.finding_words import SEVERITIES, severity, severity_sign
from dashboard.links import open_run_of_row, row_pressed
from dashboard.notices import no_runs, not_in_this_store, nothing
from dashboard.page import Page
from dashboard.paging import in_pages, matching
from dashboard.reading import ask
from dashboard.sections import draw
from dashboard.tables import more, table
from dashboard.why import why
from dashboard.wording import counted
from queries.findings.finding_counts import FindingCountRow, finding_counts
from queries.findings.findings import FindingRow, findings
from queries.overview.totals import totals
from queries.reader import Answer
from queries.rules.rule_coverage import RuleCoverageRow, rule_coverage
from queries.rules.rules_not_evaluable import NotEvaluableRow, rules_not_evaluable

PAGE = Page("Findings", "Incident review", 6, "rule", "Rules that the records break, with the evidence and what to do.")


def render() -> None:
    """The page is drawn."""
    st.title("Findings", anchor=False)
    what = ask(totals, **filters().parameters).first
    if what is None or not what.runs:
        no_runs()
        return
    rules = ask(rule_coverage, **filters().parameters)
    if not rules.rows:
        nothing(
            "No rule has looked at these runs: they were loaded before there were rules.",
            next_step="Ingest their files again.",
        )
        why(rules, "no rule")
        return
    asked = _rule_asked_for(rules)
    if asked is None:
        _all_rules(rules)
    else:
        _one_rule(asked, rules)


def _rule_asked_for(rules: Answer[RuleCoverageRow]) -> RuleCoverageRow | None:
    names = [row.rule for row in rules]
    chosen = st.selectbox(
        "Rule", options_with_asked("rule", names), index=None, placeholder="All rules", key="rule", bind="query-params"
    )
    found = next((row for row in rules if row.rule == chosen), None)
    if chosen and found is None:
        not_in_this_store("There is no rule of this name", chosen)
    return found


def _all_rules(rules: Answer[RuleCoverageRow]) -> None:
    draw(partial(_counted, rules), _found, partial(_rules, rules))


def _counted(rules: Answer[RuleCoverageRow]) -> None:
    counts = ask(finding_counts, **filters().parameters)
    _figures(rules, counts)
    if any(row.findings for row in rules):
        left, right = st.columns(2, gap="medium")
        with left:
            _by_rule(rules)
        with right:
            _by_workload(counts)
        _by_day(counts)


def _figures(rules: Answer[RuleCoverageRow], counts: Answer[FindingCountRow]) -> None:
    with st.grid(4, min_column_width=200):
        for name, sign in SEVERITIES.items():
            broken = [row for row in rules if row.severity == name]
            number = sum(row.findings for row in broken)
            figure(
                severity(name),
                f"{number:,}",
                f"{sum(bool(row.findings) for row in broken)} of {counted(len(broken), 'rule')} broken: {sign.means}",
                counts,
                counted=f"{counted(number, 'finding')} of severity {name}",
            )
        blind = [row for row in rules if row.not_evaluable_runs]
        figure(
            "? not evaluable",
            f"{len(blind):,}",
            f"of {counted(len(rules), 'rule')} met a record that lacks what they need. That is no sign of health.",
            rules,
            counted=counted(len(blind), "rule"),
            note="A record that does not say what a rule needs neither breaks nor keeps it.",
        )


def _by_rule(rules: Answer[RuleCoverageRow]) -> None:
    heading("By rule", "The rules broken most often.")
    broken = sorted((row for row in rules if row.findings), key=lambda row: -row.findings)[:12]
    draw_chart(
        ranking, [row.rule for row in broken], [row.findings for row in broken], "findings", key="by_rule_chart",
        alt="; ".join(f"{row.rule}: {row.findings}" for row in broken),
    )  # fmt: skip
    why(rules, counted(sum(row.findings for row in rules), "finding"))


def _by_workload(counts: Answer[FindingCountRow]) -> None:
    heading("By workload", "Where they are, all severities together.")
    totals_of: dict[str, int] = {}
    for row in counts:
        totals_of[row.workload] = totals_of.get(row.workload, 0) + row.findings
    most = sorted(totals_of.items(), key=lambda item: -item[1])[:12]
    draw_chart(
        ranking, [name for name, _ in most], [number for _, number in most], "findings", key="by_workload_chart",
        alt="; ".join(f"{name}: {number}" for name, number in most),
    )  # fmt: skip
    more(len(most), len(totals_of), "workloads")
    why(counts, counted(sum(totals_of.values()), "finding"))


def _by_day(counts: Answer[FindingCountRow]) -> None:
    heading("By day", "On the day on which the run started (UTC).")
    dated = [row for row in counts if row.day is not None]
    undated = sum(row.findings for row in counts if row.day is None)
    if dated:
        by_day: dict[tuple[date, str], int] = {}
        for row in counts:
            if row.day is not None:
                by_day[row.day, row.severity] = by_day.get((row.day, row.severity), 0) + row.findings
        draw_chart(
            findings_by_day,
            by_day,
            {name: severity(name) for name in SEVERITIES},
            key="by_day_chart",
            alt=f"Findings on {len({r.day for r in dated})} days",
        )
    else:
        nothing("No run with a finding has a time.")
    why(
        counts,
        counted(sum(row.findings for row in dated), "dated finding"),
        {"findings of runs without a time": undated},
    )


def _found() -> None:
    heading("What was found", "The worst and newest first; each opens at the record that breaks the rule.")
    chosen = st.pills(
        "Severity",
        list(SEVERITIES),
        key="severity",
        bind="query-params",
        format_func=severity,
        label_visibility="collapsed",
    )
    found = in_pages(
        "findings_page", findings, partial(_finding_list, "open_finding"), noun=("finding", "findings"),
        **filters().parameters, severity=chosen,
    )  # fmt: skip
    if found.first is None:
        nothing("No finding here.", next_step="Clear the severity or widen the filters to see others.")
    why(found, counted(matching(found), "finding"))


def _finding_list(key: str, found: Answer[FindingRow]) -> None:
    finding_table(found.rows, key=key, with_run=True)


def _rules(rules: Answer[RuleCoverageRow]) -> None:
    heading("All rules", "What each needs, and in how many runs it could not be evaluated.")
    names = tuple(row.rule for row in rules)
    table(
        rules.rows,
        {
            "Show": lambda _: "Show",
            "Severity": lambda r: severity(r.severity),
            "Rule": lambda r: r.rule,
            "Findings": lambda r: r.findings,
            "Runs evaluated": lambda r: r.evaluated_runs,
            "Runs not evaluable": lambda r: r.not_evaluable_runs,
            "A finding when": lambda r: r.statement,
            "Needs": lambda r: r.needs,
        },
        alt="Conformance rules with findings and coverage",
        config={
            "Show": st.column_config.ButtonColumn(
                "", key="show_rule", width=70, type="tertiary", pinned=True, on_click=_rule_pressed, args=(names,)
            ),
            "Severity": st.column_config.TextColumn(width=100),
            "Rule": st.column_config.TextColumn(width=190),
            "A finding when": st.column_config.TextColumn(width=460),
            "Needs": st.column_config.TextColumn(width=360),
        },
        shown_rows=16,
    )
    why(rules, f"{counted(len(rules), 'rule')} over {counted(rules.rows[0].runs, 'run')}")


def _rule_pressed(names: tuple[str, ...]) -> None:
    if name := row_pressed("show_rule", names):
        st.session_state["rule"] = name


def _one_rule(rule: RuleCoverageRow, rules: Answer[RuleCoverageRow]) -> None:
    sign = severity_sign(rule.severity)
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge(severity(rule.severity), color=sign.colour)
            st.text(rule.rule)
        st.text(f"A finding when: {rule.statement}")
        st.text(f"What to do: {rule.advice}")
        st.caption(f"It needs {rule.needs}.")
        silent = rule.runs - max(rule.evaluated_runs, 0)
        facts(
            {
                "Findings": f"{rule.findings:,} in {counted(rule.runs_with_findings, 'run')}",
                "Evaluated": counted(rule.evaluated_runs, "run"),
                "Not evaluable": counted(rule.not_evaluable_runs, "run"),
                "Nothing evaluated": counted(silent, "run"),
            }
        )
        why(
            rules,
            counted(rule.findings, "finding"),
            {"runs not evaluable": rule.not_evaluable_runs},
            note="A run may be evaluated and not evaluable at once: some of its records carry what the rule needs.",
        )
    draw(partial(_days_of, rule), partial(_evidence, rule), partial(_not_evaluable, rule))


def _days_of(rule: RuleCoverageRow) -> None:
    if rule.findings:
        _by_day(ask(finding_counts, **filters().parameters, rule=rule.rule))


def _evidence(rule: RuleCoverageRow) -> None:
    heading("Evidence", "Every place where the rule is broken.")
    found = in_pages(
        "evidence_page", findings, partial(_finding_list, "open_evidence"), noun=("finding", "findings"),
        **filters().parameters, rule=rule.rule,
    )  # fmt: skip
    if found.first is None:
        nothing(
            "No record here breaks this rule.",
            next_step="Look at how many runs were not evaluable before you rely on it.",
        )
    why(found, counted(matching(found), "finding"))


def _not_evaluable(rule: RuleCoverageRow) -> None:
    heading("Not evaluable", f"Runs with a record that lacks what the rule needs: {rule.needs}.")
    found = in_pages(
        "blind_page", rules_not_evaluable, _blind_list, noun=("run", "runs"), **filters().parameters, rule=rule.rule
    )
    if found.first is None:
        nothing("Every record that the rule met says what it needs.")
    why(found, counted(matching(found), "run"))


def _blind_list(found: Answer[NotEvaluableRow]) -> None:
    run_ids = tuple(row.run_id for row in found)
    table(
        found.rows,
        {
            "Open": lambda _: "Open",
            "Run": lambda r: r.run_name,
            "Workload": lambda r: r.workload,
            "Source": lambda r: r.source,
            "Started": lambda r: r.started_at,
            "Other records judged": lambda r: "yes" if r.evaluated_too else "no",
        },
        alt="Runs in which the rule is not evaluable",
        config={
            "Open": st.column_config.ButtonColumn(
                "", key="open_blind", width=70, type="tertiary", on_click=open_run_of_row, args=("open_blind", run_ids)
            ),
            "Started": st.column_config.DatetimeColumn("Started (UTC)", format="YYYY-MM-DD HH:mm", timezone="UTC"),
        },
        optional=("Started",),
    )


if __name__ == "__main__":
    render()
