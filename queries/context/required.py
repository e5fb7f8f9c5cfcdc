"""The required items that faultlens.toml declares, as the context queries take them."""

from __future__ import annotations

import json

from ingest.store.configuration import configuration


def declared_required() -> str | None:
    """JSON [[workload, step or *, item], …], None where nothing is declared; an empty list needs nothing."""
    entries: list[tuple[str, str, str | None]] = [
        (workload, step, item)
        for workload, steps in configuration().required.items()
        for step, items in steps.items()
        for item in items or (None,)
    ]
    return json.dumps(entries, ensure_ascii=False) if entries else None
