"""How long the command line and the dashboard take until they answer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.bench import served
from tests.bench.measure import ROOT, Measured, clocked, interleaved, middle, ratio
from tests.bench.report import Section, at_most, number
from tests.bench.scale import Scale

HELP_S = 0.3
_OURS = ("-m", "dashboard.cli")
BARE, HELP = "python -c pass", "faultlens --help"
COMMANDS = {
    BARE: ("-c", "pass"),
    HELP: (*_OURS, "--help"),
    "faultlens query (lists all)": (*_OURS, "query"),
    "faultlens formats": (*_OURS, "formats"),
}


def sections(scale: Scale, folder: Path) -> list[Section]:
    """Commands against a bare interpreter, the server against bare Streamlit."""
    return [_commands(scale, folder), _servers(scale, folder)]


def _commands(scale: Scale, folder: Path) -> Section:
    kinds = {name: _run(arguments) for name, arguments in COMMANDS.items()}
    kinds["faultlens ingest, one record into no store"] = lambda: _ingest_one(folder)
    found = interleaved(kinds, 2 * scale.times + 1)
    section = Section("Start-up of commands", ("seconds", "processor s", "× bare Python"))
    for name, measured in found.items():
        one = middle(measured)
        verdict = at_most(one.clock_s, HELP_S, " s") if name == HELP else None
        times = number(ratio(measured, found[BARE]), 1)
        section.add(name, number(one.clock_s, 3), number(one.cpu_s, 3), times, verdict=verdict)
    return section


def _run(arguments: tuple[str, ...]) -> Callable[[], Measured]:
    command = [sys.executable, *arguments]
    return lambda: clocked(lambda: subprocess.run(command, cwd=ROOT, capture_output=True, check=True))


def _ingest_one(folder: Path) -> Measured:
    """What a script waits for that hands over a single record."""
    file, store = folder / "single.jsonl", folder / "single.duckdb"
    file.write_text('{"record": "run", "run_id": "single"}\n', encoding="utf-8")
    store.unlink(missing_ok=True)
    return _run((*_OURS, "ingest", str(file), "--store", str(store)))()


def _servers(scale: Scale, folder: Path) -> Section:
    script = folder / "empty_app.py"
    script.write_text("import streamlit\n", encoding="utf-8")
    found: dict[str, list[served.Served]] = {"streamlit run, an empty page": [], "faultlens serve": []}
    for _ in range(scale.times):
        with served.streamlit(script) as bare:
            found["streamlit run, an empty page"].append(bare)
        with served.serve(folder / "served.duckdb") as ours:
            found["faultlens serve"].append(ours)
    section = Section("Start-up of the dashboard", ("healthy after s", "first byte of a page after s"))
    for name, all_of_it in found.items():
        one = sorted(all_of_it, key=lambda server: server.first_byte_s)[len(all_of_it) // 2]
        section.add(name, number(one.healthy_s, 2), number(one.first_byte_s, 2))
    return section
