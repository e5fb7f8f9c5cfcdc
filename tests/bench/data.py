"""A seeded file of native lines: runs with steps, failures, recoveries and context, as producers write them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

START = datetime(2026, 11, 1, tzinfo=UTC)
WORKLOADS = ("payments", "support-triage", "code-review", "nightly-index")
PHASES = ("PLAN", "PREPARE", "EXECUTE", "VERIFY", "DELIVER")
AGENTS = ("Sherpa", "Scout", "Builder", "Radar", "Atlas")
CODES = ("E_ASSERT", "E_TIMEOUT", "E_LIMIT", "E_SCHEMA", "E_CONFLICT", "E_AUTH")
CLASSES = ("invocation", "transport", "execution", "state_conflict", "policy_denial")
OUTCOMES = ("RECOVERED", "RECOVERED", "RECOVERED", "ESCALATED", "ABORTED")
STATUSES = ("succeeded", "succeeded", "succeeded", "failed", "escalated", "aborted")


def write(path: Path, *, events: int = 100_000, runs: int = 2_000, seed: int = 11) -> int:
    """The file holds that many lines over that many runs; its size in bytes."""
    chance = random.Random(seed)  # noqa: S311 - data, no secret
    each = events // runs
    with path.open("w", encoding="utf-8") as file:
        for run in range(runs):
            for item in _run(chance, run, each):
                file.write(json.dumps(item) + "\n")
    return path.stat().st_size


def _run(chance: random.Random, run: int, lines: int) -> Iterator[dict[str, Any]]:
    """The lines of one run: a run record, then what happened, a second and a half apart."""
    run_id, at = f"bench-{run:06}", START + timedelta(minutes=20 * run)
    yield {
        "record": "run", "run_id": run_id, "workload": chance.choice(WORKLOADS), "name": f"case {run}",
        "status": chance.choice(STATUSES), "started_at": at.isoformat(),
        "ended_at": (at + timedelta(seconds=1.5 * lines)).isoformat(),
    }  # fmt: skip
    for number in range(1, lines):
        moment = at + timedelta(seconds=1.5 * number)
        yield {"run_id": run_id, "seq": number, **_event(chance, number, moment)}


def _event(chance: random.Random, number: int, at: datetime) -> dict[str, Any]:
    agent, phase = chance.choice(AGENTS), PHASES[number % len(PHASES)]
    kind = chance.choices(("span", "error_event", "recovery_event", "guardrail_event", "context"), (70, 12, 8, 4, 6))[0]
    if kind == "span":
        return _span(chance, number, at, agent, phase)
    if kind == "error_event":
        return _error(chance, number, at, agent, phase)
    if kind == "recovery_event":
        return {
            "record": kind, "occurred_at": at.isoformat(), "chain": chance.choice(("CHAIN_A", "CHAIN_B", "CHAIN_C")),
            "trigger": f"test_failure {chance.randrange(20, 100)}%", "confidence": round(chance.uniform(0.4, 1), 2),
            "auto_executed": chance.random() < 0.7, "outcome": chance.choice(OUTCOMES),
            "steps": [{"step": n, "agent": chance.choice(AGENTS), "action": "fix", "result": "SUCCESS"}
                      for n in (1, 2, 3)],
        }  # fmt: skip
    if kind == "guardrail_event":
        return {"record": kind, "occurred_at": at.isoformat(), "level": f"L{chance.randrange(1, 5)}",
                "action": chance.choice(("CONTINUE", "VERIFY", "PAUSE")), "agent": agent,
                "step": f"{number}/50"}  # fmt: skip
    items = [f"doc-{chance.randrange(200)}@{chance.randrange(5)}" for _ in range(8)]
    return {"record": kind, "occurred_at": at.isoformat(), "step_id": str(number), "required": items[:3],
            "retrieved": items, "eligible": items[1:], "composed": items[1:6], "consumed": items[1:4],
            "current": items}  # fmt: skip


def _span(chance: random.Random, number: int, at: datetime, agent: str, phase: str) -> dict[str, Any]:
    return {
        "record": "span", "span_id": f"s{number}", "parent_span_id": f"s{number // 2}" if number > 1 else None,
        "kind": chance.choice(("step", "tool", "llm")), "name": f"call {chance.randrange(40)}", "phase": phase,
        "agent": agent, "step_index": number, "started_at": at.isoformat(),
        "ended_at": (at + timedelta(seconds=chance.uniform(0.01, 1.4))).isoformat(),
        "status": "ok" if chance.random() < 0.9 else "error", "model": "medium-2",
        "input_tokens": chance.randrange(8_000),
        "output_tokens": chance.randrange(900), "cost_usd": round(chance.uniform(0, 0.05), 5),
    }  # fmt: skip


def _error(chance: random.Random, number: int, at: datetime, agent: str, phase: str) -> dict[str, Any]:
    code = chance.choice(CODES)
    return {
        "record": "error_event", "occurred_at": at.isoformat(), "span_id": f"s{number}",
        "level": f"L{chance.randrange(1, 5)}",
        "type": "step_failed", "error_code": code, "tool_error_class": chance.choice(CLASSES), "step": f"{number}/50",
        "phase": phase, "agent": agent, "details": f"{code} while calling tool {chance.randrange(40)}: try again later",
        "result": "FAILED", "location": f"src/part_{chance.randrange(60)}.py:{chance.randrange(900)}",
        "state_hash": f"{chance.randrange(16**4):04x}",
    }  # fmt: skip
