"""Runs the conformance rules over the staged runs: findings, and which rules could judge what.

Rules are judged here and not in `queries`, because a rule looks at the whole of a run and at nothing else: judged once
when the run changes, findings cost a page nothing. The declarations go into the store with them, so that `queries`
reads everything from tables.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import duckdb

from ingest.records import CATALOGUE
from ingest.store.configuration import configuration

STEP = "60_findings"
SEVERITIES = ("warning", "error", "critical")
_HEAD = re.compile(r"^-- (rule|severity|statement|needs|advice|tables): (.+)$", re.MULTILINE)
_JUDGE = """
CREATE OR REPLACE TEMP TABLE judged AS
SELECT run_id, event_id, violated, CASE WHEN violated THEN message END AS message,
       CASE WHEN violated THEN evidence::JSON END AS evidence
FROM ({sql}) AS looked_at
"""
_COUNT = """
INSERT INTO judged_runs
SELECT run_id, $rule, bool_or(violated IS NOT NULL), bool_or(violated IS NULL) FROM judged GROUP BY run_id
"""
_KEEP = """
INSERT INTO found SELECT run_id, event_id, $rule, $severity, message, evidence FROM judged WHERE violated
"""
_PLACE = """
INSERT INTO findings
SELECT found.run_id, event_id, places.seq, rule, severity, message, evidence
FROM found LEFT JOIN (
    SELECT run_id, id, min(seq) AS seq FROM (
        SELECT run_id, event_id AS id, seq FROM error_events UNION ALL SELECT run_id, span_id, seq FROM spans
        UNION ALL SELECT run_id, event_id, seq FROM events UNION ALL SELECT run_id, event_id, seq FROM recovery_events
        UNION ALL SELECT run_id, event_id, seq FROM guardrail_events UNION ALL SELECT run_id, event_id, seq FROM waits
        UNION ALL SELECT run_id, event_id, seq FROM delegations UNION ALL SELECT run_id, event_id, seq FROM handoffs
        UNION ALL SELECT run_id, event_id, seq FROM task_owners UNION ALL SELECT run_id, event_id, seq FROM context_ops
        UNION ALL SELECT run_id, diagnosis_id, seq FROM diagnoses UNION ALL SELECT run_id, event_id, seq FROM replays
        UNION ALL SELECT run_id, event_id, seq FROM reported_metrics
    ) AS ids WHERE (run_id, id) IN (SELECT run_id, event_id FROM found) GROUP BY run_id, id
) AS places ON places.run_id = found.run_id AND places.id = found.event_id
ORDER BY found.run_id, places.seq, rule, event_id
"""
_VERDICTS = """
INSERT INTO rule_verdicts
SELECT runs.run_id,
       coalesce(list(rule ORDER BY rule) FILTER (is_evaluated), []),
       coalesce(list(rule ORDER BY rule) FILTER (lacks), [])
FROM runs LEFT JOIN judged_runs ON judged_runs.run_id = runs.run_id
GROUP BY runs.run_id
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """A conformance rule as its file declares it; it has something to judge only where one of its `tables` has rows."""

    rule: str
    severity: str
    statement: str
    needs: str
    advice: str
    tables: tuple[str, ...]
    sql: str


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule there is, by name."""
    return tuple(_declared(name, sql) for name, sql in _texts() if not name.startswith("_"))


@cache
def shared_scans() -> tuple[str, ...]:
    """What several rules start from; words before what uses them."""
    found = dict(_texts())
    return tuple(
        found[name] for name in sorted(found, key=lambda name: (name != "_words", name)) if name.startswith("_")
    )


@cache
def _texts() -> tuple[tuple[str, str], ...]:
    folder = files("ingest.derive") / "rules"
    entries = [entry for entry in folder.iterdir() if entry.name.endswith(".sql")]
    return tuple(sorted((entry.name.removesuffix(".sql"), entry.read_text(encoding="utf-8")) for entry in entries))


def _declared(name: str, text: str) -> Rule:
    head = dict(_HEAD.findall(text))
    if head.get("rule") != name or head.get("severity") not in SEVERITIES:
        raise ValueError(
            f"rule file {name}.sql: its head names rule {head.get('rule')}, severity {head.get('severity')}"
        )
    tables = tuple(table.strip() for table in head["tables"].split(","))
    return Rule(name, head["severity"], head["statement"], head["needs"], head["advice"], tables, text)


def derive(con: duckdb.DuckDBPyConnection) -> None:
    """The findings of the staged runs, and the rules that looked."""
    _declare(con)
    retry = configuration().retry
    con.execute(
        "CREATE OR REPLACE TEMP TABLE retry_budget (per_failure BIGINT, per_run BIGINT);"
        " INSERT INTO retry_budget VALUES (?, ?)",
        [retry.per_failure, retry.per_run],
    ).fetchall()
    con.execute(
        "CREATE OR REPLACE TEMP TABLE judged_runs (run_id VARCHAR, rule VARCHAR, is_evaluated BOOLEAN, lacks BOOLEAN);"
        "CREATE OR REPLACE TEMP TABLE found (run_id VARCHAR, event_id VARCHAR, rule VARCHAR, severity VARCHAR,"
        " message VARCHAR, evidence JSON)"
    ).fetchall()
    for scan in shared_scans():
        con.execute(scan).fetchall()
    filled = _filled(con)
    for rule in rules():
        if filled.intersection(rule.tables):
            _judge(con, rule)
    con.execute("DELETE FROM findings; DELETE FROM rule_verdicts").fetchall()
    con.execute(_PLACE).fetchall()
    con.execute(_VERDICTS).fetchall()


def _declare(con: duckdb.DuckDBPyConnection) -> None:
    known = rules()
    con.execute("DELETE FROM conformance_rules").fetchall()
    con.execute(
        "INSERT INTO conformance_rules SELECT ?, unnest(?), unnest(?), unnest(?), unnest(?), unnest(?)",
        [
            CATALOGUE,
            *([getattr(rule, name) for rule in known] for name in ("rule", "severity", "statement", "needs", "advice")),
        ],
    ).fetchall()


def _filled(con: duckdb.DuckDBPyConnection) -> set[str]:
    """The tables that have rows: most runs have no hand-off and no wait, and their rules cost nothing."""
    names = sorted({table for rule in rules() for table in rule.tables})
    asked = ", ".join(f"EXISTS (FROM {name}) AS {name}" for name in names)
    (row,) = con.execute("SELECT " + asked).fetchall()
    return {name for name, has_rows in zip(names, row, strict=True) if has_rows}


def _judge(con: duckdb.DuckDBPyConnection, rule: Rule) -> None:
    con.execute(_JUDGE.format(sql=rule.sql)).fetchall()
    con.execute(_COUNT, {"rule": rule.rule}).fetchall()
    con.execute(_KEEP, {"rule": rule.rule, "severity": rule.severity}).fetchall()
