"""The dashboard: navigation, the shared filters, and one lease round whatever page is open."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dashboard.address import read_address
from dashboard.filters import draw_filters
from dashboard.freshness import draw_freshness
from dashboard.notices import not_in_this_store, unusable
from dashboard.page import FilePage, pages
from dashboard.reading import lease_for_this_render
from dashboard.sections import section_of_its_own
from ingest.store import FaultlensError

STATIC = Path(__file__).parent / "static"


def main() -> None:
    """The open page is drawn."""
    # Before the navigation, which would otherwise fetch the page's symbol from a font host for the browser tab.
    st.set_page_config(page_title="faultlens", page_icon=str(STATIC / "icon.svg"), layout="wide")
    theme = st.context.theme.type or "light"
    st.logo(str(STATIC / f"logo-{theme}.svg"), size="large", icon_image=str(STATIC / "icon.svg"))
    open_page = st.navigation(
        {group: [_streamlit_page(file) for file in files] for group, files in pages().items()}, expanded=True
    )
    st.set_page_config(page_title=f"{open_page.title} · faultlens")
    read_address()
    try:
        with lease_for_this_render() as reading:
            with st.sidebar:
                complaints = draw_filters()
                draw_freshness(reading)
            for claim, value in complaints:
                not_in_this_store(claim, value)
            with section_of_its_own():
                open_page.run()
    except FaultlensError as refusal:
        unusable(str(refusal))


def _streamlit_page(file: FilePage) -> st.Page:
    page = file.page
    return st.Page(
        file.path,
        title=page.title,
        icon=f":material/{page.icon}:",
        url_path=file.url_path or None,
        help=page.help or None,
        default=file.is_first,
    )


main()
