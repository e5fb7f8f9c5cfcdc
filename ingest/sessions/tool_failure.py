"""What a failed tool call says of itself: its class only where the text states it, its exit code, a denial."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BEGINNING = 4_000


@dataclass(frozen=True, slots=True)
class Said:
    """The class the text states with the words that state it, and the exit code."""

    tool_error_class: str | None = None
    rule: str | None = None
    exit_code: str | None = None

    @property
    def is_denial(self) -> bool:
        """Somebody said no."""
        return self.tool_error_class == "policy_denial"


_SIGNS: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (tool_error_class, why, re.compile(pattern, re.IGNORECASE))
    for tool_error_class, why, pattern in (
        ("policy_denial", "the user refused the call", r"^the user doesn't want to (?:proceed|take this action)"),
        ("policy_denial", "the user refused the call", r"\brejected by (?:the )?user\b"),
        ("policy_denial", "permission was denied", r"\bpermission to use \w.{0,80}\bdenied\b"),
        ("policy_denial", "permission was not granted", r"\byou haven't granted it yet\b"),
        ("policy_denial", "a hook blocked the call", r"^\w*hook\b.{0,200}\b(?:blocked|denied)\b"),
        ("invocation", "the input does not fit the tool", r"\bInputValidationError\b"),
        ("invocation", "there is no such tool", r"\bno such tool available\b|^unsupported call:"),
        ("invocation", "the arguments cannot be read", r"\bfailed to parse function arguments\b"),
        ("state_conflict", "the file was not read before", r"\bfile has not been read yet\b"),
        ("state_conflict", "the file changed since it was read", r"\bfile has been (?:unexpectedly )?modified\b"),
        ("state_conflict", "the text to replace is not there", r"\bstring to replace not found in file\b"),
        ("unknown_outcome", "the command timed out", r"\bcommand timed out\b"),
    )
)
# One of these words stands in every text that a sign fits, or it begins as some of them do.
_TELLING = (
    "rejected by", "permission to use", "granted it yet", "inputvalidationerror", "no such tool", "parse function",
    "been read yet", "modified", "replace not found", "timed out",
)  # fmt: skip
_BEGINS = re.compile(r"the user doesn't want to|\w*hook\b|unsupported call:", re.IGNORECASE)
# Letters that a pattern takes for i, s and k as well, and `lower` does not.
_ODD_LETTERS = ("\u0130", "\u0131", "\u017f", "\u212a")
_EXIT_CODE = re.compile(
    r"^(?:Error: )?(?:Exit code|Process exited with code):? ?(-?\d+)\b", re.IGNORECASE | re.MULTILINE
)


def said_in(text: str, exit_code: str | None = None) -> Said:
    """What the text of a failed call states."""
    beginning = text[:_BEGINNING].strip().removeprefix("<tool_use_error>")
    lowered = beginning.lower()
    is_odd = not beginning.isascii() and any(letter in beginning for letter in _ODD_LETTERS)
    code = exit_code or (exit_code_in(beginning) if is_odd or "exit" in lowered else None)
    if is_odd or _BEGINS.match(beginning) or any(word in lowered for word in _TELLING):
        for tool_error_class, why, pattern in _SIGNS:
            if pattern.search(beginning):
                return Said(tool_error_class, f"stated: {why}", code)
    if code not in (None, "0"):
        return Said("execution", "exit_code: the command ran and ended with a code other than 0", code)
    return Said(None, None, code)


def exit_code_in(text: str) -> str | None:
    """The exit code that the head of a tool's output names."""
    found = _EXIT_CODE.search(text[:_BEGINNING].partition("\nOutput:")[0])
    return found[1] if found else None
