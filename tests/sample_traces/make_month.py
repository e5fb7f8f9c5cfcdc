"""The sample month: November 2026 of five workloads, the same bytes every time.

    python -m tests.sample_traces.make_month

A plan says, for each day and workload, which runs there are and how each recovery attempt ends; the records are written
from it, and so is EXPECTED.tsv, by counting the plan. Nothing here asks faultlens. Another story is another function in
STORIES.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.queries.escalation.oracle import Band, Window, alerts, reading, wilson

SEED = 202611
DAYS = 30
WINDOW_DAYS = 7
FOLDER = Path(__file__).resolve().parents[2] / "sample_traces" / "month"
BAND = Band()
RECOVERED, ESCALATED, ABORTED = "RECOVERED", "ESCALATED", "ABORTED"
THRESHOLDS = {"A": 0.75, "B": 0.70, "C": 0.80}
STEPS = {
    "A": (("Scout", "analyse the failing tests"), ("Builder", "targeted fix"), ("Radar", "verify")),
    "B": ((None, "roll back"), ("Sherpa", "decompose"), ("Builder", "incremental fix"), ("Radar", "full suite")),
    "C": (("Atlas", "impact"), ("Builder", "plan"), ("Builder", "migrate"), ("Radar", "verify")),
}
TRIGGERS = {"A": "test_failure 64%", "B": "test_failure 91%", "C": "breaking_change in the public interface"}
FAILURES = {
    "payments": ("E_LIMIT", "src/refunds/limits.py", "test_failure"),
    "support-triage": ("E_ROUTE", "src/triage/router.py", "test_failure"),
    "code-review": ("E_ASSERT", "src/review/diff.py", "test_failure"),
    "nightly-etl": ("E_SCHEMA", "etl/load_orders.sql", "schema_drift"),
    "search-index": ("E_NONE", "search/index.py", "none"),
}


@dataclass(frozen=True)
class Attempt:
    """One recovery attempt of the plan; outcome None never finished."""

    chain: str
    outcome: str | None
    is_shaky: bool = False
    trigger: str | None = None


@dataclass(frozen=True)
class Run:
    """One run of the plan. `apart` keeps its attempts out of every rate."""

    attempts: tuple[Attempt, ...] = ()
    status: str = "succeeded"
    apart: str | None = None
    is_repeated: bool = False
    reports: bool = False


def _plain(number: int, *attempts: Attempt, status: str = "succeeded") -> list[Run]:
    return [Run(attempts, status)] * number


REC_A, REC_B, REC_C = Attempt("A", RECOVERED), Attempt("B", RECOVERED), Attempt("C", RECOVERED)
ESC_A, ESC_B = Attempt("A", ESCALATED), Attempt("B", ESCALATED)
ABO_A, OPEN_A = Attempt("A", ABORTED), Attempt("A", None)
AFTER_A = Attempt("B", RECOVERED, trigger="chain_a_failed")
SHAKY = Attempt("A", RECOVERED, is_shaky=True)
MISPICKED = Attempt("A", RECOVERED, trigger="test_failure 31%")


def _varied(day: int, least: int, most: int) -> int:
    """A number that changes from day to day, and not with the week."""
    return random.Random(f"{SEED} {day} {least} {most}").randint(least, most)  # noqa: S311 - the same every time


def payments(day: int) -> list[Run]:
    """In band until the 15th; from the 16th on chains execute under their threshold, and runs fail later."""
    apart = [Run((REC_A,), "vetoed", "veto")] * (day % 5 == 0) + [Run((REC_A,), "failed", "unknown")] * (day % 6 == 0)
    if day <= 15:
        handed = [Run((ESC_A, AFTER_A), reports=day == 3)]
        asked = _plain(_varied(day, 0, 2), ESC_B, status="escalated")
        return [*_plain(_varied(day, 6, 10), REC_A), *handed, *asked, *_plain(1, ABO_A, status="aborted"),
                *_plain(1, REC_C), *apart]  # fmt: skip
    asked = _plain(1, ESC_B, status="escalated") if day in {16, 23, 30} else []
    shaky = [*_plain(4, SHAKY), *_plain(2, SHAKY, status="failed")]
    aborted = _plain(_varied(day, 0, 2), ABO_A, status="aborted")
    return [*_plain(_varied(day, 3, 6), REC_A), *shaky, *aborted, *_plain(1, REC_C), *asked, *apart]


def support_triage(day: int) -> list[Run]:
    """In band until the 19th; from the 20th on half of the attempts end with a person."""
    apart = [Run((REC_A,), "aborted", "interruption")] * (day % 6 == 0) + [Run((OPEN_A,), "unknown")] * (day % 3 == 0)
    aborted = _plain(_varied(day, 0, 2), ABO_A, status="aborted")
    if day < 20:
        asked = _plain(_varied(day, 0, 3), ESC_B, status="escalated")
        return [*_plain(_varied(day, 6, 10), REC_A), *asked, Run((ESC_A, AFTER_A)), *aborted, *apart]
    after = Attempt("B", ESCALATED, trigger="chain_a_failed")
    asked = _plain(_varied(day, 3, 6), ESC_B, status="escalated")
    return [*_plain(_varied(day, 4, 7), REC_A), *asked, Run((ESC_A, after), "escalated"), *aborted, *apart]


def code_review(day: int) -> list[Run]:
    """In band all month; one run a day tries the same thing three times, some choose the wrong chain."""
    apart = [Run(apart="l0")] * (day % 4 == 0) + [Run((REC_A,), apart="l0")] * (day % 8 == 0)
    asked = _plain(_varied(day, 1, 3), ESC_B, status="escalated")
    return [*_plain(_varied(day, 4, 8), REC_A), *_plain(1, MISPICKED), *asked,
            Run((ABO_A, ABO_A, REC_A), is_repeated=True), *apart]  # fmt: skip


def nightly_etl(day: int) -> list[Run]:
    """Too few to say: an attempt every fourth day, every other one escalated."""
    if day % 4 != 2:
        return []
    return [Run((ESC_B,), "escalated") if day % 8 == 6 else Run((REC_B,))]


def search_index(_day: int) -> list[Run]:
    """Nothing to recover: no attempt at all."""
    return []


STORIES: dict[str, Callable[[int], list[Run]]] = {
    "payments": payments,
    "support-triage": support_triage,
    "code-review": code_review,
    "nightly-etl": nightly_etl,
    "search-index": search_index,
}


def plan(workload: str, day: int) -> list[Run]:
    """The runs of a day: those of the story, and two in which nothing went wrong."""
    return [*STORIES[workload](day), Run(), Run()]


def finished(run: Run) -> list[Attempt]:
    """The attempts of a run that are in the rates."""
    return [] if run.apart else [attempt for attempt in run.attempts if attempt.outcome]


def counted(workload: str, day: int) -> Window:
    """Escalated and finished attempts of a day."""
    attempts = [attempt for run in plan(workload, day) for attempt in finished(run)]
    return Window(sum(attempt.outcome == ESCALATED for attempt in attempts), len(attempts))


def seen_on(workload: str, day: int) -> Window:
    """What the evaluation at the end of a day sees."""
    days = [counted(workload, d) for d in range(max(1, day - WINDOW_DAYS + 1), day + 1)]
    return Window(sum(d.escalated for d in days), sum(d.finished for d in days))


def expectation(workload: str) -> dict[str, Any]:
    """What must come out for a workload, counted from the plan."""
    runs = [run for day in range(1, DAYS + 1) for run in plan(workload, day)]
    last = seen_on(workload, DAYS)
    state, evidence = reading(last, BAND)
    low, high = wilson(last.escalated, last.finished) if last.finished else (None, None)
    history = alerts([seen_on(workload, day) for day in range(1, DAYS + 1)], BAND)
    entered = [
        f"2026-11-{day:02} {before}>{after}"
        for day, (before, after) in enumerate(zip(["OK", *history], history, strict=False), start=1)
        if before != after
    ]
    in_rate = [run for run in runs if not run.apart]
    return {
        "workload": workload,
        "runs": len(runs),
        "attempts": sum(len(run.attempts) for run in in_rate),
        "finished_all_month": sum(len(finished(run)) for run in runs),
        "escalated": last.escalated,
        "finished": last.finished,
        "rate": f"{last.escalated / last.finished:.6f}" if last.finished else "",
        "rate_low": "" if low is None else f"{low:.6f}",
        "rate_high": "" if high is None else f"{high:.6f}",
        "state": state,
        "evidence": evidence or "",
        "alerts": "; ".join(entered),
        "vetoed_runs_all_month": sum(run.apart == "veto" for run in runs),
        "interrupted_runs_all_month": sum(run.apart == "interruption" for run in runs),
        "l0_captures_all_month": sum(run.apart == "l0" for run in runs),
        "unknown_outcomes_all_month": sum(run.apart == "unknown" for run in runs),
        "unfinished_all_month": sum(attempt.outcome is None for run in in_rate for attempt in run.attempts),
        "handed_over_all_month": sum(run.attempts[:1] == (ESC_A,) and len(run.attempts) == 2 for run in in_rate),
        "repeated_all_month": sum(len(run.attempts) - 1 for run in in_rate if run.is_repeated),
        "shaky_all_month": sum(attempt.is_shaky for run in in_rate for attempt in run.attempts),
        "shaky_then_failed_all_month": sum(
            attempt.is_shaky and run.status == "failed" for run in in_rate for attempt in run.attempts
        ),
    }


def records(workload: str) -> Iterator[dict[str, Any]]:
    """Every record of a workload, in the order of time."""
    rng = random.Random(f"{SEED} {workload}")  # noqa: S311 - the same numbers every time is the point
    for day in range(1, DAYS + 1):
        runs = plan(workload, day)
        rng.shuffle(runs)
        for number, run in enumerate(runs):
            start = datetime(2026, 11, day, tzinfo=UTC) + _into_the_day(workload, number, len(runs))
            yield from _run(workload, f"{workload}-11{day:02}-{number:02}", run, start, rng)


def _into_the_day(workload: str, number: int, runs: int) -> timedelta:
    """Evenly between 07:00 and 21:00; the index is built last, so that the month ends shortly before midnight."""
    if workload == "search-index":
        return timedelta(hours=23, minutes=20 + 15 * number)
    return timedelta(hours=7, minutes=number * 840 // runs)


def _run(workload: str, run_id: str, run: Run, start: datetime, rng: random.Random) -> Iterator[dict[str, Any]]:
    length = timedelta(minutes=3 + 4 * len(run.attempts), seconds=rng.randrange(60))
    ended = None if run.status == "unknown" else _text(start + length)
    head = {
        "record": "run", "run_id": run_id, "workload": workload, "name": f"{workload} case {run_id[-7:]}",
        "status": None if run.status == "unknown" else run.status, "started_at": _text(start), "ended_at": ended,
        "stop_reason": "user_interruption" if run.apart == "interruption" else None,
    }  # fmt: skip
    yield _without_none(head)
    for index, (phase, agent) in enumerate((("PLAN", "Atlas"), ("EXECUTE", "Builder"))):
        begin = start + timedelta(seconds=20 + 70 * index)
        yield {
            "record": "span", "run_id": run_id, "span_id": f"{run_id}-s{index}", "kind": "step", "name": phase.lower(),
            "phase": phase, "agent": agent, "step_index": index + 1, "status": "ok", "started_at": _text(begin),
            "ended_at": _text(begin + timedelta(seconds=55)),
        }  # fmt: skip
    moment = start + timedelta(minutes=3)
    if run.apart == "l0":
        yield _capture(run_id, moment)
        moment += timedelta(seconds=30)
    for index, attempt in enumerate(run.attempts):
        if run.apart != "l0":
            yield _error(workload, run_id, run, index, moment) | {"location": _place(workload, rng)}
        yield _recovery(run_id, attempt, index, moment + timedelta(minutes=2), rng)
        moment += timedelta(minutes=4)
    if run.reports:
        yield {
            "record": "reported_metrics", "run_id": run_id, "chain": "A", "attempts": 1, "success_rate": 1.0,
            "escalation_rate": 0.5, "occurred_at": _text(moment),
        }  # fmt: skip


def _capture(run_id: str, at: datetime) -> dict[str, Any]:
    return {
        "record": "error_event", "run_id": run_id, "level": "L0", "type": "capture_failure", "step": "2/3",
        "agent": "agy",
        "details": "exit 0, empty stdout, transcript has content", "action": "retry with repair directive",
        "result": "SUCCESS", "artifact_state": "empty", "occurred_at": _text(at),
    }  # fmt: skip


def _place(workload: str, rng: random.Random) -> str:
    """The file, and a line that changes from one occurrence to the next."""
    return f"{FAILURES[workload][1]}:{rng.randrange(10, 300)}"


def _error(workload: str, run_id: str, run: Run, index: int, at: datetime) -> dict[str, Any]:
    code, _, kind = FAILURES[workload]
    # The same inputs again are the same failure; new inputs are another one.
    state = f"{run_id} state {0 if run.is_repeated else index}"
    error = {
        "record": "error_event", "run_id": run_id, "level": "L3", "type": kind, "error_code": code, "step": "3/7",
        "phase": "VERIFY", "agent": "Radar", "state_hash": sha256(state.encode()).hexdigest()[:12],
        "result": "FAILED", "occurred_at": _text(at),
    }  # fmt: skip
    if run.apart == "unknown":
        error |= {"tool_error_class": "unknown_outcome", "resource": f"refund/{run_id}", "level": "L1"}
    return error


def _recovery(run_id: str, attempt: Attempt, index: int, at: datetime, rng: random.Random) -> dict[str, Any]:
    threshold = THRESHOLDS[attempt.chain]
    if attempt.is_shaky:
        confidence = round(rng.uniform(threshold - 0.10, threshold - 0.01), 2)
    elif attempt.outcome == RECOVERED:
        confidence = round(rng.uniform(threshold + 0.03, 0.97), 2)
    else:
        confidence = round(rng.uniform(0.55, 0.90), 2)
    is_auto = attempt.is_shaky or confidence >= threshold
    record = {
        "record": "recovery_event", "run_id": run_id, "chain": f"CHAIN_{attempt.chain}",
        "trigger": attempt.trigger or TRIGGERS[attempt.chain], "confidence": confidence, "auto_executed": is_auto,
        "steps": list(_steps(attempt, rng)), "outcome": attempt.outcome, "occurred_at": _text(at),
        "attempt_no": index + 1,
    }  # fmt: skip
    return _without_none(record)


def _steps(attempt: Attempt, rng: random.Random) -> Iterator[dict[str, Any]]:
    steps = STEPS[attempt.chain]
    # Most attempts that fail do so when the fix is verified, some already at the fix.
    failing = None if attempt.outcome == RECOVERED else len(steps) - (1 if rng.random() < 0.7 else 2)
    for number, (agent, action) in enumerate(steps):
        result = "FAILED" if number == failing else "SUCCESS"
        yield {"step": number + 1, "agent": agent, "action": action, "result": result}
        if number == failing:
            return


def _text(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")


def _without_none(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if value is not None}


def content(workload: str) -> bytes:
    """The file of a workload, before it is compressed."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records(workload)).encode()


def expected() -> str:
    """EXPECTED.tsv: a row for each workload."""
    rows = [expectation(workload) for workload in STORIES]
    lines = ["\t".join(rows[0]), *("\t".join(str(value) for value in row.values()) for row in rows)]
    return "\n".join(lines) + "\n"


def main() -> None:
    """The month lies in the sample folder."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for workload in STORIES:
        (FOLDER / f"{workload}.jsonl.gz").write_bytes(gzip.compress(content(workload), mtime=0))
    (FOLDER / "EXPECTED.tsv").write_text(expected(), encoding="utf-8")


if __name__ == "__main__":
    main()
