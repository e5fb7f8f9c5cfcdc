"""Runs the conformance rules over the staged runs: findings, and which rules could judge what.

Rules are judged here and not in `queries`, because a rule looks at the whole of a run and at nothing else: judged once
when the run changes, findings cost a page nothing. The declarations go into the store with them, so that `queries`
reads everything from tables.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import duckdb

from ingest.derive.conditions import Condition, conditions_in, met, with_arms
from ingest.records import CATALOGUE
from ingest.store.configuration import configuration

STEP = "60_findings"
SEVERITIES = ("warning", "error", "critical")
DECLARED = ("rule", "severity", "statement", "needs", "advice")
_HEAD = re.compile(r"^-- (rule|severity|statement|needs|advice): (.+)$", re.MULTILINE)
_MAKES = re.compile(r"^(?:CREATE OR REPLACE TEMP (?:TABLE|MACRO)|INSERT INTO) (\w+)", re.MULTILINE)
_COMMENT = re.compile(r"--.*")
_WORD = re.compile(r"\w+")
_RETRIES = "retries"
_JUDGE = """
INSERT INTO judged
SELECT '{rule}', run_id, CASE WHEN violated THEN event_id END, violated, CASE WHEN violated THEN message END,
       CASE WHEN violated THEN evidence::JSON END
FROM ({sql}) AS looked_at
"""
# Where the seq of a finding's event is found; the key is `event_id` unless it is said.
_PLACES = {
    "error_events": "event_id", "spans": "span_id", "events": "event_id", "recovery_events": "event_id",
    "guardrail_events": "event_id", "waits": "event_id", "delegations": "event_id", "handoffs": "event_id",
    "task_owners": "event_id", "context_ops": "event_id", "diagnoses": "diagnosis_id", "replays": "event_id",
    "reported_metrics": "event_id",
}  # fmt: skip
_PLACE = """
INSERT INTO findings
SELECT judged.run_id, event_id, places.seq, rule, severity, message, evidence
FROM judged JOIN severities USING (rule) LEFT JOIN (
    SELECT run_id, id, min(seq) AS seq FROM ({places}) AS ids
    WHERE (run_id, id) IN (SELECT (run_id, event_id) FROM judged WHERE violated) GROUP BY run_id, id
) AS places ON places.run_id = judged.run_id AND places.id = judged.event_id
WHERE violated
ORDER BY judged.run_id, places.seq, rule, event_id
"""
_VERDICTS = """
INSERT INTO rule_verdicts
SELECT runs.run_id,
       coalesce(list(rule ORDER BY rule) FILTER (is_evaluated), []),
       coalesce(list(rule ORDER BY rule) FILTER (lacks), [])
FROM runs LEFT JOIN (
    SELECT run_id, rule, bool_or(violated IS NOT NULL) AS is_evaluated, bool_or(violated IS NULL) AS lacks
    FROM judged GROUP BY run_id, rule
) AS verdicts ON verdicts.run_id = runs.run_id
GROUP BY runs.run_id
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """A conformance rule as its file declares it; it has something to judge only where one of `when` holds."""

    rule: str
    severity: str
    statement: str
    needs: str
    advice: str
    when: tuple[Condition, ...]
    sql: str


@dataclass(frozen=True, slots=True)
class Scan:
    """What several rules start from: the tables and macros that it makes, by name."""

    makes: frozenset[str]
    when: tuple[Condition, ...]
    sql: str


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule there is, by name."""
    return tuple(_declared(name, sql) for name, sql in _texts() if not name.startswith("_"))


@cache
def shared_scans() -> tuple[Scan, ...]:
    """What several rules start from; words before what uses them."""
    found = {name: sql for name, sql in _texts() if name.startswith("_")}
    order = sorted(found, key=lambda name: (name != "_words", name))
    return tuple(
        Scan(frozenset(_MAKES.findall(found[name])), conditions_in(found[name]), found[name]) for name in order
    )


@cache
def _texts() -> tuple[tuple[str, str], ...]:
    folder = files("ingest.derive") / "rules"
    entries = [entry for entry in folder.iterdir() if entry.name.endswith(".sql")]
    return tuple(sorted((entry.name.removesuffix(".sql"), entry.read_text(encoding="utf-8")) for entry in entries))


def _declared(name: str, text: str) -> Rule:
    head = dict(_HEAD.findall(text))
    if head.get("rule") != name or head.get("severity") not in SEVERITIES or not conditions_in(text):
        raise ValueError(
            f"rule file {name}.sql: its head names rule {head.get('rule')}, severity {head.get('severity')}"
        )
    said = {key: head[key] for key in DECLARED}
    return Rule(**said, when=conditions_in(text), sql=text)


def declare(con: duckdb.DuckDBPyConnection) -> None:
    """The rules are in `conformance_rules`, with the catalogue's own mark: a rule belongs to no run."""
    con.execute("DELETE FROM conformance_rules").fetchall()
    con.execute(
        "INSERT INTO conformance_rules SELECT ?, unnest(?), unnest(?), unnest(?), unnest(?), unnest(?)",
        [CATALOGUE, *([getattr(rule, name) for rule in rules()] for name in DECLARED)],
    ).fetchall()


def is_declared(con: duckdb.DuckDBPyConnection, catalog: str) -> bool:
    """The catalog's table says the same of every rule."""
    found = con.execute(f"SELECT {', '.join(DECLARED)} FROM {catalog}.conformance_rules").fetchall()
    return sorted(found) == [tuple(getattr(rule, name) for name in DECLARED) for rule in rules()]


def derive(con: duckdb.DuckDBPyConnection, rows: Collection[str]) -> None:
    """The findings of the staged runs, and the rules that looked."""
    con.execute(
        "CREATE OR REPLACE TEMP TABLE judged (rule VARCHAR, run_id VARCHAR, event_id VARCHAR, violated BOOLEAN,"
        " message VARCHAR, evidence JSON)"
    ).fetchall()
    scans = _Scans(con)
    looked_at = _having_something_to_judge(scans, {*rows, "runs"})
    for rule in looked_at:
        scans.run_for(rule.sql)
        con.execute(_JUDGE.format(rule=rule.rule, sql=with_arms(con, rule.sql, rows))).fetchall()
    if con.execute("SELECT 1 FROM judged WHERE violated LIMIT 1").fetchall():
        _place(con, rows)
    con.execute(_VERDICTS + "; DROP TABLE judged").fetchall()


class _Scans:
    """The shared scans that this derivation has run so far: each once, and only where something starts from it."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self.con = con
        self._done: set[str] = set()

    def run_for(self, sql: str) -> None:
        """Every scan that the statement starts from is made; `retries` is there already where there is one."""
        for scan in shared_scans():
            if scan.makes & _words(sql) and not scan.makes & self._done and _RETRIES not in scan.makes:
                self._done |= scan.makes
                self.con.execute(scan.sql).fetchall()


def _having_something_to_judge(scans: _Scans, rows: Collection[str]) -> list[Rule]:
    """The rules for which there is something in the staged runs; `retries` is filled for them."""
    retries = next(scan for scan in shared_scans() if _RETRIES in scan.makes)
    asked = [*retries.when, *(condition for rule in rules() for condition in rule.when)]
    holding = set(met(scans.con, asked, rows))
    if holding.intersection(retries.when):
        scans.run_for(retries.sql)
        _find_retries(scans.con, retries)
        holding.add(Condition(_RETRIES))
    return [rule for rule in rules() if holding.intersection(rule.when)]


def _find_retries(con: duckdb.DuckDBPyConnection, retries: Scan) -> None:
    con.execute(retries.sql).fetchall()
    budget = configuration().retry
    con.execute(
        "CREATE OR REPLACE TEMP TABLE retry_budget AS SELECT ?::BIGINT AS per_failure, ?::BIGINT AS per_run",
        [budget.per_failure, budget.per_run],
    ).fetchall()


@cache
def _words(sql: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_COMMENT.sub("", sql)))


def _place(con: duckdb.DuckDBPyConnection, rows: Collection[str]) -> None:
    """What violates a rule is a finding, at the place of its event in the run."""
    con.execute(
        "CREATE OR REPLACE TEMP TABLE severities AS SELECT unnest(?) AS rule, unnest(?) AS severity",
        [[rule.rule for rule in rules()], [rule.severity for rule in rules()]],
    ).fetchall()
    places = [f"SELECT run_id, {key} AS id, seq FROM {table}" for table, key in _PLACES.items() if table in rows]
    con.execute(
        _PLACE.format(places=" UNION ALL ".join(places) or "SELECT run_id, run_id AS id, 0 AS seq FROM runs")
    ).fetchall()
    con.execute("DROP TABLE severities").fetchall()
