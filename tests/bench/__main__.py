"""`python -m tests.bench`: every figure that the product promises, from one run on this machine, in tables.

Data is seeded. What is compared runs in turn (A B A B), so that a noisy machine is noisy for both. `--quick` takes a
minute and judges nothing; without it a run has a million records; `--soak` has ten, and a file of five gigabytes.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench import machine, results
from tests.bench.report import Section, as_text, verdicts
from tests.bench.scale import DEFAULT, QUICK, SOAK, Scale

# A part is a module with `sections(scale, folder)`. Those that need the machine to themselves for a moment come first.
PARTS = {
    "start-up": "start_up",
    "ingest": "ingest_speed",
    "others": "others_speed",
    "memory": "memory_growth",
    "small": "small_costs",
    "queries": "query_growth",
    "browser": "browser_speed",
}


def main() -> None:
    """The tables are printed as they come, and written where that was asked for; exit code 1 where a part failed."""
    logging.disable(logging.WARNING)
    options = _options()
    scale: Scale = options.scale
    began, described = time.monotonic(), machine.described()
    print(f"{scale.title}\n{described}")
    sections: list[Section] = []
    with TemporaryDirectory(prefix="faultlens-bench-") as folder:
        for part in options.only or PARTS:
            sections += _told(part, scale, Path(folder))
    minutes = (time.monotonic() - began) / 60
    print("\n" + "\n".join(verdicts(sections)) + f"\n{minutes:.1f} minutes")
    if options.write:
        results.write(scale, described, sections, minutes)
    sys.exit(any(section.failed for section in sections))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", dest="scale", action="store_const", const=QUICK, help="small sizes, for developers")
    size.add_argument(
        "--soak", dest="scale", action="store_const", const=SOAK, help="ten million records, five gigabytes"
    )
    parser.add_argument("--only", nargs="+", choices=list(PARTS), metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--write", action="store_true", help=f"write the report of this run to {results.FILE.name}")
    parser.set_defaults(scale=DEFAULT)
    options = parser.parse_args()
    if options.write and (options.only or options.scale is QUICK):
        parser.error("--write keeps whole runs only: leave --only and --quick away")
    return options


def _told(part: str, scale: Scale, folder: Path) -> list[Section]:
    """The sections of a part, printed as soon as they are there; files that parts share stay in the folder."""
    began = time.monotonic()
    try:
        found: list[Section] = importlib.import_module(f"tests.bench.{PARTS[part]}").sections(scale, folder)
    except Exception as error:  # noqa: BLE001 - a part that fails must not cost the minutes of the others
        found = [Section(f"Part {part}: failed", (), notes=[f"{type(error).__name__}: {error}"], failed=True)]
    for section in found:
        print(f"\n{as_text(section)}", flush=True)
    print(f"({part}: {time.monotonic() - began:.0f} s)", flush=True)
    return found


if __name__ == "__main__":
    main()
