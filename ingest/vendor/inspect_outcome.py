"""How an Inspect sample ended: its error, its limit, the log's status, then what a score says of the answer."""

from __future__ import annotations

from typing import Any

from ingest.records import RunStatus
from ingest.vendor.error_text import said
from ingest.vendor.values import mapping, text

# Inspect's own letters; a P or a share between is neither.
_RIGHT, _WRONG = ("C", 1, True), ("I", 0, False)


def outcome(sample: dict[str, Any], log_status: str | None, log_error: dict[str, Any]) -> tuple[RunStatus, str]:
    """The status of the run and the field that decides it; the first that says something does."""
    error = mapping(sample.get("error")) or (log_error if not sample else {})
    if error:
        return "failed", f"recorded: error: {said(text(error.get('message')) or 'without a message')}"
    limit = _limit(sample)
    if log_status == "started":
        also = f"; {limit}" if limit else ""
        return "interrupted", f"recorded: the log's status is started, so the evaluation never finished{also}"
    if limit:
        return "interrupted", f"recorded: {limit}"
    if log_status == "cancelled" and not sample.get("scores"):
        return "aborted", "recorded: the log's status is cancelled, and the sample has no score"
    return _by_score(sample, log_status)


def _limit(sample: dict[str, Any]) -> str | None:
    limit = mapping(sample.get("limit"))
    if not limit:
        return None
    size = text(limit.get("limit"))
    return f"{limit.get('type')} limit{f' of {size}' if size else ''} reached"


def _by_score(sample: dict[str, Any], log_status: str | None) -> tuple[RunStatus, str]:
    scores = {name: mapping(score).get("value") for name, score in mapping(sample.get("scores")).items()}
    shown = ", ".join(f"{name} is {text(value)}" for name, value in scores.items())
    if scores and all(_is_one_of(value, _RIGHT) for value in scores.values()):
        return "succeeded", f"recorded: score {shown}"
    if scores and all(_is_one_of(value, _WRONG) for value in scores.values()):
        return "failed", f"recorded: score {shown}"
    if log_status == "success":
        undecided = f"; no score decides ({shown})" if scores else ""
        return "succeeded", f"recorded: the log's status is success, the sample has no error and no limit{undecided}"
    if log_status == "error" and not sample:
        return "failed", "recorded: the log's status is error"
    return "unknown", f"the log's status is {log_status or 'not recorded'}, and the sample says nothing of its end"


def _is_one_of(value: Any, known: tuple[Any, ...]) -> bool:
    return isinstance(value, str | int | float) and value in known
