"""Inspect's own types of tool errors as tool error classes."""

from __future__ import annotations

# Left out: unknown, and the limits of an output's length, which say nothing of what kind of wrong the call was.
_CLASSES = {
    "parsing": "invocation",
    "timeout": "unknown_outcome",
    "unicode_decode": "execution",
    "permission": "policy_denial",
    "file_not_found": "execution",
    "is_a_directory": "execution",
    "approval": "policy_denial",
}


def tool_error_class(error_type: str | None) -> str | None:
    """The class of a tool error by its recorded type; None where the type does not say."""
    return _CLASSES.get(error_type or "")
