"""What is read from roll-ups and from places derived at load is what the records themselves say, in every window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.store import Lease, open_store
from queries.failures.contract_classes import contract_classes
from queries.failures.error_axes import error_axes
from queries.failures.error_codes import error_codes
from queries.failures.failure_classes import failure_classes
from queries.failures.signatures import signatures
from queries.failures.unclassified import unclassified
from queries.findings.finding_counts import finding_counts
from queries.recovery.recovery_chains import recovery_chains
from queries.recovery.recovery_handovers import recovery_handovers
from queries.recovery.recovery_thresholds import recovery_thresholds
from queries.rules.rule_coverage import rule_coverage
from tests.bench.big_store import build

BY_DAY: tuple[Callable[..., Any], ...] = (
    error_codes, error_axes, failure_classes, contract_classes, unclassified, finding_counts, rule_coverage,
)  # fmt: skip
LAST = datetime(2026, 11, 30, tzinfo=UTC)
DAYS = st.integers(0, 185).map(lambda back: LAST - timedelta(days=back))
MOMENTS = st.integers(0, 185 * 86_400_000).map(lambda back: LAST - timedelta(milliseconds=back))
FILTERS: dict[str, Any] = {
    "workload": st.one_of(
        st.none(), st.sampled_from(["workload-00", "workload-01", "workload-17", "no such workload"])
    ),
    "source": st.one_of(st.none(), st.sampled_from(["faultlens", "opentelemetry"])),
}
CALMLY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def lease(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lease]:
    path = build(tmp_path_factory.mktemp("big") / "big.duckdb", spans=40_000)
    with open_store(path) as store, store.lease() as taken:
        # On a store without runs nearly everything here would agree.
        assert taken.rows("SELECT count(*) AS n FROM runs")[0]["n"] > 100
        yield taken


@CALMLY
@given(since=st.one_of(st.none(), DAYS), until=st.one_of(st.none(), DAYS), filters=st.fixed_dictionaries(FILTERS))
def test_whole_days_are_summed_as_their_records_are(
    lease: Lease, since: datetime | None, until: datetime | None, filters: dict[str, Any]
) -> None:
    """A window that is a microsecond longer is read from the records; no run starts in that microsecond."""
    earlier = (since or datetime(2000, 1, 1, tzinfo=UTC)) - timedelta(microseconds=1)
    for query in BY_DAY:
        rolled = query(lease, **filters, since=since, until=until)
        # Undated runs are in a window without a beginning and an end only.
        if since is None and until is None:
            continue
        assert rolled.rows == query(lease, **filters, since=earlier, until=until).rows, query.__name__


@pytest.mark.parametrize("workload", [None, "workload-00", "workload-05"])
def test_without_a_window_undated_runs_count_too(lease: Lease, workload: str | None) -> None:
    told = lease.rows(
        "SELECT coalesce(error_code, agent_error_code, type, 'not recorded') AS code, count(*) AS errors,"
        " count(DISTINCT run_id) AS runs FROM error_events JOIN runs USING (run_id)"
        " WHERE $workload IS NULL OR workload = $workload GROUP BY code",
        {"workload": workload},
    )
    found: Counter[str] = Counter()
    for row in error_codes(lease, workload=workload):
        found[row.code] += row.errors
    assert found == Counter({row["code"]: row["errors"] for row in told})


@CALMLY
@given(
    since=st.one_of(st.none(), MOMENTS, DAYS), until=st.one_of(st.none(), MOMENTS, DAYS), derived=st.booleans(),
    filters=st.fixed_dictionaries(FILTERS),
)  # fmt: skip
def test_places_among_attempts_are_those_within_the_window(
    lease: Lease,
    since: datetime | None,
    until: datetime | None,
    derived: bool,  # noqa: FBT001 - as the queries take it
    filters: dict[str, Any],
) -> None:
    asked = {**filters, "since": since, "until": until, "derived": derived}
    attempts = lease.rows(_ATTEMPTS, asked)
    chains = {row.chain: row for row in recovery_chains(lease, **asked)}
    for chain in ("A", "B", "C"):
        of_chain = [row for row in attempts if row["chain"] == chain]
        assert chains[chain].attempts == len(of_chain)
        assert chains[chain].attempts_collapsed == sum(row["is_last"] for row in of_chain)
        assert chains[chain].handed_over == sum(_is_handed_over(row) for row in of_chain)
    handed = Counter((row["chain"], row["next_chain"], row["next_outcome"]) for row in attempts if _is_handed_over(row))
    told = {(row.from_chain, row.to_chain): row for row in recovery_handovers(lease, **asked)}
    assert {key: row.handovers for key, row in told.items()} == _summed(handed)
    limits = {row.chain: row.failures for row in recovery_thresholds(lease, **asked)}
    failures = Counter(row["chain"] for row in attempts if row["is_first_of_failure"])
    assert limits == {chain: failures[chain] for chain in limits}


def _is_handed_over(row: dict[str, Any]) -> bool:
    return row["outcome"] == "ESCALATED" and row["next_chain"] is not None and row["next_chain"] != row["chain"]


def _summed(handed: Counter[Any]) -> dict[tuple[str, str], int]:
    found: Counter[tuple[str, str]] = Counter()
    for (one, other, _), times in handed.items():
        found[one, other] += times
    return dict(found)


# From the records alone: nothing of what a load derives of attempts is read.
_ATTEMPTS = """
WITH counted AS (
    SELECT e.run_id, e.seq, e.chain, e.outcome, r.workload, r.source, e.basis,
           CASE WHEN e.signature_partial = false THEN e.signature END AS full_signature,
           coalesce(full_signature, e.error_event_id) AS failure,
           CASE r.clock WHEN 'wall' THEN coalesce(e.occurred_at, r.started_at)
                WHEN 'synthetic' THEN r.started_at END AS happened_at
    FROM recovery_events e JOIN runs r USING (run_id)
    LEFT JOIN error_events x ON x.run_id = e.run_id AND x.event_id = e.error_event_id
    WHERE r.status NOT IN ('vetoed', 'interrupted')
      AND coalesce(r.stop_reason, '') NOT IN ('user_interruption', 'user_abort')
      AND coalesce(x.level, '') <> 'L0' AND coalesce(x.tool_error_class, '') <> 'unknown_outcome'
      AND NOT (r.status NOT IN ('succeeded', 'escalated') AND r.run_id IN (
          SELECT run_id FROM error_events WHERE failure_class = 'user_interruption'))
)
SELECT chain, outcome,
       full_signature IS NULL OR row_number() OVER (PARTITION BY run_id, chain, full_signature ORDER BY seq DESC)
            = 1 AS is_last,
       failure IS NOT NULL AND row_number() OVER (PARTITION BY run_id, chain, failure ORDER BY seq)
            = 1 AS is_first_of_failure,
       lead(chain) OVER (PARTITION BY run_id ORDER BY seq) AS next_chain,
       lead(outcome) OVER (PARTITION BY run_id ORDER BY seq) AS next_outcome
FROM counted
WHERE (basis = 'recorded' OR $derived)
  AND ($workload IS NULL OR workload = $workload) AND ($source IS NULL OR source = $source)
  AND ($since IS NULL OR happened_at >= $since) AND ($until IS NULL OR happened_at < $until)
"""


@pytest.mark.parametrize("resolved_after_s", [60, 3_600, 14 * 86_400, 60 * 86_400])
def test_signatures_are_told_as_their_failures_tell_them(lease: Lease, resolved_after_s: int) -> None:
    """A window before all runs leaves the undated ones out, so both sides are asked without them."""
    dated = signatures(lease, since=datetime(2000, 1, 1, tzinfo=UTC), resolved_after_s=resolved_after_s, limit=100_000)
    undated = {
        row["signature"]
        for row in lease.rows(
            "SELECT DISTINCT signature FROM error_events JOIN runs USING (run_id) WHERE started_at IS NULL"
        )
    }
    rolled = signatures(lease, resolved_after_s=resolved_after_s, limit=100_000)
    assert len(rolled) >= len(dated) > 100
    told = {row.signature: row for row in dated}
    compared = [row for row in rolled if row.signature not in undated]
    assert len(compared) > 50
    for row in compared:
        other = told[row.signature]
        for name in (
            "occurrences",
            "collapsed",
            "runs",
            "workloads",
            "first_seen",
            "last_seen",
            "returned_at",
            "state",
        ):
            assert getattr(row, name) == getattr(other, name), (row.signature, name)
        assert (row.example_run, row.example_event) == (other.example_run, other.example_event)
