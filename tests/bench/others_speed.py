"""faultlens against Arize Phoenix and MLflow on the same spans, each on its best bulk path, until they can be queried.

Each of the two has a virtual environment of its own in a cache folder outside the repository, made once from the
package index. Where it cannot be made, the table says so. Nothing here calls the network while it measures.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench import inputs
from tests.bench.ingest_speed import loaded
from tests.bench.measure import Measured, in_child, interleaved, middle, ratio
from tests.bench.report import Section, number
from tests.bench.scale import Scale

SCRIPTS = Path(__file__).parent / "others"
INSTALLED = ".installed"


class NotMade(RuntimeError):
    """The environment of another product could not be made or does not work."""


@dataclass(frozen=True, slots=True)
class Other:
    """A product that stores spans: what is installed, and the script that measures it."""

    title: str
    packages: tuple[str, ...]
    script: str
    path_taken: str


OTHERS = (
    Other(
        "Arize Phoenix 20.26.1",
        ("arize-phoenix==20.26.1",),
        "phoenix_spans.py",
        "Arize Phoenix: OTLP protobuf over HTTP to a local server with SQLite. Its REST call for spans and gRPC end in "
        "the same inserter, which writes span after span, and cost more before they get there.",
    ),
    Other(
        "MLflow 3.17.2",
        ("mlflow==3.17.2",),
        "mlflow_spans.py",
        "MLflow: the store's own log_spans on SQLite, in this process, 5,000 spans a call. Its OTLP endpoint makes the "
        "same call behind a web server.",
    ),
)


def sections(scale: Scale, folder: Path) -> list[Section]:
    """One table; empty where the run is too small to compare."""
    if not scale.others_spans:
        return []
    file = inputs.lines("otlp", scale.others_spans, folder)
    section = Section(
        f"Against other products: {scale.others_spans:,} OTLP spans until they can be queried",
        ("seconds", "processor s", "spans/s", "faultlens is"),
    )
    for place, other in enumerate(OTHERS):
        _compare(section, other, file, folder, with_own_row=place == 0)
    section.notes.append(
        "Each starts on an empty store; starting its server or interpreter is not counted. The others get their spans "
        "as ready-made protobuf requests, faultlens reads the file of JSON lines."
    )
    return [section]


def _compare(section: Section, other: Other, file: Path, folder: Path, *, with_own_row: bool) -> None:
    """A B A B: faultlens and the other in turn."""
    kinds: dict[str, Callable[[], Measured]] = {
        "faultlens": lambda: in_child(loaded, files=[str(file)], store=_fresh_store(folder)),
        other.title: lambda: _measured(other, file),
    }
    try:
        _python_of(other)
        found = interleaved(kinds, rounds=2)
    except NotMade as reason:
        section.add(other.title, "skipped")
        section.notes.append(f"{other.title} is skipped (is a package index within reach?): {reason}")
        return
    if with_own_row:
        _row(section, "faultlens", found["faultlens"], file)
    _row(section, other.title, found[other.title], file, ratio(found[other.title], found["faultlens"]))
    section.notes.append(other.path_taken)


def _row(section: Section, name: str, found: list[Measured], file: Path, faster: float = math.nan) -> None:
    one, spans = middle(found), _spans_in(file)
    times = "" if math.isnan(faster) else f"{number(faster, 0 if faster >= 10 else 1)} times as fast"
    section.add(name, number(one.clock_s, 2), number(one.cpu_s, 2), number(spans / one.clock_s), times)


def _spans_in(file: Path) -> int:
    return file.read_text(encoding="utf-8").count('"spanId":')


def _fresh_store(folder: Path) -> str:
    store = folder / "others.duckdb"
    store.unlink(missing_ok=True)
    return str(store)


def _measured(other: Other, file: Path) -> Measured:
    with TemporaryDirectory(prefix="faultlens-bench-other-") as work:
        done = _ran([str(_python_of(other)), str(SCRIPTS / other.script), str(file), work])
    told = json.loads(done.splitlines()[-1])
    return Measured(told["clock_s"], told["cpu_s"], value=told["spans"])


def cache_folder() -> Path:
    """Where the environments lie."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "faultlens-bench"


def _python_of(other: Other) -> Path:
    """The interpreter of the product's environment, which is made where it is not there yet."""
    environment = cache_folder() / "_".join(other.packages)
    python = environment / "bin" / "python"
    if not (environment / INSTALLED).exists():
        print(f"installing {other.title} into {environment} (once; about 900 MB) …", file=sys.stderr)
        _ran([sys.executable, "-m", "venv", "--clear", str(environment)])
        _ran([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *other.packages])
        (environment / INSTALLED).touch()
    return python


def _ran(command: list[str]) -> str:
    """What the command printed; its last word as the reason where it failed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        complaint = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("WARNING")]
        raise NotMade(complaint[-1] if complaint else f"exit code {done.returncode}")
    return done.stdout
