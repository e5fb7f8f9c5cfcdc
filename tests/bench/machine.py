"""What the figures were measured on: processor, memory, system and versions, and nothing that names a place."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

PACKAGES = ("duckdb", "pyarrow", "pandas", "pydantic", "streamlit")


def described() -> str:
    """One line about the machine, one about the versions."""
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES)
    return (
        f"{datetime.now(UTC):%Y-%m-%d}; {os.cpu_count()} cores ({_processor()}), {_memory_gb():.0f} GB of memory, "
        f"{platform.system()} {platform.machine()}, load {os.getloadavg()[0]:.1f} at the start.\n"
        f"Python {platform.python_version()}, {versions}."
    )


def _processor() -> str:
    """The model's name, as the system knows it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "unknown processor"


def _memory_gb() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
