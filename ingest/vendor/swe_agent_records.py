"""A SWE-agent trajectory as records: its outcome from `exit_status`, its steps in the order of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from ingest.records import ErrorEvent, Record, Run, RunStatus, Span, file_run_key
from ingest.vendor.error_like import likeness
from ingest.vendor.failure import failure
from ingest.vendor.values import Notes, mapping, sequence, storable, text, within, words

SOURCE = "swe-agent"
_LIMIT: Final = "interrupted"
_BROKE: Final = "failed"
_EXIT: dict[str, tuple[RunStatus, str]] = {
    "exit_cost": (_LIMIT, "the cost limit was reached"),
    "exit_context": (_LIMIT, "the context window was full"),
    "exit_total_execution_time": (_LIMIT, "the limit of execution time was reached"),
    "early_exit": (_LIMIT, "the run ended early"),
    "exit_format": (_BROKE, "the model's output could not be parsed, again and again"),
    "exit_error": (_BROKE, "an error that nothing handled"),
    "exit_api": (_BROKE, "the model's interface failed"),
    "exit_command": (_BROKE, "a command failed"),
    "exit_command_timeout": (_BROKE, "commands timed out again and again"),
    "exit_environment_error": (_BROKE, "the environment failed"),
    "exit_forfeit": ("aborted", "the agent gave up"),
}
_SUBMITTED = re.compile(r"submitted(?:\s*\((?P<after>\w+)\))?")
_TAKEN_INFO = frozenset({"exit_status"})
_CONSUMED = ("action", "observation", "thought", "response", "execution_time", "state", "extra_info", "tool_calls")


def run_id_of(trajectory: dict[str, Any], native_id: str) -> str:
    """The run's key: the file is named after the task, which other agents try too; the first step tells them apart."""
    steps = steps_of(trajectory) or sequence(trajectory.get("history"))
    return file_run_key(SOURCE, native_id, steps[:1])


def run_record(
    trajectory: dict[str, Any], run_id: str, native_id: str, steps: int, flags: Iterable[str]
) -> tuple[Record, ...]:
    """The run, and the error that ended it where its exit status names one."""
    notes = Notes()
    notes.add(*flags)
    info = mapping(trajectory.get("info"))
    status, reason = _outcome(info, notes)
    exit_status = text(info.get("exit_status"))
    run = Run(
        run_id=run_id,
        event_id="trajectory",
        recorded_seq=-1,
        source=SOURCE,
        native_id=native_id,
        identity="derived",
        name=_task(trajectory) or native_id,
        status=status,
        status_reason=reason,
        stop_reason=exit_status,
        clock="none",
        attributes=notes.attributes({"environment": trajectory.get("environment"), **info}, _TAKEN_INFO),
        flags=notes.all(),
    )
    return run, *_exit_error(run, exit_status, steps)


def _task(trajectory: dict[str, Any]) -> str | None:
    """The first line of the task, from the prompt that holds it."""
    for message in sequence(trajectory.get("history")):
        found = re.search(r"ISSUE:\s*\n(.+)", text(mapping(message).get("content")) or "")
        if found:
            return words(found[1])
    return None


def _outcome(info: dict[str, Any], notes: Notes) -> tuple[RunStatus, str]:
    if (resolved := _evaluation(info)) is not None:
        return (
            ("succeeded", "recorded: evaluation, resolved")
            if resolved
            else ("failed", "recorded: evaluation, not resolved")
        )
    if "exit_status" not in info:
        return "unknown", "the file holds no exit_status"
    recorded = text(info["exit_status"])
    if recorded is None:
        return "interrupted", "recorded: exit_status is null, so the run ended early"
    if submitted := _SUBMITTED.fullmatch(recorded.strip()):
        return "unknown", _submitted(submitted["after"])
    if found := _EXIT.get(recorded.strip()):
        return found[0], f"recorded: exit_status {recorded}: {found[1]}"
    notes.add("unknown_value")
    return "unknown", f"recorded exit_status {recorded!r} is none of the known ones"


def _submitted(after: str | None) -> str:
    before = (
        f"the patch was submitted automatically after {after}"
        if after
        else "exit_status submitted: a patch was handed in"
    )
    return f"{before}; whether it is right is for an evaluation to say, and none is in this file"


def _evaluation(info: dict[str, Any]) -> bool | None:
    """Whether an evaluation that was put into the file calls the task resolved."""
    for place in (info, mapping(info.get("evaluation")), mapping(info.get("report"))):
        if isinstance(place.get("resolved"), bool):
            return bool(place["resolved"])
    return None


def _exit_error(run: Run, exit_status: str | None, steps: int) -> tuple[ErrorEvent, ...]:
    submitted = _SUBMITTED.fullmatch((exit_status or "").strip())
    code = submitted["after"] if submitted else exit_status
    if not code or code == "early_exit":
        return ()
    return (
        ErrorEvent(
            run_id=run.run_id,
            event_id="exit",
            recorded_seq=2 * steps,
            span_id=str(steps - 1) if steps else None,
            type=code,
            error_code=code,
            step_index=steps - 1 if steps else None,
            step_total=steps or None,
            details=_EXIT.get(code, (None, None))[1],
            location="exit_status",
        ),
    )


def steps_of(trajectory: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of the trajectory; where a file has only the history, its actions with the answers to them."""
    steps = [mapping(step) for step in sequence(trajectory.get("trajectory"))]
    return steps or _from_history([mapping(message) for message in sequence(trajectory.get("history"))])


def _from_history(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    for message in history:
        if message.get("role") == "assistant":
            steps.append({**message, "response": message.get("content")})
        elif steps and "observation" not in steps[-1]:
            steps[-1]["observation"] = message.get("content")
    return steps


def step_records(step: dict[str, Any], run_id: str, index: int) -> tuple[Record, ...]:
    """The step, and the error that its observation looks like."""
    notes = Notes()
    action = text(step.get("action")) or ""
    found = likeness(text(step.get("observation")) or "")
    span = Span(
        run_id=run_id,
        span_id=str(index),
        recorded_seq=2 * index,
        kind="tool" if action else "message",
        name=words(action) or "no action",
        agent=text(step.get("agent")),
        step_index=index,
        status="error" if found else "unset",
        tool=_tool(step, action),
        attributes=storable({key: _kept(step, key) for key in _CONSUMED if step.get(key) not in (None, "")}, notes),
        flags=notes.all(),
    )
    if found is None:
        return (span,)
    error = failure(span, found.line, code=found.code, given=action, rule=found.rule, seq=2 * index + 1)
    return span, error.model_copy(update={"exit_code": found.exit_code})


def _kept(step: dict[str, Any], key: str) -> Any:
    """The state is JSON in a text in older files."""
    return within(step[key]) if key == "state" else step[key]


def _tool(step: dict[str, Any], action: str) -> str | None:
    calls = [mapping(mapping(call).get("function")).get("name") for call in sequence(step.get("tool_calls"))]
    named = next((str(name) for name in calls if name), None)
    first = action.split()[:1]
    return named or (first[0] if first else None)
