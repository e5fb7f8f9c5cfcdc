"""Error answers of the HTTP surface kept as JSON: branch on the code, never on the message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.adapter import Item, Parsed, Place, Rejected, Skipped
from ingest.bijux.agent_parts import strictly_decoded
from ingest.bijux.agent_results import Identity, derived_run
from ingest.bijux.agent_shapes import STATUS_KEYS, is_http_error
from ingest.bijux.agent_values import HTTP_CODE, Flags, text
from ingest.derive.agent_outcome import Outcome
from ingest.json_text import Decoded, Fault, values
from ingest.records import ErrorEvent, Run
from ingest.source import Source

# The pipeline ran and did not come through; every other answer was given before anything ran.
_RAN = frozenset({"EXECUTION_FAILED", "CONVERGENCE_FAILED", "INTERNAL_ERROR"})

Answer = tuple[Place, Decoded | Fault, bool, str]


def http_items(source: Source, native_id: str) -> Iterator[Item]:
    """The file as one run, every answer as one of its errors."""
    identity = Identity.of(native_id)
    answers = list(_answers(source))
    errors = [_error(identity, decoded) if isinstance(decoded, Decoded) else None for _, decoded, _, _ in answers]
    run = derived_run(identity, _outcome([error for error in errors if error]), workload=source.workload)
    waiting: tuple[Run, ...] = (run,)
    for (place, decoded, ended, raw), error in zip(answers, errors, strict=True):
        if error is not None:
            yield Parsed(place, (*waiting, error))
            waiting = ()
        elif isinstance(decoded, Fault) and decoded.cut and not ended:
            yield Skipped(place, "incomplete_last_line")
        elif isinstance(decoded, Fault):
            yield Rejected(place, decoded.reason, decoded.message, raw)
        else:
            yield Rejected(place, "unknown_shape", "this is no error answer of bijux-canon-agent", raw)


def _answers(source: Source) -> Iterator[Answer]:
    """One document, the members of a list, or one answer a line."""
    document = strictly_decoded(source.data())
    if isinstance(document, Decoded):
        members = document.value if isinstance(document.value, list) else [document.value]
        for member in members:
            yield Place(), Decoded(member, document.flags), True, str(member)[:2000]
        return
    with source.open() as stream:
        for line, decoded in values(stream):
            yield Place(line.number, line.offset), decoded, line.ended, line.text


def status_of(body: dict[str, Any]) -> int | None:
    """The HTTP status that the answer carries or was kept with."""
    found = (body[key] for key in STATUS_KEYS if isinstance(body.get(key), int))
    return next(found, None)


def _error(identity: Identity, decoded: Decoded) -> ErrorEvent | None:
    body = decoded.value
    if not isinstance(body, dict) or not is_http_error(body):
        return None
    flags = Flags()
    flags.add(*decoded.flags)
    status = status_of(body)
    code = flags.one_of(HTTP_CODE, body.get("code")) if "code" in body else f"HTTP_{status}"
    return ErrorEvent(
        run_id=identity.run_id,
        type="http_error",
        error_code=code,
        details=text(body.get("message")) or text(body.get("error")),
        attributes={**body, "http_status": status},
        flags=flags.all(),
    )


def _outcome(errors: list[ErrorEvent]) -> Outcome:
    """Failed where the pipeline ran, refused where nothing ran; answers that disagree are no one outcome."""
    ran = {error.error_code in _RAN for error in errors}
    codes = ", ".join(sorted({str(error.error_code) for error in errors}))
    if len(ran) != 1:
        return Outcome("unknown", f"HTTP answers of more than one outcome: {codes}" if ran else "no HTTP answer")
    if ran == {True}:
        return Outcome("failed", f"HTTP answer {codes}")
    return Outcome("refused", f"HTTP answer {codes}: refused before anything ran")
