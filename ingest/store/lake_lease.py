"""A lease on one snapshot of a lake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ingest.store.lake_errors import LakeUnreachable, lake_refusals
from ingest.store.lease import Lease

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from ingest.store.hub import Hub
    from ingest.store.lake_url import LakeAddress
    from ingest.store.lease import Parameters


class LakeLease(Lease):
    """One snapshot, which nobody erases until the lease is closed."""

    def __init__(
        self,
        hub: Hub,
        search_path: str,
        generation: str,
        as_of: datetime | None,
        give_back: Callable[[], None],
        *,
        address: LakeAddress,
    ) -> None:
        """Hold what was taken; `give_back` is called once, on close."""
        super().__init__(hub, search_path, generation, as_of, give_back)
        self._address = address

    def rows(self, sql: str, params: Parameters | None = None) -> list[dict[str, Any]]:
        """Return every row of one query, by column name."""
        try:
            return self._asked(sql, params)
        except LakeUnreachable:
            # A connection that was kept since an earlier query may have died of old age; the next one is new.
            return self._asked(sql, params)

    def _asked(self, sql: str, params: Parameters | None) -> list[dict[str, Any]]:
        with lake_refusals(self._address):
            return super().rows(sql, params)
