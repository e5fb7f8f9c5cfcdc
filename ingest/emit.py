"""Writes faultlens native records from inside an agent: one file, standard library only; import it or copy it.

    with Emitter("trace.jsonl", "run-42", workload="payments") as emit:
        emit.context("3", required=["adr-7"], retrieved=["adr-7@3"], eligible=["adr-7@3"], composed=[])
        emit.error("test_failure", level="L3", step="3/7", agent="Builder", phase="VERIFY")

One JSON object a line, each written and flushed as a whole, so that a crash loses no line and threads never mix theirs.
Times are UTC; `seq` only rises, also when a run goes on in a new process. What is left out is not recorded, never
guessed. Columns that a method does not name are passed by keyword; what is no column at all goes into `attributes`.
"""

from __future__ import annotations

import json
import math
import threading
import time
import uuid
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from datetime import date, datetime, timezone
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

_UTC = timezone.utc  # noqa: UP017 - agents run on older Pythons than faultlens does


def _now() -> datetime:
    return datetime.now(_UTC)


class Emitter:
    """A run that writes down what happens in it, into a file (appended to) or any text stream."""

    def __init__(
        self,
        target: str | Path | IO[str],
        run_id: str,
        *,
        workload: str | None = None,
        name: str | None = None,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        self.run_id = run_id
        self._about = {"workload": workload, "name": name}
        self._clock = clock
        self._lock = threading.Lock()
        self._seq = 0
        self._has_ended = False
        self._owned = _opened(target) if isinstance(target, str | Path) else None
        self._stream: IO[str] = self._owned if self._owned is not None else target  # type: ignore[assignment]

    # -- the run and its steps

    def run(self, status: str | None = None, **columns: Any) -> None:
        """What is known of the run: `status` (succeeded, failed, vetoed, escalated, aborted), `started_at`, `name`."""
        self._has_ended = self._has_ended or status not in {None, "running"}
        self._write("run", {**self._about, "status": status, **columns})

    def span(self, span_id: str, *, name: str | None = None, kind: str | None = None, **columns: Any) -> None:
        """A step or call: `parent_span_id`, `phase`, `agent`, `step_index`, `started_at`, `ended_at`, `status`."""
        self._write("span", {"span_id": span_id, "name": name, "kind": kind, **columns})

    @contextmanager
    def step(self, span_id: str, **columns: Any) -> Iterator[str]:
        """A span round what happens inside, written at its begin and its end; an exception ends it as an error."""
        began = self._clock()
        self.span(span_id, started_at=began, status="open", **columns)
        status = "error"
        try:
            yield span_id
            status = "ok"
        finally:
            self.span(span_id, started_at=began, ended_at=self._clock(), status=status, **columns)

    # -- what went wrong, and what was done about it

    def error(self, type: str, *, level: str | None = None, **columns: Any) -> str:  # noqa: A002 - the column's name
        """A failed operation; returns its id, for `recovery` and `diagnosis`. `level` L0 to L5, `step` "3/7" or 3."""
        return self._event("error_event", {"type": type, "level": level, **columns})

    def recovery(
        self,
        chain: str | None = None,
        *,
        outcome: str | None = None,
        confidence: float | None = None,
        steps: Iterable[Mapping[str, Any]] = (),
        for_event: str | None = None,
        **columns: Any,
    ) -> str:
        """An attempt of chain A, B or C: RECOVERED, ESCALATED or ABORTED; unfinished without an outcome."""
        found = {"chain": chain, "outcome": outcome, "confidence": confidence, "for_event": for_event}
        return self._event("recovery_event", {**found, "steps": list(steps), **columns})

    def guardrail(self, level: str | None = None, *, action: str | None = None, **columns: Any) -> str:
        """A guardrail's word: `level` L1 to L4; `action` CONTINUE, VERIFY, PAUSE, RECOVER, ROLLBACK or ABORT."""
        return self._event("guardrail_event", {"level": level, "action": action, **columns})

    def diagnosis(self, observed_at: str | None, originated_at: str | None, **columns: Any) -> str:
        """Where a failure was seen and began: `for_event`, `trigger`, `root_cause`, `fix_at`, `prevention_layer`."""
        found = {"observed_at": observed_at, "originated_at": originated_at, **columns}
        return self._event("diagnosis", found, id_column="diagnosis_id")  # `event_id` names the event that is diagnosed

    # -- context

    def context(
        self,
        step_id: str,
        *,
        required: Iterable[Any] | None = None,
        retrieved: Iterable[Any] | None = None,
        eligible: Iterable[Any] | None = None,
        composed: Iterable[Any] | None = None,
        consumed: Iterable[Any] | None = None,
        current: Iterable[Any] | None = None,
        **columns: Any,
    ) -> None:
        """Context sets of a step. A set left out is not recorded; an empty one is recorded and empty.

        An item is `id`, `id@revision`, a pair (id, revision) or {"id", "revision"}.
        """
        given = {
            "required": required,
            "retrieved": retrieved,
            "eligible": eligible,
            "composed": composed,
            "consumed": consumed,
            "current": current,
        }
        sets = {name: [_item(item) for item in items] for name, items in given.items() if items is not None}
        if not sets:
            raise ValueError("a context record needs one of its six sets")
        self._write("context", {"step_id": step_id, **sets, **columns})

    def context_op(self, op: str, **columns: Any) -> str:
        """A compaction, reset, checkpoint or rollback: `trigger_no` 1 to 7, `escalated`, `resume_contract_kept`."""
        return self._event("context_op", {"op": op, **columns})

    def catalogue(self, item_id: str, revision: str | None = None, **columns: Any) -> None:
        """The revision of an item that is current from `valid_from` on, for every run or those of a `workload`."""
        self._write("catalogue", {"item_id": item_id, "revision": revision, **columns})

    # -- coordination

    def delegation(self, task_id: str, from_agent: str | None, to_agent: str | None, **columns: Any) -> str:
        """A task handed on: `hop_count`, `visited`; `denied` where a guard refused the arrival."""
        return self._event(
            "delegation", {"task_id": task_id, "from_agent": from_agent, "to_agent": to_agent, **columns}
        )

    def wait(self, waiter: str, holder: str, waits_for: str | None = None, **columns: Any) -> str:
        """One agent waits for another: `since`, `deadline`, `until`."""
        return self._event("wait", {"waiter": waiter, "holder": holder, "waits_for": waits_for, **columns})

    def owner(self, task_id: str, agent: str | None, **columns: Any) -> str:
        """Who answers for a task: `since`, `until`."""
        return self._event("task_owner", {"task_id": task_id, "agent": agent, **columns})

    def handoff(self, from_agent: str | None, to_agent: str | None, status: str, **columns: Any) -> str:
        """A delivery accepted or refused at the gate: `condition`, `bounce`, `details`."""
        return self._event("handoff", {"from_agent": from_agent, "to_agent": to_agent, "status": status, **columns})

    def replay(self, replay_of: str, verdict: str | None = None, **columns: Any) -> str:
        """A difference between this run and the one it replays: `dimension`, `expected`, `observed`."""
        return self._event("replay", {"replay_of": replay_of, "verdict": verdict, **columns})

    def reported_metrics(self, chain: str | None = None, **columns: Any) -> str:
        """What the agent says of itself: `attempts`, `success_rate`, `avg_confidence`, `escalation_rate`."""
        return self._event("reported_metrics", {"chain": chain, **columns})

    # -- writing

    def close(self) -> None:
        """The file is closed; a stream that was given stays open."""
        if self._owned is not None:
            self._owned.close()

    def __enter__(self) -> Emitter:  # noqa: PYI034 - typing.Self is younger than the Pythons agents run on
        """The run begins."""
        self.run("running", started_at=self._clock())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _at: TracebackType | None
    ) -> None:
        """The run ends: as `run` has said, else failed where an exception ends it, else succeeded."""
        status = None if self._has_ended else "succeeded" if kind is None else "failed"
        reason = f"exception {kind.__name__}: {error}" if kind is not None and not self._has_ended else None
        self.run(status, ended_at=self._clock(), status_reason=reason)
        self.close()

    def _event(self, record: str, columns: Mapping[str, Any], id_column: str = "event_id") -> str:
        event_id = str(columns.get(id_column) or uuid.uuid4().hex)
        self._write(record, {**columns, id_column: event_id})
        return event_id

    def _write(self, record: str, columns: Mapping[str, Any]) -> None:
        known = COLUMNS[record]
        body = {key: _plain(value) for key, value in columns.items() if key in known and value is not None}
        rest = {key: _plain(value) for key, value in columns.items() if key not in known and value is not None}
        if rest:
            body["attributes"] = {**body.get("attributes", {}), **rest}
        if "occurred_at" in known and "occurred_at" not in body:
            body["occurred_at"] = _plain(self._clock())
        with self._lock:
            # Microseconds, and never less than before: the order holds across processes and when the clock is set back.
            self._seq = max(self._seq + 1, time.time_ns() // 1000)
            line = json.dumps({"record": record, "run_id": self.run_id, "seq": self._seq, **body}, ensure_ascii=False)
            self._stream.write(line.encode("utf-8", "replace").decode("utf-8") + "\n")
            self._stream.flush()


def _opened(path: str | Path) -> IO[str]:
    """The file, to be appended to; a line that a crash cut off is closed first, so that it takes no other with it."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    is_cut = _is_cut(path)
    stream = path.open("a", encoding="utf-8", newline="\n", buffering=1)
    if is_cut:
        stream.write("\n")
    return stream


def _is_cut(path: Path) -> bool:
    """The file's last line has no end."""
    if not path.exists() or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) != b"\n"


def _item(item: Any) -> Any:
    if isinstance(item, tuple):
        item_id, revision = item
        return {"id": str(item_id), "revision": None if revision is None else str(revision)}
    return item if isinstance(item, Mapping) else str(item)


def _plain(value: Any) -> Any:
    """The value as JSON has it: times in UTC (one without a zone is local time), no NaN, anything else as text."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, date):
        return _written(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    return str(value)


def _written(value: date) -> str:
    if isinstance(value, datetime):
        return value.astimezone(_UTC).isoformat().replace("+00:00", "Z")
    return value.isoformat()


def _columns(names: str) -> frozenset[str]:
    return frozenset(f"{names} attributes".split())


_EVENT = "event_id occurred_at"

COLUMNS: dict[str, frozenset[str]] = {
    "run": _columns(
        "event_id workload tenant name status status_reason stop_reason state_at_failure contract_class "
        "started_at ended_at clock parent_run_id session_id"
    ),
    "span": _columns(
        "span_id parent_span_id kind name phase agent step_index started_at ended_at status tool model "
        "input_tokens output_tokens cost_usd"
    ),
    "error_event": _columns(
        f"{_EVENT} span_id level type error_code tool_error_class context_failure_class agent_error_code "
        "transient failure_class category recoverable contract_class contract_class_basis step step_index "
        "step_total phase agent details action result observed_at originated_at trigger root_cause location "
        "state_hash resource checked_state checked_by artifact_state exit_code"
    ),
    "recovery_event": _columns(
        f"{_EVENT} chain trigger confidence auto_executed outcome steps_completed artifacts for_event steps duration"
    ),
    "guardrail_event": _columns(
        f"{_EVENT} level trigger step step_index step_total agent action details recovery decision reason_code "
        "destination data_classes blast_radius reversibility alternative result"
    ),
    "context": _columns("step_id agent phase occurred_at required retrieved eligible composed consumed current"),
    "context_op": _columns(f"{_EVENT} op trigger_no escalated resume_contract_kept agent details"),
    "diagnosis": _columns(
        f"{_EVENT} for_event observed_at originated_at trigger root_cause context_failure_class fix_at "
        "prevention_layer prevention durable status author recorded_at diagnosis_id"
    ),
    "delegation": _columns(f"{_EVENT} task_id from_agent to_agent hop_count visited denied"),
    "wait": _columns(f"{_EVENT} waiter holder waits_for since deadline until"),
    "task_owner": _columns(f"{_EVENT} task_id agent since until"),
    "handoff": _columns(f"{_EVENT} from_agent to_agent status condition bounce details"),
    "replay": _columns(f"{_EVENT} replay_of verdict dimension expected observed"),
    "reported_metrics": _columns(f"{_EVENT} chain attempts success_rate avg_confidence escalation_rate"),
    "catalogue": _columns("workload item_id revision valid_from"),
}
