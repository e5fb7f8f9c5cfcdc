"""The place that a text names: the first path:line in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A file's ending is what tells src/auth.py:87 from a host and its port.
_ENDINGS = (
    "py|pyi|ipynb|js|jsx|mjs|cjs|ts|tsx|vue|svelte|go|rs|java|kt|kts|scala|rb|php|pl|lua|r|jl|c|h|cc|cpp|cxx|hpp|cs|fs|m|mm|"
    "swift|dart|ex|exs|erl|clj|hs|ml|sh|bash|zsh|ps1|sql|proto|graphql|tf|yml|yaml|json|jsonl|toml|ini|cfg|conf|xml|gradle|"
    "html|css|scss|md|rst|txt|csv|tsv|lock"
)
_PATH_AND_LINE = re.compile(
    rf"(?<![\w./\\:@-])(?P<path>(?:[A-Za-z]:[\\/]|~?[\\/]|\.{{1,2}}[\\/])?(?:[\w.@+-]{{1,200}}[\\/]){{0,40}}"
    rf"[\w@+-][\w.@+-]{{0,200}}?\.(?:{_ENDINGS})):(?P<line>\d{{1,7}})(?!\d)"
)


@dataclass(frozen=True, slots=True)
class Named:
    """A file and the line in it, as text."""

    path: str
    line: str


def location_in(text: str) -> Named | None:
    """The first path:line of the text."""
    match = _PATH_AND_LINE.search(text) if ":" in text and "." in text else None
    return Named(match["path"], match["line"]) if match else None
