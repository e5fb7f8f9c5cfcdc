"""The failed share agrees with SciPy's Wilson interval and with a count by hand."""

from __future__ import annotations

from collections import Counter

import pytest
from scipy.stats import binomtest

from ingest.store import Lease
from queries.overview.failed_share import failed_share


def test_counts_and_interval_of_every_workload(full_lease: Lease) -> None:
    recorded = full_lease.rows("SELECT workload, status FROM runs")
    for row in failed_share(full_lease):
        ended = Counter(r["status"] for r in recorded if row.workload in {None, r["workload"]})
        decided = sum(number for status, number in ended.items() if status not in {"running", "unknown"})
        assert (row.runs, row.decided, row.failed) == (sum(ended.values()), decided, ended["failed"])
        expected = binomtest(row.failed, row.decided).proportion_ci(method="wilson")
        assert row.rate == row.failed / row.decided
        assert (row.rate_low, row.rate_high) == pytest.approx((expected.low, expected.high), abs=1e-6)


def test_nothing_decided_is_no_rate(full_lease: Lease) -> None:
    assert failed_share(full_lease, workload="no-such-workload").rows == ()


def test_undated_runs_are_told_when_time_is_filtered(full_lease: Lease) -> None:
    from queries.reader import time_from

    answer = failed_share(full_lease, since=time_from("2026-11-01"))
    undated = full_lease.rows("SELECT count(*) AS n FROM runs WHERE started_at IS NULL")[0]["n"]
    assert answer.left_out == {"undated runs": undated}
    assert failed_share(full_lease).left_out == {}
