"""Every retry has its verdict, and identical repeats are one attempt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from ingest.load import ingest
from ingest.store import Lease, open_store
from queries.retries.circuit_breaker import circuit_breaker
from queries.retries.retry_audit import retry_audit
from tests.queries.rules.cases import error, full

CASES: list[tuple[str, list[dict[str, Any]], list[str]]] = [
    ("transport", [full(1, tool_error_class="transport"), full(2, tool_error_class="transport")], ["legitimate"]),
    ("changed", [full(1, action="Builder fixed the fixture"), full(2)], ["legitimate"]),
    ("unchanged", [full(1), full(2)], ["unchanged"]),
    ("wrong-class", [full(1, tool_error_class="execution", action="retry")], ["wrong class"]),
    ("denied", [error(1, error_code="E", tool_error_class="policy_denial", action="retry")], ["after denial"]),
    (
        "unchecked",
        [error(1, error_code="E", tool_error_class="unknown_outcome", action="retry")],
        ["before the state was checked"],
    ),
    (
        "over-budget",
        [full(n, tool_error_class="transport", action="retry") for n in range(1, 5)],
        ["legitimate", "legitimate", "legitimate", "over budget"],
    ),
    ("not-a-retry", [error(1, error_code="E"), error(2, error_code="F")], []),
]


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lease]:
    folder = tmp_path_factory.mktemp("retries")
    lines = [json.dumps({**record, "run_id": name}) for name, records, _ in CASES for record in records]
    lines += [json.dumps({**full(n), "run_id": "five"}) for n in range(1, 6)]
    (folder / "f.jsonl").write_text("\n".join(lines) + "\n")
    ingest([str(folder / "f.jsonl")], folder / "s.duckdb")
    with open_store(folder / "s.duckdb").lease() as lease:
        yield lease


@pytest.mark.parametrize(("name", "records", "verdicts"), CASES, ids=[case[0] for case in CASES])
def test_the_verdict(audited: Lease, name: str, records: list[dict[str, Any]], verdicts: list[str]) -> None:
    assert [row.verdict for row in retry_audit(audited, run=f"faultlens:{name}")] == verdicts


def test_the_budget_is_a_parameter(audited: Lease) -> None:
    rows = retry_audit(audited, run="faultlens:over-budget", per_failure=4)
    assert {row.verdict for row in rows} == {"legitimate"}


def test_five_identical_failures_are_one_attempt_and_four_repeats(audited: Lease) -> None:
    (only,) = circuit_breaker(audited, run="faultlens:five")
    assert (only.attempts, only.repeats, only.after_opening, only.state) == (1, 4, 3, "open at the end")
