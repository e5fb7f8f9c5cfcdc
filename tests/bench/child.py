"""`python -m tests.bench.child MODULE:FUNCTION JSON`: does one piece of work and prints its measurement as JSON.

What is printed before the last line is the work's own talk.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
from dataclasses import asdict

from tests.bench.measure import clocked

# Linux counts in kilobytes, macOS in bytes.
_MAXRSS_MB = 1_000_000 if sys.platform == "darwin" else 1_000


def main(name: str, arguments: str) -> None:
    """The function is called once with the arguments."""
    module, _, function = name.partition(":")
    work = getattr(importlib.import_module(module), function)
    measured = asdict(clocked(lambda: work(**json.loads(arguments))))
    measured["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MAXRSS_MB
    print(f"\n{json.dumps(measured)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
