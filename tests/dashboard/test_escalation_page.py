"""The escalation page: a newcomer reads from one card what happened, how sure that is, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ingest.store import open_store
from queries.escalation.acknowledgements import acknowledgements
from tests.dashboard.test_pages import texts
from tests.queries.attempts import NOON, Store
from tests.queries.full_store import HOSTILE

Opened = Callable[..., AppTest]
RISKY = '[bands.low]\nlow = 0.12\nhigh = 0.35\nrisk_bearing = true\nreviewed_by = "reliability"\n'


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "faultlens.toml").write_text(RISKY)
    made = Store()
    made.rate("low", 1, 80, confidence=0.72, auto_executed=True)
    made.run("low", "RECOVERED", confidence=0.70, auto_executed=True, status="failed")
    made.run("low", None, "ABORTED")
    made.run("low", "ESCALATED", status="vetoed")
    made.rate("high", 60, 80)
    made.rate("few", 1, 3)
    made.rate("fine", 150, 1000)
    made.rate("on edge", 2, 25)
    made.run("silent")
    return made.write(tmp_path / "store.duckdb")


def badges(app: AppTest) -> str:
    return "\n".join(str(element.proto.body) for element in app.get("markdown"))


def test_the_worst_workload_is_open_and_its_card_explains_it(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "escalation")
    assert not app.exception
    said = texts(app)
    assert app.selectbox(key="of").value == "low"
    assert "1 of 82 finished attempts went to a person: 1.2%. That is under the lower edge of its band, 12 %." in said
    assert "Confirmed: the whole 95 % interval" in said
    assert "The system decides what people should decide." in said
    assert "12–35 %, reviewed by reliability" in said
    assert "▼ LOW, confirmed" in badges(app)
    assert "‼ critical" in badges(app)
    assert "⚑ suspected" in badges(app)


@pytest.mark.parametrize(
    ("workload", "said", "badge"),
    [
        ("high", "People are asked more than planned", "▲ HIGH, confirmed"),
        ("few", "3 of 20 needed, so 17 more finished attempts first", "◔ TOO FEW TO SAY"),
        ("fine", "Proven: the whole 95 % interval", "✓ OK, proven"),
        ("on edge", "no number of attempts at this rate would settle it", "✓ OK, unproven"),
        ("silent", "so there is no rate: not 0 %, nothing", "∅ NO DATA"),
    ],
)
def test_every_state_says_what_it_is_by_glyph_and_word(
    dashboard: Opened, store: Path, workload: str, said: str, badge: str
) -> None:
    app = dashboard(store, "escalation", of=workload)
    assert not app.exception
    assert said in texts(app)
    assert badge in badges(app)


def test_too_few_is_never_green(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "escalation", of="few")
    assert ":gray-badge[◔ TOO FEW TO SAY]" in badges(app)
    assert ":green-badge[◔" not in badges(app)


def test_what_is_in_no_rate_is_in_sight(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "escalation", of="low")
    shown = texts(app).splitlines()
    for label in (
        "Aborted, in the denominator",
        "Unfinished attempts",
        "Runs ended by veto",
        "L0 captures",
        "Unknown outcomes",
    ):
        assert label in shown


def test_an_unknown_workload_in_the_address_is_said(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "escalation", of="no-such-thing")
    assert "No workload here has this name:" in texts(app)
    assert "no-such-thing" in texts(app)


def test_another_band_is_tried_and_not_kept(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "escalation", of="high")
    app.slider[0].set_range(50.0, 90.0).run()
    assert not app.exception
    assert "With 50–90 % this reads" in texts(app)
    assert "and would have raised 0 alerts in the last 90 days." in texts(app)
    assert "✓ OK, proven" in badges(app)


def test_an_acknowledgement_is_written_and_shown(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "escalation", of="low")
    app.text_input(key="author low").set_value("Ada")
    app.text_area(key="note low").set_value(HOSTILE)
    app.button[0].click().run()
    assert not app.exception
    with open_store(store).lease() as lease:
        (row,) = acknowledgements(lease)
    assert (row.workload, row.state, row.severity, row.author, row.note) == ("low", "LOW", "critical", "Ada", HOSTILE)
    assert row.until is not None
    again = dashboard(store, "escalation", of="low")
    assert "✓ Acknowledged by Ada" in texts(again)
    assert not [element for element in again.markdown if HOSTILE[:12] in element.value]


def test_an_acknowledgement_without_a_note_is_refused_in_words(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "escalation", of="low")
    app.text_input(key="author low").set_value("Ada")
    app.button[0].click().run()
    assert "needs a note" in texts(app)


def test_a_store_without_attempts_says_so_and_shows_no_zero(dashboard: Opened, tmp_path: Path) -> None:
    made = Store()
    made.run("w")
    app = dashboard(made.write(tmp_path / "s.duckdb"), "escalation")
    assert not app.exception
    assert "not 0 %, nothing" in texts(app)
    assert not app.metric


def test_a_workload_without_times_has_no_days(dashboard: Opened, tmp_path: Path) -> None:
    made = Store()
    made.rate("w", 1, 30, at=None)
    made.run("clock", at=NOON)
    app = dashboard(made.write(tmp_path / "s.duckdb"), "escalation", of="w")
    assert not app.exception
    assert "No attempt of this workload has a time" in texts(app)
    assert "undated" in badges(app)
