"""What an error text names: the exception class at its end, and the line that says it."""

from __future__ import annotations

import re

_CLASS = re.compile(r"(?P<name>(?:[A-Za-z_]\w*\.)*[A-Z]\w*)(?=\s*(?:[:(]|$))")
_TELLING = re.compile(r"(?:\w(?:Error|Interrupt|Timeout|Exit|Denied|Refused|Exceeded|Warning|Fault)|Exception)$")
_TRACEBACK = "Traceback (most recent call last)"


def last_line(error: str) -> str:
    """The last line that is not blank: the one that names the exception under a traceback."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    return lines[-1] if lines else error.strip()


def said(error: str) -> str:
    """The line that says what went wrong: the last one of a traceback, else the first."""
    if _TRACEBACK in error:
        return last_line(error)
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    return lines[0] if lines else error.strip()


def exception_class(error: str) -> str | None:
    """The exception class that the text names, without its module; None for prose."""
    for line in (said(error), error.strip()):
        found = _CLASS.match(line)
        if found and _is_code(found["name"], line):
            return found["name"].rpartition(".")[2]
    return None


def _is_code(name: str, line: str) -> bool:
    """`ValueError: …` and `Interrupt(…)` are codes; `Request: …` and `Failed` are words."""
    bare = name.rpartition(".")[2]
    return bool(_TELLING.search(bare)) or (line.startswith(f"{name}(") and bare[:1].isupper() and not bare.isupper())
