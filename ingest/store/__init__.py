"""The store: schema, migrations, reading by lease, writing by publication."""

from ingest.store.attach import Store
from ingest.store.catalog import memory_connection
from ingest.store.errors import (
    FaultlensError,
    StoreCorrupt,
    StoreLocked,
    StoreMissing,
    StoreTooNew,
    StoreUnusable,
)
from ingest.store.hub import Hub, process_hub
from ingest.store.lease import Lease
from ingest.store.lock import WAIT_S
from ingest.store.migrate import Migrations, main_migrations, migrate, migrations_in, people_migrations
from ingest.store.paths import people_path
from ingest.store.publish import Publication, ensure_store, publication
from ingest.store.url import AnyStore, open_store, shown

__all__ = [
    "WAIT_S",
    "AnyStore",
    "FaultlensError",
    "Hub",
    "Lease",
    "Migrations",
    "Publication",
    "Store",
    "StoreCorrupt",
    "StoreLocked",
    "StoreMissing",
    "StoreTooNew",
    "StoreUnusable",
    "ensure_store",
    "main_migrations",
    "memory_connection",
    "migrate",
    "migrations_in",
    "open_store",
    "people_migrations",
    "people_path",
    "process_hub",
    "publication",
    "shown",
]
