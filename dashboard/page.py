"""What a page is, and which there are: every file in `views/` that defines `PAGE`."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

VIEWS = Path(__file__).parent / "views"
GROUPS = ("Incident review", "Reliability", "Data")


@dataclass(frozen=True, slots=True)
class Page:
    """A page's place in the navigation; `icon` is the name of a Material symbol, `help` says what the page answers."""

    title: str
    group: str
    order: int
    icon: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class FilePage:
    """A page together with the file that draws it."""

    page: Page
    path: Path

    @property
    def url_path(self) -> str:
        """The page's name in the address; the first page is the address itself."""
        return "" if self.is_first else self.path.stem

    @property
    def is_first(self) -> bool:
        """Whether this page opens when the address names none."""
        return self == next(iter(pages().values()))[0]


@cache
def pages() -> dict[str, list[FilePage]]:
    """The pages by group, each group in order; the groups the product knows stand first."""
    found = [FilePage(_declared(path), path) for path in sorted(VIEWS.glob("[!_]*.py"))]
    names = [*GROUPS, *sorted({file.page.group for file in found} - set(GROUPS))]
    grouped = {name: [file for file in found if file.page.group == name] for name in names}
    return {name: sorted(files, key=_place) for name, files in grouped.items() if files}


def _place(file: FilePage) -> tuple[int, str]:
    return file.page.order, file.page.title


def _declared(path: Path) -> Page:
    page = importlib.import_module(f"dashboard.views.{path.stem}").PAGE
    if not isinstance(page, Page):
        raise TypeError(f"{path}: PAGE is no Page")
    return page
