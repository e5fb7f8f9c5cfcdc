"""How findings read on the screen: a glyph and a word stand beside every colour."""

from __future__ import annotations

import json

from dashboard.wording import ABSENT, Sign

SEVERITIES: dict[str, Sign] = {
    "critical": Sign("◆", "red", "somebody may already have relied on it"),
    "error": Sign("✕", "orange", "the records break a rule that must hold"),
    "warning": Sign("▲", "yellow", "worth a look: a status, a plan or a diagnosis does not fit"),
}
_UNLISTED = Sign("?", "gray", "a severity outside the list")


def severity(name: str) -> str:
    """Glyph and word of a severity."""
    return f"{severity_sign(name).glyph} {name}"


def severity_sign(name: str) -> Sign:
    """The sign of a severity."""
    return SEVERITIES.get(name, _UNLISTED)


def evidence(text: str | None) -> str:
    """The recorded values that decide, as one line; what is not there is left away."""
    if not text:
        return ABSENT
    found = json.loads(text)
    told = (
        f"{name.replace('_', ' ')}: {_value(value)}" for name, value in found.items() if value not in (None, [], "")
    )
    return " · ".join(told)


def _value(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
