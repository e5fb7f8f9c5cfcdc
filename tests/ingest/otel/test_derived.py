"""What needs all spans of a run: its outcome, retries and recoveries, tokens counted once; the same in any order."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.loaded import Loaded, content, loaded
from tests.ingest.otel.otlp import RUN, lines, load_spans, request, span

Spans = list[dict[str, Any]]


def run_of(found: Loaded, run_id: str = RUN) -> dict[str, Any]:
    return found.one(f"SELECT * FROM runs WHERE run_id = '{run_id}'")


def trace_of(number: int) -> str:
    return f"ca5e{number:028x}"


def all_loaded(folder: Path, cases: list[Spans]) -> Loaded:
    """Every case as a trace of its own, in one store."""
    for number, spans in enumerate(cases):
        for one in spans:
            one["traceId"] = trace_of(number)
    return load_spans(folder, *(one for spans in cases for one in spans))


# ----------------------------------------------------------------------------------------------------------- outcome
OUTCOMES: list[tuple[str, Spans, str, str]] = [
    ("root OK", [span(1, code=1)], "succeeded", "ended with status OK"),
    ("root UNSET", [span(1)], "succeeded", "ended with status UNSET"),
    ("root ERROR", [span(1, code=2)], "failed", "has status ERROR"),
    ("root error.type", [span(1, attributes={"error.type": "E"})], "failed", "has an error event, E"),
    ("root OK beside error.type", [span(1, code=1, attributes={"error.type": "E"})], "succeeded", "status OK"),
    ("root open", [span(1, at=(0, None)), span(2, parent=1)], "running", "has no end"),
    ("root open and failed", [span(1, at=(0, None), code=2)], "failed", "has status ERROR"),
    ("child failed", [span(1), span(2, parent=1, code=2)], "succeeded", "UNSET"),
    ("no root", [span(2, parent=1), span(3, parent=2)], "unknown", "no root span among the records (parent 000000"),
    ("no root, child failed", [span(2, parent=1, code=2)], "unknown", "no root span"),
    ("its own parent", [span(1, parent=1)], "succeeded", "root span 0000000000000001"),
    ("cycle", [span(1, parent=2), span(2, parent=1)], "unknown", "parents form a cycle"),
    ("cycle beside a root", [span(3), span(1, parent=2), span(2, parent=1)], "succeeded", "0000000000000003"),
    ("two roots, one failed", [span(1), span(2, at=(2, 3), code=2)], "failed", "0002 (work) has status ERROR"),
    ("two roots, one open", [span(1), span(2, at=(2, None))], "running", "(one of 2 roots)"),
    ("root ended before it began", [span(1, at=(1, 0))], "succeeded", "UNSET"),
]  # fmt: skip


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return all_loaded(tmp_path_factory.mktemp("outcomes"), [spans for _, spans, _, _ in OUTCOMES])


@pytest.mark.parametrize("number", range(len(OUTCOMES)), ids=[case[0] for case in OUTCOMES])
def test_outcome(outcomes: Loaded, number: int) -> None:
    _, _, status, reason = OUTCOMES[number]
    run = run_of(outcomes, f"opentelemetry:{trace_of(number)}")
    assert run["status"] == status
    assert reason in run["status_reason"]


def test_a_recorded_escalation_stands_before_the_status_of_the_root(tmp_path: Path) -> None:
    attributes = {"faultlens.recovery.chain": "A", "faultlens.recovery.outcome": "ESCALATED"}
    run = run_of(load_spans(tmp_path, span(1, code=1), span(2, parent=1, attributes=attributes)))
    assert (run["status"], run["name"], run["workload"]) == ("escalated", "work", "desk-agent")


def test_the_root_names_the_run_its_workload_and_its_times(tmp_path: Path) -> None:
    child = request(span(2, "child", parent=1, at=(1, 9)), service="tool-server")
    root = request(span(1, "ask", at=(0, 5), attributes={"session.id": "s1"}), service="desk")
    path = tmp_path / "t.jsonl"
    path.write_bytes(lines(child, root))
    run = run_of(loaded(tmp_path / "store.duckdb", path))
    assert (run["name"], run["workload"], run["session_id"]) == ("ask", "desk", "s1")
    assert (run["ended_at"] - run["started_at"]).total_seconds() == 5


def test_a_given_workload_stands_before_the_service(tmp_path: Path) -> None:
    assert run_of(load_spans(tmp_path, span(1), workload="given"))["workload"] == "given"


def test_a_root_that_comes_in_a_later_file_decides(tmp_path: Path) -> None:
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    first.write_bytes(lines(request(span(2, parent=1, code=2))))
    second.write_bytes(lines(request(span(1, "ask", code=1))))
    store = tmp_path / "store.duckdb"
    assert run_of(loaded(store, first))["status"] == "unknown"
    found = loaded(store, second)
    assert (run_of(found)["status"], run_of(found)["name"]) == ("succeeded", "ask")
    assert found.counts == (1, 1, 0, 0, 0)


def test_members_of_a_cycle_are_flagged_and_nothing_else_is(tmp_path: Path) -> None:
    spans = [span(1), span(2, parent=3), span(3, parent=2), span(4, parent=3), span(5, parent=99)]
    found = load_spans(tmp_path, *spans)
    flagged = found.values("SELECT span_id FROM spans WHERE list_contains(flags, 'parent_cycle') ORDER BY span_id")
    assert flagged == [f"{number:016x}" for number in (2, 3, 4)]


def test_a_chain_of_thousands_of_spans_is_no_recursion(tmp_path: Path) -> None:
    spans = [span(1), *(span(number, parent=number - 1) for number in range(2, 3000))]
    path = tmp_path / "t.jsonl"
    path.write_bytes(lines(request(*spans)))
    assert run_of(loaded(tmp_path / "store.duckdb", path))["status"] == "succeeded"


# -------------------------------------------------------------------------------------------------------- recoveries
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "pay"}


def call(
    number: int, at: tuple[float, float | None], code: int = 0, args: str | None = None, **more: Any
) -> dict[str, Any]:
    attributes = TOOL if args is None else {**TOOL, "gen_ai.tool.call.arguments": args}
    return span(
        number, **{"name": "execute_tool pay", "parent": 1, "at": at, "code": code, "attributes": attributes, **more}
    )


# id, spans below the root, (recovered by, for the error of, attempts) per recovery, number of retries
RECOVERIES: list[tuple[str, Spans, list[tuple[int, int, int]], int]] = [
    ("failed, then well", [call(2, (0, 1), 2), call(3, (1, 2))], [(3, 2, 2)], 1),
    ("failed twice, then well", [call(2, (0, 1), 2), call(3, (1, 2), 2), call(4, (3, 4))], [(4, 3, 3)], 2),
    ("well, then another call", [call(2, (0, 1), 2), call(3, (1, 2)), call(4, (3, 4))], [(3, 2, 2)], 1),
    ("recovered twice", [call(2, (0, 1), 2), call(3, (1, 2)), call(4, (3, 4), 2), call(5, (5, 6))],
     [(3, 2, 2), (5, 4, 2)], 2),
    ("never well", [call(2, (0, 1), 2), call(3, (1, 2), 2)], [], 1),
    ("at the same time", [call(2, (0, 1), 2), call(3, (0, 1))], [], 0),
    ("well before it failed", [call(2, (2, 3), 2), call(3, (0, 1))], [], 0),
    ("began before the failure was over", [call(2, (0, 2), 2), call(3, (1, 3))], [], 0),
    ("other parent", [call(2, (0, 1), 2), call(3, (1, 2), parent=9)], [], 0),
    ("other name", [call(2, (0, 1), 2), call(3, (1, 2), name="execute_tool refund")], [], 0),
    ("other tool", [call(2, (0, 1), 2), call(3, (1, 2), attributes={"gen_ai.tool.name": "refund"})], [], 0),
    ("same input", [call(2, (0, 1), 2, '{"a": 1}'), call(3, (1, 2), args='{"a":1}')], [(3, 2, 2)], 1),
    ("other input", [call(2, (0, 1), 2, '{"a": 1}'), call(3, (1, 2), args='{"a": 2}')], [], 0),
    ("still open", [call(2, (0, 1), 2), call(3, (1, None))], [], 1),
    ("failed without an end", [call(2, (0, None), 2), call(3, (1, 2))], [(3, 2, 2)], 1),
    ("failed in no time", [call(2, (0, 0), 2)], [], 0),
    ("handled exception", [call(2, (0, 1), events=[("exception", {"exception.type": "E"})]), call(3, (1, 2))], [], 0),
]  # fmt: skip


@pytest.fixture(scope="module")
def recoveries(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    cases = [[span(1, "ask", at=(0, 9)), *spans] for _, spans, _, _ in RECOVERIES]
    return all_loaded(tmp_path_factory.mktemp("recoveries"), cases)


@pytest.mark.parametrize("number", range(len(RECOVERIES)), ids=[case[0] for case in RECOVERIES])
def test_recovery(recoveries: Loaded, number: int) -> None:
    _, _, recovered, retries = RECOVERIES[number]
    run_id = f"opentelemetry:{trace_of(number)}"
    rows = recoveries.rows(f"SELECT * FROM recovery_events WHERE run_id = '{run_id}' ORDER BY occurred_at")
    assert [(row["event_id"], row["error_event_id"], json.loads(row["attributes"])["attempts"]) for row in rows] == [
        (f"derived:recovery:{by:016x}", f"{failed:016x}/error", attempts) for by, failed, attempts in recovered
    ]
    assert {(row["chain"], row["outcome"], row["basis"]) for row in rows} <= {(None, "RECOVERED", "derived")}
    assert all(row["rule"].startswith("sibling_succeeded: ") for row in rows)
    found = recoveries.values(f"SELECT count(*) FROM events WHERE kind = 'retry' AND run_id = '{run_id}'")
    assert found == [retries]
    run = run_of(recoveries, run_id)
    assert (run["recoveries"], run["status"]) == (len(recovered), "succeeded")


def test_a_recorded_recovery_is_not_derived_again(tmp_path: Path) -> None:
    attributes = {"faultlens.recovery.chain": "A", "faultlens.recovery.outcome": "RECOVERED"}
    found = load_spans(tmp_path, call(2, (0, 1), 2), call(3, (1, 2), attributes={**TOOL, **attributes}))
    assert found.values("SELECT basis FROM recovery_events") == ["recorded"]


def test_a_recovery_in_a_later_file_is_found_and_none_stands_twice(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    spans = [span(1, at=(0, 9)), call(2, (0, 1), 2), call(3, (1, 2)), call(4, (3, 4), 2), call(5, (5, 6))]
    recoveries = []
    for index, one in enumerate(spans):
        path = tmp_path / f"{index}.jsonl"
        path.write_bytes(lines(request(one)))
        recoveries.append(run_of_any(loaded(store, path))["recoveries"])
    assert recoveries == [0, 0, 1, 1, 2]


def run_of_any(found: Loaded) -> dict[str, Any]:
    return found.one("SELECT * FROM runs")


def test_any_order_of_lines_and_files_gives_the_same_store(tmp_path: Path) -> None:
    spans = [
        span(1, "ask", at=(0, 9), events=[("note", {"a": 1})]),
        call(2, (0, 1), 2, events=[("exception", {"exception.type": "TimeoutError"})]),
        call(3, (1, 2)),
        span(4, "chat", parent=1, at=(2, 3), attributes={"gen_ai.usage.input_tokens": 5, "session.id": "b"}),
        span(5, "chat", parent=1, at=(2, 3), attributes={"gen_ai.usage.input_tokens": 7, "session.id": "a"}),
        span(6, "lost", parent=99, at=(2, 3)),
    ]
    stores = [content(load_spans(folder(tmp_path, 0), *spans).store)]
    shuffling = random.Random(7)  # noqa: S311 - which orders are tried is no secret
    for number in range(1, 6):
        shuffled = shuffling.sample(spans, len(spans))
        stores.append(content(load_spans(folder(tmp_path, number), *shuffled).store))
    assert all(store == stores[0] for store in stores)
    apart = folder(tmp_path, 9)
    for number, one in enumerate(reversed(spans)):
        (apart / f"{number}.jsonl").write_bytes(lines(request(one)))
        loaded(apart / "store.duckdb", apart / f"{number}.jsonl")
    assert content(apart / "store.duckdb") == stores[0]


def folder(root: Path, number: int) -> Path:
    made = root / str(number)
    made.mkdir()
    return made


def test_an_unfinished_span_is_replaced_by_its_finished_version(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    for number, one in enumerate([span(1, at=(0, None)), span(1), span(1, at=(0, None))]):
        (tmp_path / f"{number}.jsonl").write_bytes(lines(request(one)))
    found = [loaded(store, tmp_path / f"{number}.jsonl") for number in range(3)]
    assert [one.counts for one in found] == [(1, 1, 0, 0, 0), (1, 1, 0, 0, 0), (1, 0, 1, 0, 0)]
    assert run_of(found[-1])["status"] == "succeeded"


# ------------------------------------------------------------------------------------------------------------ tokens
def spent(number: int, tokens: int | None, parent: int | None = None, kind: str = "LLM") -> dict[str, Any]:
    attributes: dict[str, Any] = {"openinference.span.kind": kind}
    if tokens is not None:
        attributes["gen_ai.usage.input_tokens"] = tokens
    return span(number, parent=parent, attributes=attributes)


TOKENS: list[tuple[str, Spans, int | None]] = [
    ("leaves alone", [spent(1, None, kind="AGENT"), spent(2, 100, 1), spent(3, 200, 1)], 300),
    ("the agent is the sum", [spent(1, 300, kind="AGENT"), spent(2, 100, 1), spent(3, 200, 1)], 300),
    ("sums on two levels",
     [spent(1, 300, kind="AGENT"), spent(2, 300, 1, "CHAIN"), spent(3, 100, 2), spent(4, 200, 2)], 300),
    ("a level without any between", [spent(1, 300, kind="AGENT"), spent(2, None, 1, "CHAIN"), spent(3, 300, 2)], 300),
    ("the agent alone", [spent(1, 300, kind="AGENT"), spent(2, None, 1)], 300),
    ("one call instrumented twice", [spent(1, 100), spent(2, 100, 1)], 100),
    ("a tool asks another model", [spent(1, 100), spent(2, None, 1, "TOOL"), spent(3, 50, 2)], 150),
    ("a tool's sum", [spent(1, 100), spent(2, 50, 1, "TOOL"), spent(3, 50, 2)], 150),
    ("a cycle", [spent(1, 10, 2), spent(2, 20, 1)], 30),
    ("zero is recorded", [spent(1, 0)], 0),
    ("none", [spent(1, None)], None),
]  # fmt: skip


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return all_loaded(tmp_path_factory.mktemp("tokens"), [spans for _, spans, _ in TOKENS])


@pytest.mark.parametrize("number", range(len(TOKENS)), ids=[case[0] for case in TOKENS])
def test_tokens_are_counted_once(tokens: Loaded, number: int) -> None:
    _, spans, total = TOKENS[number]
    run_id = f"opentelemetry:{trace_of(number)}"
    assert run_of(tokens, run_id)["input_tokens"] == total
    assert tokens.values(f"SELECT count(input_tokens) FROM spans WHERE run_id = '{run_id}'") == [
        sum("gen_ai.usage.input_tokens" in str(one) for one in spans)
    ]


def test_each_measure_is_judged_by_itself(tmp_path: Path) -> None:
    agent = span(1, attributes={"gen_ai.usage.input_tokens": 9, "gen_ai.usage.output_tokens": 4, "llm.cost.total": 0.5})
    chat = span(2, parent=1, attributes={"gen_ai.usage.input_tokens": 9})
    run = run_of(load_spans(tmp_path, agent, chat))
    assert (run["input_tokens"], run["output_tokens"], run["cost_usd"]) == (9, 4, 0.5)


def test_sums_that_no_column_holds_are_absent_and_cost_nothing_else(tmp_path: Path) -> None:
    most = {"gen_ai.usage.input_tokens": 2**63 - 1, "gen_ai.usage.output_tokens": 3, "llm.cost.total": 1e308}
    run = run_of(load_spans(tmp_path, span(1), *(span(number, parent=1, attributes=most) for number in (2, 3))))
    assert (run["input_tokens"], run["output_tokens"], run["cost_usd"]) == (None, 6, None)
