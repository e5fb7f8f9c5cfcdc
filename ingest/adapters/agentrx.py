"""AgentRx: the failed trajectories of its tool-calling set, and what its annotators found in a trajectory.

A trajectory's id is text in one file and a number in another; both are the run's id as text. Steps are counted
from 1 there and from 0 here: the text of a diagnosis names the step of the run, the recorded number is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.adapter import Adapter, Item, Parsed, Rejected
from ingest.records import Diagnosis, ErrorEvent, Record, Run, run_key
from ingest.source import Head, Source
from ingest.vendor.json_values import Unit, glimpses, units
from ingest.vendor.message_records import Conversation, message_records
from ingest.vendor.values import mapping, sequence, storable, text, whole

SOURCE = "agentrx"
ANNOTATORS = "AgentRx annotators"
# Orders of one message, as its records number them; what the annotators found stands behind all of them.
_PER_MESSAGE = 10
_BEHIND = 8
_FARTHEST = 10**9
# The same category under two spellings.
_CATEGORIES = {
    "instruction adherence failure": "Instruction/Plan Adherence Failure",
    "intent not supported": "Intent Not Supported",
}


def recognise(head: Head) -> bool:
    """Objects with a trajectory and its failures, or with a task's messages under `traj`."""
    seen = list(glimpses(head))
    return bool(seen) and (all(map(_is_labelled, seen)) or all(map(_is_trajectory, seen)))


def _is_labelled(value: dict[str, Any]) -> bool:
    return "trajectory_id" in value and isinstance(value.get("failures"), list)


def _is_trajectory(value: dict[str, Any]) -> bool:
    return "task_id" in value and isinstance(value.get("traj"), list)


def read(source: Source) -> Iterator[Item]:
    """Every trajectory, message by message, and every labelled one, failure by failure."""
    for unit in units(source):
        if not isinstance(unit, Unit):
            yield unit
        elif isinstance(unit.value, dict) and _is_labelled(unit.value):
            yield from _labels(unit)
        elif isinstance(unit.value, dict) and _is_trajectory(unit.value):
            yield from _trajectory(unit)
        else:
            yield Rejected(
                unit.place, "unknown_record", "a trajectory has `traj`, its labels have `failures`", unit.raw
            )


def _trajectory(unit: Unit) -> Iterator[Item]:
    native_id = _id(unit.value["task_id"])
    if native_id is None:
        yield Rejected(unit.place, "missing_run_id", "a trajectory needs a task_id", unit.raw)
        return
    messages = [message for message in unit.value["traj"] if isinstance(message, dict)]
    yield Parsed(unit.place, (_run(native_id, unit, messages),))
    conversation = Conversation(run_key(SOURCE, native_id), native_id)
    for index, message in enumerate(messages):
        yield Parsed(unit.place, message_records(message, conversation, index, unit.flags))


def _run(native_id: str, unit: Unit, messages: list[dict[str, Any]]) -> Run:
    reward = unit.value.get("reward")
    judged = isinstance(reward, int | float) and not isinstance(reward, bool) and reward in (0, 1)
    asked = next((text(message.get("content")) for message in messages if message.get("role") == "user"), None)
    beside = {key: value for key, value in unit.value.items() if key != "traj" and value is not None}
    return Run(
        run_id=run_key(SOURCE, native_id), event_id="trajectory", recorded_seq=-1, source=SOURCE, native_id=native_id,
        name=asked[:200] if asked else None, clock="none", flags=unit.flags, attributes=storable(beside),
        status=("succeeded" if reward else "failed") if judged else "unknown",
        status_reason=f"recorded: reward is {reward:g}" if judged else "no verdict stands beside the messages",
    )  # fmt: skip


def _labels(unit: Unit) -> Iterator[Item]:
    native_id = _id(unit.value["trajectory_id"])
    if native_id is None:
        yield Rejected(unit.place, "missing_run_id", "labels need a trajectory_id", unit.raw)
        return
    found = [mapping(failure) for failure in sequence(unit.value["failures"])]
    failures = [failure for failure in found if _is_placed(failure)]
    for failure in found:
        if failure not in failures:
            why = f"trajectory {native_id}: a failure needs a step_number from 1"
            yield Rejected(unit.place, "invalid_field", why, str(failure))
    cause = mapping(unit.value.get("root_cause"))
    wanted = _id(cause.get("failure_id"))
    root = next((failure for failure in failures if _id(failure.get("failure_id")) == wanted), None)
    yield Parsed(unit.place, tuple(_found(run_key(SOURCE, native_id), unit, failures, root, cause)))


def _is_placed(failure: dict[str, Any]) -> bool:
    number = whole(failure.get("step_number"))
    return number is not None and 1 <= number < _FARTHEST


def _found(
    run_id: str, unit: Unit, failures: list[dict[str, Any]], root: dict[str, Any] | None, cause: dict[str, Any]
) -> Iterator[Record]:
    """Every failure that was observed, each with the one that is the root of them all."""
    flags = unit.flags if root or not cause else (*unit.flags, "root_cause_without_failure")
    kept = {key: unit.value[key] for key in ("failure_summary", "root_cause") if unit.value.get(key) is not None}
    yield Run(
        run_id=run_id, event_id="labels", source=SOURCE, native_id=run_id.partition(":")[2], clock="none", flags=flags,
        attributes=storable({"label": kept}),
    )  # fmt: skip
    for number, failure in enumerate(failures):
        error = _error(run_id, failure, number)
        yield error
        yield _diagnosis(error, root, cause)


def _error(run_id: str, failure: dict[str, Any], number: int) -> ErrorEvent:
    step = _step(failure)
    category = text(failure.get("failure_category"))
    return ErrorEvent(
        run_id=run_id,
        event_id=f"failure/{_id(failure.get('failure_id')) or number}",
        recorded_seq=step * _PER_MESSAGE + _BEHIND,
        span_id=str(step),
        type=_CATEGORIES.get((category or "").casefold(), category),
        step_index=step,
        agent=text(failure.get("failed_agent")),
        details=text(failure.get("step_reason")),
        observed_at=f"step {step}",
        attributes=storable({key: value for key, value in failure.items() if value is not None}),
    )


def _diagnosis(error: ErrorEvent, root: dict[str, Any] | None, cause: dict[str, Any]) -> Diagnosis:
    return Diagnosis(
        run_id=error.run_id,
        event_id=f"{error.event_id}/diagnosis",
        recorded_seq=error.recorded_seq,
        for_event=error.event_id,
        observed_at=error.observed_at,
        originated_at=None if root is None else f"step {_step(root)}",
        root_cause=text(cause.get("reason_for_root_cause")),
        author=ANNOTATORS,
    )


def _step(failure: dict[str, Any]) -> int:
    """The step of the run: the set counts from 1."""
    return (whole(failure["step_number"]) or 1) - 1


def _id(value: Any) -> str | None:
    """An id as text, whether it was written as text or as a number."""
    return None if value is None or isinstance(value, bool | float | dict | list) or value == "" else str(value)


ADAPTER = Adapter(
    name=SOURCE,
    version=1,
    title="AgentRx trajectories (tool-calling) and ground truth",
    recognised_by="a list of objects with `trajectory_id` and `failures`, or with `task_id` and `traj`",
    yields=("runs", "spans", "errors", "diagnoses"),
    recognise=recognise,
    read=read,
    record_is="trajectory, message or labelled trajectory",
)
