"""The Context Diff page over the stories of sample_traces/context."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ingest.load import ingest
from tests.dashboard.test_pages import OURS, markup, texts
from tests.queries.context.written import Item, context, store_of
from tests.queries.full_store import HOSTILE

SAMPLES = Path(__file__).parents[2] / "sample_traces" / "context"
Opened = Callable[..., AppTest]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("context_page") / "store.duckdb"
    ingest([str(SAMPLES)], path)
    return path


def badges(app: AppTest) -> str:
    return "\n".join(element.value for element in app.markdown)


def test_over_all_runs_it_shows_stages_worklist_contradiction_and_steps(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "context_diff")
    assert not app.exception
    assert [heading.value for heading in app.subheader] == [
        "Where context is lost",
        "Who loses it, and when",
        "Worklist",
        "Recorded class against the sets",
        "Steps that lost context",
    ]
    assert "retrieval_failure is recorded" in texts(app)
    assert "Do not change the model, the prompt or the reranker first" in texts(app)


def test_a_loss_with_everything_above_it_evaluable_is_proven(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "context_diff", run="ctx-budget", step="1")
    assert "3 budget or composition drop" in badges(app)
    assert "Everything above it was evaluated" in texts(app)
    assert "Read literally, difference 2" in texts(app)


def test_a_loss_below_a_set_that_nobody_recorded_is_localised_and_not_proven(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "context_diff", run="ctx-unproven", step="1")
    assert "localised, not proven" in badges(app)
    assert "2, 3 (not recorded: eligible)" in texts(app)


def test_a_step_of_which_nothing_can_be_said_says_so(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "context_diff", run="ctx-unproven", step="2")
    assert "nothing evaluable" in badges(app)
    assert "No difference has both its sides recorded" in texts(app)


def test_without_a_step_in_the_address_the_first_that_lost_something_is_shown(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "context_diff", run="ctx-journey")
    assert "Shown is the first step that lost something." in texts(app)
    assert "step 2 · Builder · EXECUTE" in texts(app)


def test_an_item_is_followed_through_the_run(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "context_diff", run="ctx-journey")
    assert (
        "adr-7: lost at step 2 (3 budget or composition drop), back at step 3, lost at step 4 (1 retrieval omission), "
        "back at step 5 in a stale revision (3, current is 4)."
    ) in texts(app)


def test_a_step_that_is_not_there_is_said_and_not_replaced(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "context_diff", run="ctx-budget", step="99")
    assert "This run has no context sets at this step" in texts(app)
    assert "One step" not in [heading.value for heading in app.subheader]


def test_a_run_that_is_not_there_is_said(dashboard: Opened, store: Path) -> None:
    assert "There is no run with this id" in texts(dashboard(store, "context_diff", run="nobody"))


def test_a_run_without_sets_says_how_to_record_them(dashboard: Opened, tmp_path: Path) -> None:
    bare = store_of(tmp_path, [{"record": "run", "run_id": "r"}])
    assert "emit.context" in texts(dashboard(bare, "context_diff", run="r"))
    assert "emit.context" in texts(dashboard(bare, "context_diff"))


def test_required_items_of_faultlens_toml_are_marked_as_derived(
    dashboard: Opened, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "faultlens.toml").write_text('[required.onboarding]\n"*" = ["privacy-notice"]\n', encoding="utf-8")
    app = dashboard(store, "context_diff", run="ctx-declared", step="1")
    assert "1 retrieval omission" in badges(app)
    assert "The required items are derived. Faultlens.toml" in texts(app)


def test_recorded_text_is_never_markup(dashboard: Opened, tmp_path: Path) -> None:
    hostile: dict[str, list[Item]] = {
        "required": [(HOSTILE, None), ("b", None)],
        "retrieved": [("b", HOSTILE)],
        "current": [(HOSTILE, HOSTILE)],
    }
    records = [
        {"record": "run", "run_id": "r", "workload": HOSTILE, "name": HOSTILE},
        {**context(HOSTILE, hostile), "agent": HOSTILE, "phase": HOSTILE},
        {"record": "error_event", "run_id": "r", "type": HOSTILE, "span_id": HOSTILE, "context_failure_class": HOSTILE},
    ]
    for address in ({}, {"run": "r"}):
        app = dashboard(store_of(tmp_path, records, f"s{len(address)}"), "context_diff", **address)
        assert not app.exception
        assert HOSTILE[:12] not in badges(app)
        assert markup(app) <= OURS
