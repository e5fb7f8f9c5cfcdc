"""`python -m tests.attribution.fit [FOLDER]` fits the weights and writes them into the query, which ships them.

Which files they were fitted to is written beside, so that the measurement can tell those from files they never saw.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ingest.store import open_store
from tests.attribution.labelled import SPLITS, cases, folder, loaded
from tests.attribution.ranking import Claims, claims_of, fitted

QUERY = Path(__file__).parents[2] / "queries" / "origins" / "origin_candidates.sql"
FILES = Path(__file__).with_name("fitted_files.txt")
_BLOCK = re.compile(r"(    -- weights: begin\n)(.*?)(    -- weights: end\n)", re.DOTALL)
# The shape of a run, the split it is fitted on, and its rules: the claims that a reviewer would check.
SHAPES: dict[str, tuple[str, tuple[str, ...]]] = {
    "group": (
        SPLITS[0],
        (
            "first-answer",
            "first-code-run",
            "before-first-failure",
            "assumed-data",
            "by-hand",
            "code-not-run",
            "concludes-unchecked",
            "task-statement",
            "late",
            "environment",
            "farewell",
        ),
    ),
    "ledger": (
        SPLITS[1],
        (
            "action",
            "second-action",
            "third-action",
            "last-action",
            "typed-query",
            "declared-satisfied",
            "first-replan",
            "instruction",
            "ledger",
            "late-action",
            "turn-taking",
        ),
    ),
    "tools": (
        SPLITS[3],
        (
            "changes-state",
            "rejected-call",
            "first-reading",
            "changed-request",
            "later-part",
            "environment",
            "task-statement",
        ),
    ),
}


def rules_of(split: str) -> tuple[str, ...]:
    """The rules that are weighed in a split; Magentic-One runs of both sets have one shape."""
    shape = {SPLITS[0]: "group", SPLITS[3]: "tools"}.get(split, "ledger")
    return SHAPES[shape][1]


def with_weights(sql: str, rows: Sequence[tuple[str, str, float]]) -> str:
    """The query with these weights between its two marks."""
    block = ",\n".join(f"    ('{shape}', '{rule}', {weight:.3f})" for shape, rule, weight in rows)
    return _BLOCK.sub(lambda found: f"{found[1]}{block}\n{found[3]}", sql)


def main() -> None:
    """The weights are fitted and written."""
    data = folder(sys.argv[1] if len(sys.argv) > 1 else None)
    # Every rule must have a weight for the query to tell of it.
    blank = [(shape, rule, 0.0) for shape, (_, rules) in SHAPES.items() for rule in rules]
    QUERY.write_text(with_weights(QUERY.read_text(encoding="utf-8"), blank), encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        loaded(data, Path(scratch) / "labelled.duckdb")
        with open_store(Path(scratch) / "labelled.duckdb").lease() as lease:
            claims = [claims_of(lease, case) for case in cases(data, lease)]
    _write(claims)


def _write(claims: Sequence[Claims]) -> None:
    rows, used = [], []
    for shape, (split, rules) in SHAPES.items():
        of_split = [c for c in claims if c.case.split == split]
        used += [c.case.digest for c in of_split]
        weights = fitted(of_split, rules)
        rows += [
            (shape, rule, float(weight))
            for rule, weight in sorted(zip(rules, weights, strict=True), key=lambda r: -r[1])
        ]
    QUERY.write_text(with_weights(QUERY.read_text(encoding="utf-8"), rows), encoding="utf-8")
    FILES.write_text("".join(f"{digest}\n" for digest in sorted(used)), encoding="utf-8")


if __name__ == "__main__":
    main()
