"""Replay results: what a replay did differently from the original run. Expected is always the original.

A difference is evidence, neither a crash nor a retry. The runtime reports its structural comparison the
other way round, with the new plan as `expected` and the stored trace as `observed`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ingest.bijux.runtime_run import SOURCE, run_id
from ingest.records import Replay, Run
from ingest.vocabulary import Vocabulary

VERDICT = Vocabulary(("acceptable", "acceptable_with_warnings", "unacceptable", "non_certifiable"))
_OUTCOMES = ("returned", "raised")
_REPORT = frozenset({"original", "replay_run", "outcome"})
_COMMAND = frozenset({"diff", "run_id", "trace"})
# Compared the same way in every part: the recorded policy is `expected`, and a deprecated dataset is never expected.
_NEVER_SWAPPED = frozenset({"verification_policy", "deprecated_dataset"})
# Plain values that tell of the original's events; the other plain ones (fingerprints, counts) tell of the replay.
_OF_THE_ORIGINAL = frozenset({"missing_step_end", "failed_steps", "human_intervention_events"})
_NO_DIMENSION = frozenset({"summary"})
_EXPECTED_AS = ("expected", "expected_min", "allowed", "expected_entropy")
_OBSERVED_AS = ("observed", "observed_entropy")


@dataclass(frozen=True, slots=True)
class Side:
    """A dimension's two values, normalised, and the parts of the result that name it."""

    expected: Any
    observed: Any


def is_report(value: Any) -> bool:
    """A report file of a replay."""
    return isinstance(value, dict) and value.keys() >= _REPORT and value["outcome"] in _OUTCOMES


def is_command_result(value: Any) -> bool:
    """What `replay --json` prints: a difference and the replay's trace."""
    return isinstance(value, dict) and value.keys() >= _COMMAND and isinstance(value["diff"], dict)


def report_records(report: dict[str, Any]) -> tuple[Run | Replay, ...]:
    """The replay's run, of which the report knows only the id, and its rows.

    The run has the tenant's id where any part of the report names the tenant.
    """
    native_id, tenant = str(report["replay_run"]), _tenant(report)
    about = {
        "original": report["original"],
        "replay_run": native_id,
        "outcome": report["outcome"],
        "error": report.get("error"),
    }
    flags = () if tenant else ("tenant_not_recorded",)
    run = run_id(tenant, native_id)
    told = Run(run_id=run, source=SOURCE, native_id=native_id, tenant=tenant, flags=flags)
    return told, *_rows(report, run, str(report["original"]), about, flags)


def command_records(result: dict[str, Any]) -> tuple[Replay, ...]:
    """The rows of a `replay --json` result, which names neither the original nor a verdict."""
    native_id, tenant = str(result["run_id"]), result["trace"].get("tenant_id")
    about = {"original": None, "replay_run": native_id, "outcome": "returned"}
    return tuple(_rows(result, run_id(tenant, native_id), None, about, ()))


def _rows(
    result: dict[str, Any], run: str, original: str | None, about: dict[str, Any], flags: tuple[str, ...]
) -> Iterator[Replay]:
    yield _verdict(result, run, original, about, flags)
    sides, parts = _dimensions(result)
    for name, side in sides.items():
        yield Replay(
            run_id=run,
            event_id=f"replay/{name}",
            replay_of=original,
            dimension=name,
            expected=_told(side.expected),
            observed=_told(side.observed),
            flags=flags,
            attributes={**about, "parts": parts[name], **_divergence(side)},
        )


def _verdict(
    result: dict[str, Any], run: str, original: str | None, about: dict[str, Any], flags: tuple[str, ...]
) -> Replay:
    """The verdict alone; none where the replay raised, and none where the command does not print it."""
    verdict = result.get("verdict")
    known = verdict is None or VERDICT.matched(str(verdict)) is not None
    details = result.get("verdict_details")
    kept = {"entropy_report": details.get("entropy_report")} if isinstance(details, dict) else {}
    summary = (result.get("structural") or {}).get("summary")
    return Replay(
        run_id=run,
        event_id="replay/verdict",
        replay_of=original,
        verdict=None if verdict is None else str(verdict),
        flags=flags if known else (*flags, "unknown_value"),
        attributes={**about, **kept, "summary": summary},
    )


def _parts(result: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """The parts of a result by name, and whether they stand the other way round."""
    details = result.get("verdict_details")
    details = details if isinstance(details, dict) else {}
    named = (
        ("diff", result.get("diff"), False),
        ("semantic_diff", result.get("semantic_diff"), False),
        ("structural", result.get("structural"), True),
        ("blocking", details.get("blocking"), True),
        ("acceptable", details.get("acceptable"), True),
        ("diffs", details.get("diffs"), True),
    )
    for name, part, is_swapped in named:
        if isinstance(part, dict):
            yield name, part, is_swapped


def _dimensions(result: dict[str, Any]) -> tuple[dict[str, Side], dict[str, list[str]]]:
    """Every dimension once, as the first part that names it tells it, with all the parts that do."""
    sides: dict[str, Side] = {}
    parts: dict[str, list[str]] = {}
    for part, values, is_swapped in _parts(result):
        for name, value in values.items():
            if name not in _NO_DIMENSION:
                sides.setdefault(name, _side(name, value, is_swapped=is_swapped))
                parts.setdefault(name, []).append(part)
    return sides, parts


def _side(name: str, value: Any, *, is_swapped: bool) -> Side:
    expected_key = next((key for key in _EXPECTED_AS if isinstance(value, dict) and key in value), None)
    observed_key = next((key for key in _OBSERVED_AS if isinstance(value, dict) and key in value), None)
    if expected_key is None or observed_key is None:
        return Side(value, None) if name in _OF_THE_ORIGINAL else Side(None, value)
    side = Side(value[expected_key], value[observed_key])
    return Side(side.observed, side.expected) if is_swapped and name not in _NEVER_SWAPPED else side


def _told(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _divergence(side: Side) -> dict[str, Any]:
    """Where two lists of events part: position and the two events; one of them is None where a list ends."""
    expected, observed = side.expected, side.observed
    if not (isinstance(expected, list) and isinstance(observed, list)):
        return {}
    position = next(
        (at for at, (left, right) in enumerate(zip(expected, observed, strict=False)) if left != right),
        min(len(expected), len(observed)),
    )
    first = {"position": position, "expected": _at(expected, position), "observed": _at(observed, position)}
    return {"first_divergence": first, "expected_length": len(expected), "observed_length": len(observed)}


def _at(values: list[Any], position: int) -> Any:
    return values[position] if position < len(values) else None


def _tenant(report: dict[str, Any]) -> str | None:
    """The tenant, from a part that happens to name it: a report has no field of its own for it."""
    for _name, part, _is_swapped in _parts(report):
        for key in ("dataset", "tenant_id"):
            value = part.get(key)
            named = value.get("expected") if isinstance(value, dict) else None
            tenant = named.get("tenant_id") if isinstance(named, dict) else named
            if isinstance(tenant, str):
                return tenant
    return None
