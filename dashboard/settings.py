"""What whoever runs the server may set: how long a query may take, and how much memory its answers may hold."""

from __future__ import annotations

import math
import os

from ingest.store.errors import FaultlensError

QUERY_SECONDS = "FAULTLENS_QUERY_SECONDS"
CACHE_MB = "FAULTLENS_CACHE_MB"


def query_seconds() -> float:
    """What one query of a page may take."""
    return _over_zero(QUERY_SECONDS, 30, "seconds")


def cache_bytes() -> int:
    """What the answers kept for all sessions may hold together."""
    return int(1_000_000 * _over_zero(CACHE_MB, 256, "megabytes"))


def _over_zero(name: str, default: float, unit: str) -> float:
    given = os.environ.get(name, "").strip()
    if not given:
        return default
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise FaultlensError(f"{name}: '{given}' is no number of {unit}; give one over 0, or leave it out ({default})")
    return value
