"""Secrets out of text before anybody sees it: what is stored beside a rejection, shown, reported or exported."""

from __future__ import annotations

import re

MASK = "[masked]"

# The value only; the name of the variable or header stays, because that is what a reviewer needs.
_PATTERNS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern, flags)
    for pattern, flags in (
        (r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
        (r"\b(?:sk|pk|rk)-(?:ant-|proj-|lf-|live-|test-)?[A-Za-z0-9_-]{16,}", 0),
        (r"\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}", 0),
        (r"\bgh[pousr]_[A-Za-z0-9]{20,}", 0),
        (r"\bgithub_pat_[A-Za-z0-9_]{20,}", 0),
        (r"\bglpat-[A-Za-z0-9_-]{16,}", 0),
        (r"\bxox[abeprs]-[A-Za-z0-9-]{10,}", 0),
        (r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", 0),
        (r"\bAIza[A-Za-z0-9_-]{30,}", 0),
        (r"\bhf_[A-Za-z0-9]{20,}", 0),
        (r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", 0),
        (r"(?<=://)[^/\s:@\"']+:[^/\s@\"']+(?=@)", 0),
        (r"(?i)(?<=bearer )[A-Za-z0-9._~+/=-]{12,}", 0),
    )
)
_NAMED = re.compile(
    # The name begins at the telling word, and its rest is bounded: a text of a megabyte is read once, not squared.
    r"""(?P<name>(?:api[_-]?key|secret|token|passw(?:or)?d|private[_-]?key|access[_-]?key|credential)
    [A-Za-z0-9_.-]{0,64}+)(?P<between>\\?["']?\s*[:=]\s*\\?["']?)(?P<value>[^\s"'\\,;}&]{8,})""",
    re.IGNORECASE | re.VERBOSE,
)
_NO_SECRET = re.compile(r"\d+(?:\.\d+)?|true|false|null|none|\$\{?\w+\}?|<[^>]*>|\[masked\]|\*+", re.IGNORECASE)


def masked(text: str) -> str:
    """The text with every secret's value masked."""
    return mask(text)[0]


def mask(text: str) -> tuple[str, int]:
    """The text with every secret's value masked, and how many there were."""
    count = 0
    for pattern in _PATTERNS:
        text, found = pattern.subn(MASK, text)
        count += found

    def named(match: re.Match[str]) -> str:
        nonlocal count
        if _NO_SECRET.fullmatch(match["value"]):
            return match[0]
        count += 1
        return f"{match['name']}{match['between']}{MASK}"

    return _NAMED.sub(named, text), count
