"""Where records carry an order, any order of the lines gives the same store."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ingest.loaded import content, line, load_bytes

AT = "2026-11-30T09:{:02}:{:02}Z".format
KINDS: list[tuple[str, dict[str, Any]]] = [
    ("span", {"span_id": "s1", "name": "a"}),
    ("span", {"span_id": "s1", "name": "a", "ended_at": AT(50, 0), "status": "ok"}),
    ("span", {"span_id": "s2", "parent_span_id": "s1"}),
    ("error_event", {"error_code": "E_A", "phase": "VERIFY", "location": "a.py:3", "state_hash": "1"}),
    (
        "error_event",
        {"error_code": "E_A", "phase": "VERIFY", "location": "a.py:9", "state_hash": "1", "result": "ABORTED"},
    ),
    ("error_event", {"error_code": "E_B", "observed_at": "VERIFY", "originated_at": "PLAN"}),
    ("recovery_event", {"chain": "A", "outcome": "ESCALATED", "steps": [{"step": 1}, {"step": 2}]}),
    ("recovery_event", {"chain": "B", "outcome": "RECOVERED"}),
    ("guardrail_event", {"level": "L3", "action": "PAUSE"}),
    ("context", {"step_id": "3", "required": ["a"], "retrieved": []}),
    ("context_op", {"op": "reset"}),
    ("diagnosis", {"observed_at": "EXECUTE"}),
    ("delegation", {"task_id": "t", "to_agent": "B"}),
    ("wait", {"waiter": "A"}),
    ("task_owner", {"task_id": "t"}),
    ("handoff", {"status": "refused"}),
    ("replay", {"dimension": "plan"}),
    ("reported_metrics", {"chain": "A"}),
    ("run", {"status": "failed", "name": "n"}),
]
records = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 5)), min_size=2, max_size=25)


def lines_of(drawn: list[tuple[tuple[str, dict[str, Any]], int]], order: str) -> list[bytes]:
    """Each record with an order; equal ones too, because seconds repeat and two attempts may be identical."""
    found = []
    for (kind, keys), number in drawn:
        time_key = "started_at" if kind in {"span", "run"} else "occurred_at"
        carried = {"seq": number} if order == "seq" else {time_key: AT(number, 0)}
        found.append(line(kind, "r", **{**keys, **carried}))
    return found


@pytest.mark.parametrize("order", ["seq", "time"])
@settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(drawn=records, seed=st.integers(0, 2**16))
def test_any_order_of_the_lines_gives_the_same_rows(order: str, drawn: Any, seed: int) -> None:
    written = lines_of(drawn, order)
    shuffled = random.Random(seed).sample(written, len(written))  # noqa: S311 - an order, no secret
    stores = []
    for lines in (written, shuffled):
        with tempfile.TemporaryDirectory() as folder:
            stores.append(content(load_bytes(Path(folder), b"".join(lines)).store))
    assert stores[0] == stores[1]


def test_seq_is_one_numbering_over_all_kinds(tmp_path: Path) -> None:
    lines = [line(kind, "r", **keys, seq=n) for n, (kind, keys) in enumerate(KINDS) if kind != "run" and n != 1]
    found = load_bytes(tmp_path, b"".join(reversed(lines)))
    tables = ("spans", "error_events", "recovery_events", "guardrail_events", "context_sets",
              "context_ops", "diagnoses", "delegations", "waits", "task_owners", "handoffs", "replays",
              "reported_metrics")  # fmt: skip
    numbers = found.values(" UNION ALL ".join(f"SELECT seq FROM {table}" for table in tables) + " ORDER BY 1")
    assert numbers == list(range(1, len(lines) + 2 + 1))  # a context record of two sets, a diagnosis inline


def test_without_an_order_position_is_the_order(tmp_path: Path) -> None:
    codes = ["E_C", "E_A", "E_B", "E_A"]
    found = load_bytes(tmp_path, b"".join(line("error_event", "r", error_code=code) for code in codes))
    assert found.values("SELECT error_code FROM error_events ORDER BY seq") == codes


def test_a_record_without_a_time_follows_the_one_before_it(tmp_path: Path) -> None:
    body = (
        line("error_event", error_code="E_2", occurred_at=AT(2, 0))
        + line("recovery_event", chain="A")
        + line("error_event", error_code="E_3", occurred_at=AT(2, 0))
        + line("error_event", error_code="E_1", occurred_at=AT(1, 0))
    )
    found = load_bytes(tmp_path, body)
    assert found.values("SELECT error_code FROM error_events ORDER BY seq") == ["E_1", "E_2", "E_3"]
    assert found.values(
        "SELECT error_code FROM recovery_events r JOIN error_events e ON e.event_id = r.error_event_id"
    ) == ["E_2"]


def test_a_grown_file_goes_on_where_it_was(tmp_path: Path) -> None:
    first = line("error_event", error_code="E_1", occurred_at=AT(5, 0))
    load_bytes(tmp_path, first)
    found = load_bytes(
        tmp_path,
        first + line("recovery_event", chain="A") + line("error_event", error_code="E_0", occurred_at=AT(1, 0)),
    )
    assert found.values(
        "SELECT error_code FROM recovery_events r JOIN error_events e ON e.event_id = r.error_event_id"
    ) == ["E_1"]
