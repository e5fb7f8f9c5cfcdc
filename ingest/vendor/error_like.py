"""Text that looks like an error, for logs that have no error field. What it finds is derived and names its rule."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ingest.vendor.error_text import exception_class


@dataclass(frozen=True, slots=True)
class Likeness:
    """Why a text was taken for an error, its line, and what that says of it."""

    rule: str
    line: str
    code: str | None = None
    exit_code: str | None = None


# (rule, why, pattern): the first that matches names the error.
_SIGNS: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (rule, why, re.compile(pattern, re.MULTILINE))
    for rule, why, pattern in (
        ("text_exit_code", "an exit code other than 0 is printed", r"^.*\bexit ?code: ?(?P<exit>-?[1-9]\d*).*$"),
        ("text_traceback", "a Python traceback is printed", r"^Traceback \(most recent call last\):"),
        ("text_timed_out", "a command is said to have timed out", r"^.*\bcommand (?:[`'\"].*[`'\"] )?timed out\b.*$"),
        ("text_syntax", "a command is said to be malformed", r"^Your command contains syntax error.*$"),
        ("text_shell", "the shell says it cannot run the command", r"^\S*(?:bash|sh): .*: command not found\s*$"),
        ("text_error_line", "a line begins with an exception's name", r"^[A-Z]\w*(?:Error|Exception): .*$"),
        ("text_error_prefix", "the text begins with Error:", r"\A\s*(?:Error|ERROR): .*"),
    )
)


def likeness(text: str) -> Likeness | None:
    """What makes the text look like an error, or None."""
    for rule, why, pattern in _SIGNS:
        if found := pattern.search(text):
            line = _telling_line(text, found, rule)
            exit_code = found.groupdict().get("exit")
            return Likeness(f"{rule}: {why}", line, exception_class(line), exit_code)
    return None


def _telling_line(text: str, found: re.Match[str], rule: str) -> str:
    """The line that matched; under a traceback, the next one that is not indented."""
    if rule != "text_traceback":
        return found[0].strip()
    below = text[found.end() :].splitlines()
    return next((line.strip() for line in below if line[:1].strip()), found[0].strip())
