"""Texts that an Inspect sample keeps once and refers to by their hash, put back where they belong."""

from __future__ import annotations

from typing import Any

from ingest.vendor.values import mapping

_SCHEMES = ("attachment://", "tc://")
_DEEPEST = 60
_MAY_REFER = (str, dict, list)


def resolved(sample: dict[str, Any]) -> dict[str, Any]:
    """The sample with every reference replaced by its text; one without a text stays a reference."""
    attachments = mapping(sample.get("attachments"))
    if not attachments:
        return sample
    return {key: _resolved(value, attachments, 0) for key, value in sample.items() if key != "attachments"}


def _resolved(value: Any, attachments: dict[str, Any], depth: int) -> Any:
    if isinstance(value, str):
        return _text(value, attachments) if value.startswith(_SCHEMES) else value
    if depth >= _DEEPEST:
        return value
    below = depth + 1
    if isinstance(value, dict):
        return {
            key: _resolved(item, attachments, below) if isinstance(item, _MAY_REFER) else item
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_resolved(item, attachments, below) if isinstance(item, _MAY_REFER) else item for item in value]
    return value


def _text(reference: str, attachments: dict[str, Any]) -> Any:
    return attachments.get(reference.partition("://")[2], reference)
