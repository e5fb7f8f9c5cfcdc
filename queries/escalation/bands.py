"""The bands a query evaluates: those of faultlens.toml, those given to try them out, and when each came into force."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from ingest.store.configuration import Band, Configuration, configuration
from queries.reader import BadParameter, Engine


def configured() -> str:
    """The bands of faultlens.toml as the queries take them."""
    return json.dumps(_listed(configuration()))


def given(text: str) -> str:
    """Bands given as JSON, checked: {"payments": {"low": 0.12}}, or the array that a query reports of itself."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadParameter(f"bands: no JSON ({error})") from None
    if isinstance(value, list):
        return json.dumps([_checked_entry(entry) for entry in value])
    return json.dumps(_listed(_checked(value)))


def with_history(lease: Engine) -> str:
    """The bands of faultlens.toml and, where another was in force before, the earlier ones with their times."""
    now = {entry["workload"]: entry for entry in _listed(configuration())}
    before = _recorded(lease)
    as_of = lease.rows("SELECT newest FROM newest_wall_time")[0]["newest"]
    entries = list(now.values())
    for workload, past in before.items():
        current = {**(now.get(workload) or now[None]), "workload": workload}
        entries = [entry for entry in entries if entry["workload"] != workload]
        _append(past, {**current, "since": _text(as_of)})
        entries += past
    return json.dumps(entries)


def entry_of(workload: str | None, band: Band, since: datetime | None = None) -> dict[str, Any]:
    """A band as one entry of the parameter."""
    return {
        "workload": workload, "low": band.low, "high": band.high, "window": band.window,
        "window_s": band.window_s, "window_attempts": band.window_attempts, "min_finished": band.min_finished,
        "risk_bearing": band.risk_bearing, "reviewed_by": band.reviewed_by, "reason": band.reason,
        "since": _text(since),
    }  # fmt: skip


def unrecorded(lease: Engine, workloads: Iterable[str]) -> list[dict[str, Any]]:
    """The bands in force now that the people's store does not know yet, each with the time it came into force."""
    config, before = configuration(), _recorded(lease)
    as_of = lease.rows("SELECT newest FROM newest_wall_time")[0]["newest"]
    found = []
    for workload in workloads:
        past = before.get(workload)
        current = entry_of(workload, config.band(workload), as_of if past else None)
        if not past or not _decides_the_same(past[-1], current):
            found.append(current)
    return found


def _listed(config: Configuration) -> list[dict[str, Any]]:
    own = [entry_of(name, band) for name, band in config.bands.items() if name != "default"]
    return [entry_of(None, config.bands.get("default") or Band()), *own]


def _checked(value: Any) -> Configuration:
    try:
        return Configuration.model_validate({"bands": value})
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise BadParameter(f"{'.'.join(str(part) for part in fault['loc']) or 'bands'}: {fault['msg']}") from None


def _checked_entry(entry: Any) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise BadParameter("bands: each entry is an object")
    named = {key: item for key, item in entry.items() if key in Band.model_fields and item is not None}
    band = _checked({"default": named}).bands["default"]
    since = entry.get("since")
    return {**entry_of(entry.get("workload"), band), "since": since}


def _recorded(lease: Engine) -> dict[str, list[dict[str, Any]]]:
    """The bands that were seen in force, by workload, the earliest first."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in lease.rows(
        "SELECT workload, low, high, window_text, min_finished, risk_bearing, reviewed_by, reason, in_force_from"
        " FROM bands_in_force ORDER BY workload, in_force_from NULLS FIRST, recorded_at"
    ):
        band = Band(
            low=row["low"], high=row["high"], window=row["window_text"], min_finished=row["min_finished"],
            risk_bearing=row["risk_bearing"], reviewed_by=row["reviewed_by"], reason=row["reason"],
        )  # fmt: skip
        _append(found.setdefault(row["workload"], []), entry_of(row["workload"], band, row["in_force_from"]))
    return found


def _append(past: list[dict[str, Any]], entry: dict[str, Any]) -> None:
    """The band is the last of the past: once, and in place of one that was never in force for any record."""
    if past and _decides_the_same(past[-1], entry):
        return
    if past and past[-1]["since"] == entry["since"]:
        past.pop()
        _append(past, entry)
        return
    past.append(entry)


def _decides_the_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one[key] == other[key] for key in ("low", "high", "window", "min_finished", "risk_bearing"))


def _text(time: datetime | None) -> str | None:
    return time.isoformat() if time else None
