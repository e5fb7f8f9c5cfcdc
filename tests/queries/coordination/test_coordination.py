"""Faults that look like still running, with their members in order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.load import ingest
from ingest.store import Lease, open_store
from queries.coordination.coordination import coordination
from queries.coordination.handoff_refusals import handoff_refusals
from queries.ledger.context_operations import context_operations
from queries.ledger.unknown_outcomes import unknown_outcomes

SAMPLES = Path(__file__).parents[3] / "sample_traces" / "conformance"


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lease]:
    store = tmp_path_factory.mktemp("stories") / "s.duckdb"
    ingest([str(SAMPLES)], store)
    with open_store(store).lease() as lease:
        yield lease


FAULTS = [
    ("conf-circular", "circulating task", ("Intake", "Assessor", "Fraud check", "Intake")),
    ("conf-deadlock", "wait cycle", ("Ledger", "Assessor", "Fraud check", "Ledger")),
    ("conf-deadlock", "overdue wait", ("Archivist", "Ledger")),
    ("conf-deadlock", "task with two owners", ("Assessor", "Fraud check")),
    ("conf-deadlock", "task without owner", ("Mailer",)),
]


@pytest.mark.parametrize(("run", "kind", "members"), FAULTS)
def test_a_fault_names_its_members(stories: Lease, run: str, kind: str, members: tuple[str, ...]) -> None:
    assert members in {row.members for row in coordination(stories, run=run) if row.kind == kind}


def test_the_denied_arrival_is_no_second_fault(stories: Lease) -> None:
    assert len(coordination(stories, run="conf-circular")) == 1


def test_refusals_stand_apart_from_errors(stories: Lease) -> None:
    (row,) = handoff_refusals(stories)
    assert (row.refusals, row.second_bounces, row.condition_means) == (2, 1, "missing field or unresolvable locator")


def test_effects_that_may_exist_are_checked_or_not(stories: Lease) -> None:
    found = {row.resource: (row.checked_state, row.checked_by, row.collapsed) for row in unknown_outcomes(stories)}
    assert found == {"payout/415": (None, None, True), "payout/416": ("paid once", "bank statement", False)}


def test_what_an_operation_on_the_context_lost(stories: Lease) -> None:
    found = {row.op: row.concern for row in context_operations(stories)}
    assert found == {"checkpoint": None, "compaction": "resume contract lost", "reset": "silent reset"}


def test_the_stories_break_the_rules_that_stand_beside_them_and_no_others(stories: Lease) -> None:
    lines = (SAMPLES / "EXPECTED.tsv").read_text().splitlines()[1:]
    found = stories.rows(
        "SELECT path, rule, event_id FROM findings JOIN runs USING (run_id) JOIN source_files"
        " ON source_files.file_id = runs.file_id"
    )
    assert {(Path(row["path"]).name, row["rule"], row["event_id"]) for row in found} == {
        tuple(line.split("\t")) for line in lines
    }
