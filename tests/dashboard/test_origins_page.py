"""The page “Observed vs originated”: what it shows rests on something, and says on what."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.charts.origins import AFTER, UNKNOWN, origin_heat_map
from ingest.load import ingest
from ingest.reviews import Review, write
from ingest.store import open_store
from queries.origins.origin_matrix import OriginMatrixRow
from tests.dashboard.test_pages import texts
from tests.queries.full_store import HOSTILE

Opened = Callable[..., AppTest]
STORIES = Path(__file__).parents[2] / "sample_traces" / "origins"


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stories") / "stories.duckdb"
    ingest([str(STORIES)], path)
    body = {"verdict": "overridden", "originated_at": "CLASSIFY / limits", "root_cause": HOSTILE}
    write(open_store(path), [Review("faultlens:origin-provisional", "diagnosis", "Mara", body, event_id="e1")])
    return path


def frame(app: AppTest, column: str) -> pd.DataFrame:
    """The one table that has this column."""
    return next(element.value for element in app.dataframe if column in element.value.columns)


def said(app: AppTest) -> str:
    return texts(app, ("text", "caption", "warning", "html"))


def test_the_figures_say_what_they_rest_on(dashboard: Opened, stories: Path) -> None:
    app = dashboard(stories, "origins")
    assert not app.exception
    assert {m.label: m.value for m in app.metric} == {
        "Diagnosed failures": "8",
        "Originated elsewhere": "83.3%",
        "Median distance": "2.5 phases",
        "No origin yet": "9",
    }
    assert "1 reviewed, 7 recorded" in said(app)
    assert "5 of 6, 95 %: 43.6% to 97.0%" in said(app)


def test_the_matrix_stands_as_a_table_too(dashboard: Opened, stories: Path) -> None:
    table = frame(dashboard(stories, "origins"), "Observed in")
    assert table["Failures"].sum() == 8
    assert UNKNOWN in set(table["Observed in"])


def test_every_diagnosis_shows_its_basis_and_its_distance(dashboard: Opened, stories: Path) -> None:
    table = frame(dashboard(stories, "origins"), "Phases").set_index("Run")
    assert table.loc["stale limit used", "Basis"] == "✓ reviewed"
    assert table.loc["refund above limit approved", "Phases"] == 5
    assert table.loc["compile error blamed on the check", "Direction"] == f"{AFTER} origin after its observation"
    assert table.loc["stale limit used", "Fix"] == "◔ observation"


@pytest.mark.parametrize(
    ("respect", "run"),
    [
        ("Provisional fixes", "stale limit used"),
        ("Origin after observation", "compile error blamed on the check"),
        ("Trigger as root cause", "search returns nothing"),
        ("Null preventions", "wrong tone in a reply"),
    ],
)
def test_what_is_open_is_counted_and_listed(dashboard: Opened, stories: Path, respect: str, run: str) -> None:
    app = dashboard(stories, "origins", open=respect)
    assert f"{respect}: 1" in said(app)
    assert list(frame(app, "Prevention")["Run"]) == [run]


def test_hints_name_the_record_that_triggers_them(dashboard: Opened, stories: Path) -> None:
    table = frame(dashboard(stories, "origins"), "Symptom")
    assert len(table) == 7
    assert table["Record"].str.len().min() > 0
    assert table["Because"].str.len().min() > 0


def test_suspicions_are_ranked_and_always_derived(dashboard: Opened, stories: Path) -> None:
    app = dashboard(stories, "origins", run="faultlens:origin-suspected", event="e3")
    table = frame(app, "Evidence")
    assert list(table["Rule"]) == ["error-chain", "data-flow", "delegation", "observed-there"]
    assert set(table["Basis"]) == {"≈ derived"}
    assert "none of them a verdict" in said(app)


def test_a_failure_that_is_not_there_is_said(dashboard: Opened, stories: Path) -> None:
    app = dashboard(stories, "origins", run="faultlens:gone")
    assert "There is no run with this id:" in said(app)
    assert [code.value for code in app.code if code.value == "faultlens:gone"]


def test_the_recorded_value_stands_beside_the_reviewed_one(dashboard: Opened, stories: Path) -> None:
    app = dashboard(stories, "origins", run="faultlens:origin-provisional", event="e1")
    assert "CLASSIFY / limits\n(recorded: PREPARE / step 1)" in said(app)
    assert HOSTILE in said(app), "what a person typed is text too"
    assert not [m for m in app.markdown if HOSTILE in str(m.value)]


def typed(app: AppTest, name: str, value: Any) -> None:
    (element,) = (w for w in [*app.text_input, *app.text_area, *app.selectbox] if w.label == name)
    element.set_value(value)


def author(app: AppTest, value: str) -> None:
    next(w for w in app.text_input if w.label == "Your name").set_value(value)


def pressed(app: AppTest, label: str) -> AppTest:
    return next(button for button in app.button if button.label == label).click().run()


@pytest.fixture
def own(tmp_path: Path) -> Path:
    ingest([str(STORIES / "acceptance.jsonl"), str(STORIES / "suspected.jsonl")], tmp_path / "own.duckdb")
    return tmp_path / "own.duckdb"


def test_a_review_is_saved_with_author_and_stands_in_every_query(dashboard: Opened, own: Path) -> None:
    app = dashboard(own, "origins", run="faultlens:origin-suspected", event="e3")
    typed(app, "Originated at", "EXECUTE / step 2")
    typed(app, "Root cause", "the mapping knows no currency")
    author(app, "Mara")
    app = pressed(app, "Save review")
    assert [s.value for s in app.success] == ["Saved. It is in the store, for everybody."]
    assert "Mara" in said(app)
    table = frame(app, "Phases").set_index("Run")
    assert table.loc["invoice total is wrong", "Basis"] == "✓ reviewed"


def test_saving_what_is_recorded_unchanged_confirms_it(dashboard: Opened, own: Path) -> None:
    app = dashboard(own, "origins", run="faultlens:origin-acceptance", event="e1")
    author(app, "Mara")
    app = pressed(app, "Save review")
    assert list(frame(app, "State")["What"]) == ["confirmed"]


def test_the_trigger_is_refused_as_root_cause_and_nothing_typed_is_lost(dashboard: Opened, own: Path) -> None:
    app = dashboard(own, "origins", run="faultlens:origin-acceptance", event="e1")
    typed(app, "Root cause", "A refund of 740 came in")
    author(app, "Mara")
    app = pressed(app, "Save review")
    assert [e.value for e in app.error] == ["Not saved; nothing you typed is lost."]
    assert "the trigger is not the root cause" in said(app)
    assert next(w.value for w in app.text_area if w.label == "Root cause") == "A refund of 740 came in"
    with open_store(own).lease() as lease:
        assert lease.rows("SELECT count(*) AS n FROM reviews") == [{"n": 0}]


def test_a_null_prevention_is_flagged_at_entry(dashboard: Opened, own: Path) -> None:
    app = dashboard(own, "origins", run="faultlens:origin-suspected", event="e3")
    typed(app, "Prevention", "be more careful")
    author(app, "Mara")
    app = pressed(app, "Save review")
    assert any("prevents nothing" in w.value for w in app.warning)


def test_a_review_without_a_name_is_refused(dashboard: Opened, own: Path) -> None:
    app = pressed(dashboard(own, "origins", run="faultlens:origin-acceptance", event="e1"), "Mark resolved")
    assert "author is missing" in said(app)


def test_what_somebody_else_saved_meanwhile_is_said_and_both_are_kept(dashboard: Opened, own: Path) -> None:
    app = dashboard(own, "origins", run="faultlens:origin-acceptance", event="e1")
    typed(app, "Root cause", "nobody wrote the limit down")
    body = {"verdict": "overridden", "root_cause": "the limit is in another document"}
    write(open_store(own), [Review("faultlens:origin-acceptance", "diagnosis", "Tom", body, event_id="e1")])
    app.run()
    assert "Tom saved a review since this form was opened. What you typed is still here." in said(app)
    author(app, "Mara")
    app = pressed(app, "Save review")
    assert "2 reviews stand side by side" in said(app)
    assert set(frame(app, "State")["Who"]) == {"Tom", "Mara"}


def pair(observed: str | None, originated: str | None, failures: int, after: int = 0) -> OriginMatrixRow:
    return OriginMatrixRow(
        observed, originated, failures, 0, failures, 0, failures if observed and originated else 0, after
    )


def test_the_heat_map_keeps_the_order_of_the_phases_and_does_not_shade_what_is_in_none() -> None:
    pairs = [pair("VERIFY", "PLAN", 3), pair("EXECUTE", "VERIFY", 1, after=1), pair(None, None, 90)]
    figure = origin_heat_map(pairs, ["PLAN", "EXECUTE", "VERIFY"], "#000")
    heat = figure.data[0]
    assert list(figure.layout.yaxis.ticktext) == ["EXECUTE", "VERIFY", UNKNOWN]
    assert list(figure.layout.xaxis.ticktext) == ["PLAN", "VERIFY", UNKNOWN]
    assert [list(row) for row in heat.text] == [["", f"1 {AFTER}", ""], ["3", "", ""], ["", "", "90"]]
    assert [list(row) for row in heat.z] == [[None, 1, None], [3, None, None], [None, None, 0]]
