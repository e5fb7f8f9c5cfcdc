"""HTTP answers of the runtime kept as JSON: a failure envelope is a run that was refused before it began."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.adapter import Item, Parsed, Place, Skipped
from ingest.bijux.runtime_run import SOURCE
from ingest.records import Event, Run, run_key
from ingest.vocabulary import CONTRACT_CLASS

_ENVELOPE = frozenset({"failure_class", "reason_code", "violated_contract"})
_ANSWER = frozenset({"status", "body"})
_HEALTH = (frozenset({"status"}), frozenset({"ready"}))
NOT_IMPLEMENTED = 501


def is_envelope(value: Any) -> bool:
    """A failure envelope's body."""
    return isinstance(value, dict) and value.keys() >= _ENVELOPE


def is_answer(value: Any) -> bool:
    """A status and the body that came with it."""
    return isinstance(value, dict) and value.keys() >= _ANSWER and isinstance(value["body"], dict)


def is_refusal(value: Any) -> bool:
    """A failure envelope, with or without the answer round it."""
    return is_envelope(value) or (is_answer(value) and is_envelope(value["body"]))


def is_named_answers(value: Any) -> bool:
    """Names with their answers, one of which at least is a refusal."""
    if not isinstance(value, dict) or not value:
        return False
    answers = list(value.values())
    return all(is_answer(answer) for answer in answers) and any(is_refusal(answer) for answer in answers)


def named_items(answers: dict[str, Any], place: Place, found_at: str) -> Iterator[Item]:
    """Every named answer as a refused run, or skipped where it refuses nothing."""
    for name, answer in answers.items():
        yield item(answer, place, f"{found_at}#{name}", name)


def item(value: dict[str, Any], place: Place, found_at: str, name: str | None = None) -> Item:
    """One answer as a refused run; health checks and other bodies are left out."""
    status, body = (value["status"], value["body"]) if is_answer(value) else (None, value)
    if not is_envelope(body):
        is_health = frozenset(body) in _HEALTH
        return Skipped(place, "health_check" if is_health else "no_failure_envelope")
    return Parsed(place, _refused(found_at, name, status, body))


def _refused(found_at: str, name: str | None, http_status: Any, body: dict[str, Any]) -> tuple[Run, Event]:
    recorded = str(body["failure_class"])
    contract_class = CONTRACT_CLASS.matched(recorded) or recorded
    violated = str(body["violated_contract"])
    reason = _reason(http_status, violated, contract_class)
    flags = () if CONTRACT_CLASS.matched(recorded) else ("unknown_value",)
    run = Run(
        run_id=run_key(SOURCE, found_at),
        source=SOURCE,
        native_id=found_at,
        identity="derived",
        name=name,
        status="refused",
        status_reason=reason,
        stop_reason=violated,
        state_at_failure="preparation_refused",
        contract_class=contract_class,
        clock="none",
        flags=flags,
        attributes={"http_status": http_status, **body, "contract_class_basis": "recorded"},
    )
    event = Event(run_id=run.run_id, event_id="refusal", kind="refusal", name=violated, summary=reason, attributes=body)
    return run, event


def _reason(http_status: Any, violated: str, contract_class: str) -> str:
    """The reason_code is the same in every envelope and says nothing; the violated contract does."""
    answered = f" with HTTP {http_status}" if http_status is not None else ""
    boundary = "; a capability boundary, not transient" if http_status == NOT_IMPLEMENTED else ""
    return f"refused before execution{answered}: {violated} ({contract_class}){boundary}"
