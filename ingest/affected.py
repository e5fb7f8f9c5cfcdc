"""Which runs an ingest concerns, and in which portions they are put together.

Temporary tables of the connection say it: `affected` the runs, `renamed` the ids that were guessed and are known now,
`replaced` the runs of the portion at hand, whose staged records lie in the workspace's own tables. A view says where
every file lies: `file_paths`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ingest.derive.conditions import filled
from ingest.staging import HANDS, Staging
from ingest.tables import KEYS, OF_RUNS, WITHOUT_RUN, bring

# So many rows are put together at once, and rows of about so many bytes of source; a run is never split.
ROWS_AT_ONCE = 2_000_000
BYTES_AT_ONCE = 200_000_000
# The rows of fewer runs are not worth counting.
_FEW_RUNS = 50
# A portion whose units lie apart from all others is found without a look at the runs.
_PORTIONS = """
SELECT portion, low, high, coalesce(low > max(high) OVER before, true) AND coalesce(high < min(low) OVER after, true)
FROM (SELECT portion, min(low) AS low, max(high) AS high FROM portions GROUP BY portion)
WINDOW before AS (ORDER BY portion ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
       after AS (ORDER BY portion ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
ORDER BY portion
"""


@dataclass(frozen=True, slots=True)
class Affected:
    """What is known of the affected runs. Where all are new, which is the common case, much can be left undone."""

    known: int
    is_forgotten: bool
    is_renamed: bool
    brings_catalogue: bool

    @property
    def are_new(self) -> bool:
        """The store knows none of them, by no name, and nobody removed one."""
        return not (self.known or self.is_forgotten or self.is_renamed)


@dataclass(frozen=True, slots=True)
class Portion:
    """Runs that are put together at once: a number in `portions`, and the units between which their records lie.

    Without a number it is all of them, whose records are in the workspace already.
    """

    number: int | None = None
    low: int | None = None
    high: int | None = None
    is_alone: bool = True


def find(staging: Staging, store: str, outgrown: Sequence[str] = ()) -> Affected:
    """The runs are known. `outgrown` are the shorter versions of files that have grown: all of theirs is read again."""
    con = staging.con
    _locate_files(staging, store)
    others = [f"SELECT run_id FROM {store}.{table} WHERE list_contains($outgrown, file_id)" for table in KEYS]
    others = others if outgrown else []
    if is_renamed := _find_renamed(staging, store):
        others.append("SELECT new_id FROM renamed")
        others.append(f"SELECT old_id FROM renamed WHERE old_id IN (SELECT run_id FROM {store}.run_records)")
    if brings_catalogue := bool(filled(con, WITHOUT_RUN, staging.staged)):
        # What a catalogue says is current changes the steps that consumed something.
        others.append(f"SELECT run_id FROM {store}.context_sets WHERE set_name = 'consumed'")
    runs = " UNION ".join((f"SELECT DISTINCT run_id FROM {staging.staged}.run_records", *others))
    given = {"outgrown": list(outgrown)} if outgrown else None
    con.execute(f"CREATE OR REPLACE TEMP TABLE affected AS {runs}", given).fetchall()
    return Affected(*_met_before(staging, store, "affected"), is_renamed, brings_catalogue)


def choose(staging: Staging, store: str, derived_by: str | None) -> Affected:
    """Every run of the store is affected, or every one that was derived by another version than that."""
    con = staging.con
    _locate_files(staging, store)
    con.execute("CREATE OR REPLACE TEMP TABLE renamed (old_id VARCHAR, new_id VARCHAR)").fetchall()
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE affected AS SELECT run_id FROM {store}.runs"
        " WHERE $version IS NULL OR derived_by IS DISTINCT FROM $version",
        {"version": derived_by},
    ).fetchall()
    found = con.execute(f"SELECT coalesce(sum(bytes), 0) FROM {store}.source_files WHERE status = 'loaded'").fetchall()
    staging.source_bytes = int(found[0][0])
    return Affected(*_met_before(staging, store, "affected"), is_renamed=False, brings_catalogue=False)


def portions(staging: Staging, store: str, found: Affected, hands: int = 1) -> list[Portion]:
    """The runs in portions, which so many hands put together side by side.

    They are as small for one hand as for all: what a lake's only hand leaves of the memory, its writer needs.
    """
    if staging.is_in_memory and not _is_much(staging, store, found):
        return [Portion()]
    staging.set_apart()
    staging.share(hands)
    _divide(staging, store)
    return [Portion(*row) for row in staging.con.execute(_PORTIONS).fetchall()]


@contextmanager
def taken(staging: Staging, store: str, found: Affected, portion: Portion) -> Iterator[Affected]:
    """The runs of the portion are `replaced`, and their staged records in the workspace's tables."""
    con = staging.con
    if portion.number is None:
        con.execute("CREATE OR REPLACE TEMP TABLE replaced AS SELECT run_id FROM affected").fetchall()
        yield found
        return
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE replaced AS SELECT run_id FROM portions WHERE portion = {portion.number}"
    ).fetchall()
    staging.take_replaced(portion.low, portion.high, is_alone=portion.is_alone)
    yield Affected(*_met_before(staging, store, "replaced"), found.is_renamed, found.brings_catalogue)
    staging.workspace.empty()


def tell(staging: Staging, other: Staging, store: str) -> None:
    """The other one's connection knows of the runs what this one's knows."""
    _locate_files(other, store)
    for table in ("portions", "renamed"):
        bring(staging.con, other.con, f"CREATE OR REPLACE TEMP TABLE {table} AS", f"SELECT * FROM {table}")


def _locate_files(staging: Staging, store: str) -> None:
    """The versions of a growing file share a path, and the count of positions."""
    con = staging.con
    con.execute(
        "CREATE OR REPLACE TEMP TABLE new_paths AS"
        # A list without an entry says no type.
        " SELECT unnest($ids::VARCHAR[]) AS file_id, unnest($paths::VARCHAR[]) AS path",
        {"ids": list(staging.paths), "paths": list(staging.paths.values())},
    ).fetchall()
    con.execute(
        # A companion that several files share is listed with each of them.
        f"CREATE OR REPLACE TEMP VIEW file_paths AS SELECT file_id, min(path) AS path FROM {store}.source_files"
        " WHERE file_id NOT IN (SELECT file_id FROM new_paths) GROUP BY file_id"
        " UNION ALL SELECT file_id, path FROM new_paths"
    ).fetchall()


def _find_renamed(staging: Staging, store: str) -> bool:
    """A run exported without its id is the run with the same events that has one, in either order of loading."""
    con, staged = staging.con, staging.staged
    if not con.execute(f"SELECT 1 FROM {staged}.run_records WHERE event_digest IS NOT NULL LIMIT 1").fetchall():
        con.execute("CREATE OR REPLACE TEMP TABLE renamed (old_id VARCHAR, new_id VARCHAR)").fetchall()
        return False
    con.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE renamed AS
        WITH candidates AS (
            SELECT run_id, identity, event_digest FROM {staged}.run_records WHERE event_digest IS NOT NULL
            UNION ALL
            SELECT run_id, identity, event_digest FROM {store}.run_records WHERE event_digest IS NOT NULL
        ),
        identified AS (
            SELECT event_digest, min(run_id) AS run_id FROM candidates WHERE identity = 'recorded' GROUP BY event_digest
        )
        SELECT DISTINCT candidates.run_id AS old_id, identified.run_id AS new_id
        FROM candidates JOIN identified USING (event_digest)
        WHERE candidates.identity = 'derived'
          AND event_digest IN (SELECT event_digest FROM {staged}.run_records)
        """
    ).fetchall()
    return bool(con.execute("SELECT 1 FROM renamed LIMIT 1").fetchall())


def _met_before(staging: Staging, store: str, runs: str) -> tuple[int, bool]:
    """How many of the runs the store has, and whether somebody removed one."""
    among = f"run_id IN (SELECT run_id FROM {runs})"
    forgotten = f"SELECT count(*) > 0 FROM {store}.forgotten_runs WHERE {among}"
    asked = f"SELECT count(*), ({forgotten}) FROM {store}.runs WHERE {among}"
    known, is_forgotten = staging.con.execute(asked).fetchall()[0]
    return known, is_forgotten


def _is_much(staging: Staging, store: str, found: Affected) -> bool:
    """The store holds more rows of the affected runs than are put together at once."""
    if found.known <= _FEW_RUNS:
        return False
    counts = " UNION ALL ".join(
        f"SELECT count(*) AS n FROM {store}.{table} WHERE run_id IN (SELECT run_id FROM affected)" for table in OF_RUNS
    )
    return bool(staging.con.execute(f"SELECT sum(n) > {ROWS_AT_ONCE} FROM ({counts})").fetchall()[0][0])


def _divide(staging: Staging, store: str) -> None:
    """`portions`: in which one each run is, in the order in which the sources tell of them; both names of a run in one.

    `low` and `high` are the first and last unit of the run: what lies near one another is read together.
    """
    con = staging.con
    arms = [f"SELECT run_id, unit FROM {staging.staged}.{table}" for table in filled(con, OF_RUNS, staging.staged)]
    arms += [
        f"SELECT run_id, NULL::BIGINT AS unit FROM {store}.{table} WHERE run_id IN (SELECT run_id FROM affected)"
        for table in filled(con, OF_RUNS, store)
    ]
    rows = " UNION ALL ".join(arms) or "SELECT NULL::VARCHAR AS run_id, NULL::BIGINT AS unit"
    at_once = _rows_at_once(staging, rows)
    con.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE portions AS
        WITH sizes AS (
            SELECT run_id, count(*) AS size, min(unit) AS low, max(unit) AS high FROM ({rows}) GROUP BY run_id
        ),
        named AS (
            SELECT affected.run_id, coalesce(new_id, affected.run_id) AS known_as, size, low, high
            FROM affected LEFT JOIN sizes USING (run_id) LEFT JOIN renamed ON old_id = affected.run_id
        ),
        numbered AS (
            SELECT known_as, coalesce(sum(sum(size)) OVER (
                ORDER BY min(low) NULLS LAST, known_as ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
                // {at_once} AS number
            FROM named GROUP BY known_as
        )
        SELECT run_id, number::BIGINT AS portion, low, high FROM named JOIN numbered USING (known_as)
        """
    ).fetchall()


def _rows_at_once(staging: Staging, rows: str) -> int:
    """Fewer where each row stands for many bytes of the sources; as many for every hand, so that none is left idle."""
    count = int(staging.con.execute(f"SELECT count(*) FROM ({rows})").fetchall()[0][0])
    most = min(ROWS_AT_ONCE, BYTES_AT_ONCE * count // staging.source_bytes if staging.source_bytes else ROWS_AT_ONCE)
    rounds = -(-count // max(1, most))
    return max(1, -(-count // max(1, rounds * HANDS)))
