"""The run page on a run of 10,000 steps: opened at once, nothing passed over in silence."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.origin_marks import origin_paths, step_named
from ingest.load import ingest
from ingest.store import open_store
from queries.origins.origins import origins
from queries.report.error_places import error_places
from queries.report.span_children import span_children
from queries.report.span_search import span_search
from queries.report.span_shape import span_shape
from queries.runs.run_errors import run_errors
from queries.runs.run_spans import run_spans
from tests.dashboard.test_pages import texts

Opened = Callable[..., AppTest]
ROOT = Path(__file__).parents[2]
RUN = "faultlens:many"
STEPS = 10_000
FAILED = tuple(range(500, STEPS, 1000))
ORPHANS = (3001, 6001)
UNFINISHED = (77,)


def _records() -> list[dict[str, object]]:
    found: list[dict[str, object]] = [{"record": "run", "run_id": "many", "workload": "big", "status": "failed"}]
    for n in range(STEPS):
        status = "error" if n in FAILED else "open" if n in UNFINISHED else "ok"
        step: dict[str, object] = {
            "record": "span",
            "run_id": "many",
            "span_id": f"s{n}",
            "seq": 2 * n,
            "kind": "tool",
            "name": f"call {n}",
            "phase": "EXECUTE",
            "step_index": n,
            "status": status,
        }
        if n:
            step["parent_span_id"] = "gone" if n in ORPHANS else f"s{(n - 1) // 10}"
        found.append(step)
        if n in FAILED:
            found.append({"record": "error_event", "run_id": "many", "event_id": f"e{n}", "span_id": f"s{n}",
                          "seq": 2 * n + 1, "type": "tool_failed", "details": f"call {n} failed"})  # fmt: skip
    return found


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    file = folder / "many.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in _records()), encoding="utf-8")
    ingest([str(file)], folder / "store.duckdb")
    return folder / "store.duckdb"


def test_it_opens_and_says_what_is_not_drawn(dashboard: Opened, many: Path) -> None:
    started = time.process_time()
    app = dashboard(many, "run", run=RUN)
    # Of one core, both renders; what a person waits for is measured in the browser.
    assert time.process_time() - started < 5
    assert not app.exception
    assert "Steps 1 to 60 of 10,000 are drawn, with the marks on them and between them." in texts(app)
    assert app.expander[0].label == "Steps as a tree: 10,000 steps"


def test_next_error_goes_from_one_to_the_next(dashboard: Opened, many: Path) -> None:
    app = dashboard(many, "run", run=RUN)
    for step in (491, 1491, 2491):
        app.button(key="next_error").click().run()
        assert app.text_input(key="from").value == str(step)
        assert f"Steps {step:,} to {step + 59:,} of 10,000" in texts(app)


def test_a_step_that_is_not_there_is_said(dashboard: Opened, many: Path) -> None:
    app = dashboard(many, "run", run=RUN, **{"from": "10001"})
    assert "There is no step of this number" in texts(app)


def test_a_search_in_the_address_finds_among_all_steps(dashboard: Opened, many: Path) -> None:
    app = dashboard(many, "run", run=RUN, find="call 9999")
    assert not app.exception


def test_the_tree_counts_what_lies_below(many: Path) -> None:
    with open_store(many).lease() as lease:
        roots = span_children(lease, run=RUN).rows
        first = span_children(lease, run=RUN, parent="s0").rows
        shape = span_shape(lease, run=RUN).rows[0]
        places = [row.place for row in error_places(lease, run=RUN)]
    assert [(row.span_id, row.is_orphan) for row in roots] == [("s0", False), ("s3001", True), ("s6001", True)]
    assert sum(row.below + 1 for row in roots) == STEPS
    assert sum(row.failed_below for row in roots) == len(FAILED)
    assert len(first) == 10
    assert (shape.spans, shape.failed, shape.unfinished, shape.orphans, shape.in_circles) == (STEPS, 10, 1, 2, 0)
    assert places == [n + 1 for n in FAILED]


@pytest.mark.parametrize(
    ("text", "ended", "found"),
    [
        ("call 999", None, 11),
        ("CALL 9999", None, 1),
        (None, "error", 10),
        (None, "open", 1),
        (None, "orphan", 2),
        (None, "circle", 0),
        ("call 500", "error", 1),
        ("nowhere", None, 0),
    ],
)
def test_a_search_looks_at_every_step(many: Path, text: str | None, ended: str | None, found: int) -> None:
    with open_store(many).lease() as lease:
        rows = span_search(lease, run=RUN, text=text, ended=ended, limit=5).rows
    assert (rows[0].matching if rows else 0) == found


def test_a_circle_of_parents_ends(tmp_path: Path) -> None:
    ingest([str(ROOT / "sample_traces/jaeger/parent-cycle.legacy.json")], tmp_path / "s.duckdb")
    with open_store(tmp_path / "s.duckdb").lease() as lease:
        run = lease.rows("SELECT run_id FROM spans LIMIT 1")[0]["run_id"]
        assert span_children(lease, run=run).rows == ()
        (row,) = span_children(lease, run=run, parent="000000000000000a").rows
        assert row.below == 1
        assert [row.in_circle for row in span_search(lease, run=run, ended="circle")] == [True, True]


def test_origin_and_observation_are_placed_by_what_the_record_says(tmp_path: Path) -> None:
    ingest([str(ROOT / "sample_traces/origins/acceptance.jsonl")], tmp_path / "s.duckdb")
    run = "faultlens:origin-acceptance"
    with open_store(tmp_path / "s.duckdb").lease() as lease:
        spans = run_spans(lease, run=run).rows
        (path,) = origin_paths(origins(lease, run=run).rows, run_errors(lease, run=run).rows, spans)
    assert (path.origin, path.observed) == ("s1", "s3")
    assert step_named("VERIFY / step 3", spans) == "s3"
    assert step_named("EXECUTE", spans) == "s2"
    assert step_named("the moon", spans) is None
