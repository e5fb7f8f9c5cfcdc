"""Values of bijux-canon-agent records read one by one: what has another type is kept and flagged, never guessed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ingest.times import utc_time
from ingest.vocabulary import Vocabulary

SOURCE = "bijux-canon-agent"
HEADER_STATUS = Vocabulary(("running", "completed", "aborted", "failed"))
REPLAY_STATUS = Vocabulary(("REPLAYABLE", "NON_REPLAYABLE"))
TERMINATION_REASON = Vocabulary(("completed", "convergence", "failure", "user_abort", "resource_exhaustion"))
STOP_REASON = Vocabulary(
    (
        "user_interruption", "convergence_reached", "confidence_threshold_met", "budget_exceeded",
        "max_iterations", "verification_veto", "fatal_failure", "epistemic_failure",
    )
)  # fmt: skip
PHASE = Vocabulary(("INIT", "PLAN", "EXECUTE", "JUDGE", "VERIFY", "FINALIZE", "DONE", "ABORTED"))
EPISTEMIC_VERDICT = Vocabulary(("certain", "uncertain", "contradictory"))
VERDICT = Vocabulary(("pass", "veto"))
HTTP_CODE = Vocabulary(
    ("INVALID_REQUEST", "VALIDATION_ERROR", "EXECUTION_FAILED", "CONVERGENCE_FAILED", "INTERNAL_ERROR")
)


@dataclass(slots=True)
class Flags:
    """What had to be said while one record was read."""

    found: dict[str, None] = field(default_factory=dict)

    def add(self, *flags: str) -> None:
        """The flags are noted, each once and in order."""
        self.found.update(dict.fromkeys(flags))

    def all(self) -> tuple[str, ...]:
        """The flags in the order they were met."""
        return tuple(self.found)

    def time(self, value: Any) -> datetime | None:
        """The value as a time in UTC."""
        found, flags = utc_time(value)
        self.add(*flags)
        return found

    def one_of(self, known: Vocabulary, value: Any) -> str | None:
        """The value as text; outside the list it is kept verbatim and flagged."""
        written = text(value)
        if written is not None and written not in known.values:
            self.add("unknown_value")
        return written

    def claim(self, value: Any) -> bool | None:
        """True or false where that is what stands there; anything else is flagged."""
        if value is None or isinstance(value, bool):
            return value
        self.add("unknown_value")
        return None


def text(value: Any) -> str | None:
    """The value as text; an empty text is no value."""
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def number(value: Any) -> float | None:
    """The value where it is a number; a boolean is none."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def mapping(value: Any) -> dict[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def without(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    """The object without these keys: they stand in columns of their own."""
    return {key: kept for key, kept in value.items() if key not in keys}


def last_name(path: str) -> str:
    """The last part of a path of either separator."""
    return path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


def first_line(message: str, most: int = 200) -> str:
    """The first line of a message, cut to what fits in a summary."""
    line = message.strip().split("\n", 1)[0]
    return line if len(line) <= most else f"{line[: most - 1]}…"
