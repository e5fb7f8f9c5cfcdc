"""What the lines of a kind look like: the keys they have, and how the values under them are written.

Few lines of a file have a look of their own. So the statements name only the keys that were met, and a line is checked
by looking its shape up among those that are known to be right.
"""

from __future__ import annotations

from dataclasses import replace

import duckdb

from ingest.bulk.native_kinds import OF_KIND, Kind

# So many lines are looked at to learn from.
_SAMPLE = 2_000


class Look:
    """The kind as it has been met in a file so far."""

    def __init__(self, kind: Kind) -> None:
        self._whole = kind
        self._keys: frozenset[str] = frozenset()
        self._with_others = False
        self.kind = kind.narrowed(self._keys, with_others=False)

    def learn(self, con: duckdb.DuckDBPyConnection) -> bool:
        """The look has what is new in the lines of `OF_KIND`; false where nothing is."""
        sample = f"(SELECT line, offset_bytes, text FROM {OF_KIND} LIMIT {_SAMPLE})"
        keys = set(_column(con, f"SELECT DISTINCT unnest(json_keys(text)) FROM {sample}"))
        known, others = keys & self._whole.keys.keys(), keys - self._whole.keys.keys()
        is_new = not known <= self._keys or (bool(others) and not self._with_others)
        if is_new:
            self._keys |= known
            self._with_others |= bool(others)
            self.kind = self._whole.narrowed(self._keys, with_others=self._with_others)
        return self._learn_shapes(con) or is_new

    def _learn_shapes(self, con: duckdb.DuckDBPyConnection) -> bool:
        if self.kind.takes_any_shape:
            return False
        met = f"SELECT DISTINCT types::VARCHAR FROM ({self.kind.read()} LIMIT {_SAMPLE})"
        shapes = [shape for shape in _column(con, met) if shape not in self.kind.shapes and self.kind.is_shape(shape)]
        self.kind = replace(self.kind, shapes=(*self.kind.shapes, *shapes))
        return bool(shapes)


def _column(con: duckdb.DuckDBPyConnection, sql: str) -> list[str]:
    return [value for (value,) in con.execute(sql).fetchall()]
