"""What dashboard/address.py needs of Streamlit beyond its public interface, which has no way to read the address."""

from __future__ import annotations

import inspect

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state import SafeSessionState
from streamlit.runtime.state.query_params import QueryParams
from streamlit.testing.v1 import AppTest

GONE = f"Streamlit {st.__version__} has changed what dashboard/address.py uses: {{}}. Is there a public way now?"


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("populate_from_query_string", 1),
        ("is_bound", 1),
        ("set_with_no_forward_msg", 2),
        ("discard_param_no_forward_msg", 1),
    ],
)
def test_the_address_is_read_and_written_unsent(method: str, parameters: int) -> None:
    there = getattr(QueryParams, method, None)
    assert there is not None, GONE.format(f"QueryParams.{method} is gone")
    required = [p for p in inspect.signature(there).parameters.values() if p.default is p.empty][1:]
    assert len(required) == parameters, GONE.format(f"QueryParams.{method} takes {required}")


def test_a_run_of_the_page_knows_the_query_of_its_browser() -> None:
    assert "query_string" in inspect.get_annotations(ScriptRunContext), GONE.format("the context has no query_string")
    assert hasattr(SafeSessionState, "query_params"), GONE.format("the session has no query_params()")
    assert callable(get_script_run_ctx)


def test_what_is_typed_is_known_before_the_browser_sends_it() -> None:
    def page() -> None:
        import streamlit as st

        from dashboard.address import read_address

        read_address()
        st.text_input("Search", key="search", bind="query-params")
        st.caption(f"known: {st.query_params.get('search', 'nothing')}")

    app = AppTest.from_function(page).run()
    assert app.caption[0].value == "known: nothing"
    app.text_input[0].set_value("limits").run()
    assert app.caption[0].value == "known: limits"
    app.text_input[0].set_value("").run()
    assert app.caption[0].value == "known: nothing"
    assert not app.exception
