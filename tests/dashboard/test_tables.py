"""Tables: how numbers of things are written, and numbers that say where something stands."""

from __future__ import annotations

import json
from typing import Any

from streamlit.testing.v1 import AppTest


def turned() -> None:
    from dashboard.tables import table

    table([("\u202elive\u202c", "שלום")], {"Name": lambda row: row[0], "Other": lambda row: row[1]}, alt="Texts")


def drawn() -> None:
    from dashboard.tables import count_column, table

    table(
        [(1_234, 12_345, 20, 0.5, None), (7, 1, 3, 2_000.5, None)],
        {
            "Errors": lambda row: row[0],
            "Seq": lambda row: row[1],
            "Few": lambda row: row[2],
            "Seconds": lambda row: row[3],
            "Unknown": lambda row: row[4],
            "Runs": lambda row: row[0],
        },
        alt="Numbers",
        config={"Runs": count_column(help="In how many")},
    )


def test_counts_have_the_separators_of_the_texts_and_places_have_none() -> None:
    app = AppTest.from_function(drawn).run()
    assert not app.exception
    columns: dict[str, Any] = json.loads(app.dataframe[0].proto.columns)
    separated = {"type": "number", "format": "accounting", "step": 1}
    assert {name: column["type_config"] for name, column in columns.items() if "type_config" in column} == {
        "Errors": separated,
        "Runs": separated,
    }


def test_a_text_is_shown_in_the_order_in_which_it_was_recorded() -> None:
    app = AppTest.from_function(turned).run()
    assert not app.exception
    frame = app.dataframe[0].value
    assert list(frame["Name"]) == ["\ufffdlive\ufffd"]
    assert list(frame["Other"]) == ["שלום"]
