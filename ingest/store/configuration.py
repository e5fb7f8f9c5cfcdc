"""faultlens.toml: the store, bands, required items, retry budgets. A mistake in it names its key (exit 2)."""

from __future__ import annotations

import re
import tomllib
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from ingest.store.errors import FaultlensError

FILE = "faultlens.toml"
_DURATION = re.compile(r"\s*(\d+)\s*([smhdw])\s*")
_ATTEMPTS = re.compile(r"\s*(\d+)\s*attempts\s*")
# Beyond these nothing is meant, and a store cannot count it.
_LONGEST_S = 100 * 365 * 86_400
_DIGITS = 18
_MOST = 10**9
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


class BadConfiguration(FaultlensError):
    """faultlens.toml cannot be used; the message names the key."""


def duration(text: object) -> timedelta:
    """A duration such as 7d, 12h, 90m; raises ValueError for anything else."""
    match = _DURATION.fullmatch(str(text))
    if not match or int(match[1]) == 0:
        raise ValueError(f"'{text}' is no duration; write a number with s, m, h, d or w, such as 7d")
    if len(match[1]) > _DIGITS or (seconds := int(match[1]) * _SECONDS[match[2]]) > _LONGEST_S:
        raise ValueError(f"'{text}' is longer than a hundred years")
    return timedelta(seconds=seconds)


def _window(text: object) -> str:
    if isinstance(text, str) and (attempts := _ATTEMPTS.fullmatch(text)) and int(attempts[1][:_DIGITS]) > 0:
        if len(attempts[1]) > _DIGITS or int(attempts[1]) > _MOST:
            raise ValueError(f"'{text}' is more than {_MOST} attempts")
        return text.strip()
    duration(text)
    return str(text).strip()


def _duration_text(text: object) -> str:
    duration(text)
    return str(text).strip()


Share = Annotated[float, Field(ge=0, le=1)]
_STRICT = ConfigDict(extra="forbid", frozen=True)


class Band(BaseModel):
    """The escalation band of a workload: 0-1, low under high; a window of time or of attempts."""

    model_config = _STRICT

    low: Share = 0.08
    high: Share = 0.30
    window: Annotated[str, BeforeValidator(_window)] = "7d"
    min_finished: Annotated[int, Field(ge=1, le=_MOST)] = 20
    risk_bearing: bool = False
    reviewed_by: str | None = None
    reason: str | None = None

    @model_validator(mode="after")
    def _low_under_high(self) -> Self:
        if self.low >= self.high:
            raise ValueError(f"low ({self.low}) must be under high ({self.high})")
        return self

    @property
    def window_attempts(self) -> int | None:
        """How many attempts the window holds; None where it is a duration."""
        match = _ATTEMPTS.fullmatch(self.window)
        return int(match[1]) if match else None

    @property
    def window_s(self) -> int | None:
        """How long the window is; None where it counts attempts."""
        return None if self.window_attempts else int(duration(self.window).total_seconds())


class Retry(BaseModel):
    """The retry budgets of a failure and of a run."""

    model_config = _STRICT

    per_failure: Annotated[int, Field(ge=0, le=_MOST)] = 3
    per_run: Annotated[int, Field(ge=0, le=_MOST)] = 10


class Signatures(BaseModel):
    """When a signature that is no longer seen counts as resolved."""

    model_config = _STRICT

    resolved_after: Annotated[str, BeforeValidator(_duration_text)] = "14d"


class Configuration(BaseModel):
    """The whole file. Workloads without a band of their own have the default one, not reviewed."""

    model_config = _STRICT

    store: str = "faultlens.duckdb"
    data_path: str | None = None  # where a shared store keeps its files; only the call that makes it needs to know
    bands: dict[str, Band] = Field(default_factory=dict)
    required: dict[str, dict[str, list[str]]] = Field(default_factory=dict)
    retry: Retry = Retry()
    signatures: Signatures = Signatures()

    @model_validator(mode="before")
    @classmethod
    def _bands_from_default(cls, data: dict[str, object]) -> dict[str, object]:
        """A workload's band states what differs from the default band."""
        bands = data.get("bands")
        if not isinstance(bands, dict) or not isinstance(bands.get("default"), dict):
            return data
        inherited = {key: value for key, value in bands["default"].items() if key not in {"reviewed_by", "reason"}}
        filled = {
            name: {**inherited, **band} if isinstance(band, dict) and name != "default" else band
            for name, band in bands.items()
        }
        return {**data, "bands": filled}

    def band(self, workload: str) -> Band:
        """The band that holds for a workload."""
        return self.bands.get(workload) or self.bands.get("default") or Band()


def configuration(path: Path | None = None) -> Configuration:
    """What faultlens.toml of the working folder says; the defaults where there is none."""
    file = (path or Path(FILE)).absolute()
    try:
        stamp = file.stat().st_mtime_ns
    except OSError:
        return Configuration()
    return _read(file, stamp)


@cache
def _read(file: Path, _stamp: int) -> Configuration:
    try:
        return Configuration.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in fault["loc"]) or "bands"
        raise BadConfiguration(f"{file.name}: `{key}`: {_plain(fault['type'], fault['msg'])}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise BadConfiguration(f"{file.name}: {error}") from None


def _plain(kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        return "there is no such key"
    return message.removeprefix("Value error, ")
