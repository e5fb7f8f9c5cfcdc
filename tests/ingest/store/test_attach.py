"""Readers hold a lease on one generation of two files."""

import threading
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from ingest.store import Hub, Migrations, Store, ensure_store, migrations_in, process_hub
from tests.ingest.store.writer import Writer

HALVES = """
    SELECT (SELECT count(*) FROM first_half) AS first,
           (SELECT count(*) FROM second_half) AS second,
           (SELECT count(*) FROM reviews) AS reviews
"""


def publish(store: Store, con: duckdb.DuckDBPyConnection, n: int = 0) -> None:
    with store.publication(con) as draft:
        con.execute(f"INSERT INTO {draft.alias}.first_half VALUES ('test', {n})")
        con.execute(f"INSERT INTO {draft.alias}.second_half VALUES ('test', {n})")


def review(store: Store, con: duckdb.DuckDBPyConnection) -> None:
    with store.people_publication(con) as draft:
        con.execute(f"INSERT INTO {draft.alias}.reviews (review_id, body, created_at) VALUES ('1', '{{}}', now())")


def firsts(store: Store) -> int:
    with store.lease() as lease:
        return int(lease.rows(HALVES)[0]["first"])


def test_six_threads_read_whole_generations_while_another_process_publishes(store: Store, writer: Writer) -> None:
    process = writer("other", 70)
    errors: list[str] = []
    seen: list[int] = []

    def read() -> None:
        while process.poll() is None:
            try:
                with store.lease() as lease:
                    first = lease.rows("SELECT count(*) AS n FROM first_half")[0]["n"]
                    second = lease.rows("SELECT count(*) AS n FROM second_half")[0]["n"]
                    again = lease.rows("SELECT count(*) AS n FROM first_half")[0]["n"]
            except Exception as error:  # noqa: BLE001 - whatever it is, the test reports it
                errors.append(repr(error))
            else:
                seen.append(first)
                if not first == second == again:
                    errors.append(f"{first} {second} {again}")

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert process.wait() == 0
    assert errors == []
    assert len(set(seen)) > 20
    assert firsts(store) == 70
    assert len(store._hub.attached()) == 1


def test_a_lease_keeps_its_generation_and_the_last_one_detaches_it(
    store: Store,
    hub: Hub,
    con: duckdb.DuckDBPyConnection,
) -> None:
    publish(store, con)
    first, second = store.lease(), store.lease()
    publish(store, con)
    new = store.lease()
    assert first.generation == second.generation != new.generation
    assert [lease.rows(HALVES)[0]["first"] for lease in (first, second, new)] == [1, 1, 2]
    assert len(hub.attached()) == 2
    first.close()
    assert len(hub.attached()) == 2
    second.close()
    second.close()
    assert len(hub.attached()) == 1
    assert new.rows(HALVES)[0]["second"] == 2
    store.close()
    assert len(hub.attached()) == 1
    new.close()
    assert hub.attached() == []


def test_fifty_generations_leave_one_attached_and_no_file_open(
    store: Store,
    hub: Hub,
    con: duckdb.DuckDBPyConnection,
) -> None:
    for n in range(50):
        publish(store, con, n)
        assert firsts(store) == n + 1
    assert len(hub.attached()) == 1
    assert len(open_files(store.path)) == 1


def open_files(path: Path) -> list[str]:
    targets = [str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return [target for target in targets if target.startswith(str(path))]


def test_a_missing_store_reads_as_empty_and_appears_when_it_is_made(
    store: Store,
    con: duckdb.DuckDBPyConnection,
) -> None:
    with store.lease() as lease:
        assert lease.rows(HALVES) == [{"first": 0, "second": 0, "reviews": 0}]
        assert lease.as_of is None
        before = lease.generation
    publish(store, con)
    with store.lease() as lease:
        assert lease.generation != before
        assert lease.rows(HALVES) == [{"first": 1, "second": 1, "reviews": 0}]
        assert lease.as_of is not None
        assert abs((datetime.now(UTC) - lease.as_of).total_seconds()) < 60


def test_a_store_that_is_taken_away_reads_as_empty_again(store: Store, con: duckdb.DuckDBPyConnection) -> None:
    publish(store, con)
    assert firsts(store) == 1
    store.path.unlink()
    assert firsts(store) == 0
    assert store._hub.attached() == []


def test_what_people_write_is_read_beside_the_records_and_survives_them(
    store: Store,
    con: duckdb.DuckDBPyConnection,
) -> None:
    publish(store, con)
    with store.lease() as before:
        review(store, con)
        assert before.rows(HALVES)[0]["reviews"] == 0
        with store.lease() as after:
            assert after.generation != before.generation
            assert after.rows(HALVES) == [{"first": 1, "second": 1, "reviews": 1}]
    publish(store, con)
    with store.lease() as lease:
        assert lease.rows(HALVES) == [{"first": 2, "second": 2, "reviews": 1}]
        assert lease.rows("SELECT count(*) AS n FROM acknowledgements") == [{"n": 0}]


def test_generations_agree_between_processes(store: Store, schema: Migrations, con: duckdb.DuckDBPyConnection) -> None:
    publish(store, con)
    other = Hub()
    with store.lease() as here, Store(store.path, hub=other, migrations=schema).lease() as there:
        assert here.generation == there.generation
    other.close()


def test_an_older_store_is_migrated_when_it_is_read(
    path: Path,
    folder: Path,
    schema: Migrations,
    hub: Hub,
    con: duckdb.DuckDBPyConnection,
) -> None:
    publish(Store(path, hub=hub, migrations=schema), con)
    (folder / "0002_third.sql").write_text("ALTER TABLE first_half ADD COLUMN note VARCHAR;")
    with Store(path, hub=hub, migrations=migrations_in(folder)).lease() as lease:
        assert lease.rows("SELECT writer, n, note FROM first_half") == [{"writer": "test", "n": 0, "note": None}]
        assert lease.rows("SELECT version, name FROM schema_version ORDER BY 1") == [
            {"version": 1, "name": "two_tables"},
            {"version": 2, "name": "third"},
        ]


def test_one_cursor_for_each_query_works_from_many_threads(store: Store, con: duckdb.DuckDBPyConnection) -> None:
    publish(store, con)
    answers: list[int] = []
    with store.lease() as lease:

        def ask(n: int) -> None:
            for _ in range(20):
                answers.extend(row["n"] for row in lease.rows(f"SELECT n + {n} AS n FROM first_half"))

        threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(answers) == sorted(list(range(8)) * 20)


def test_a_closed_lease_answers_nothing(store: Store) -> None:
    with store.lease() as lease:
        cursor = lease.cursor()
        cursor.execute("SELECT 1")
    with pytest.raises(duckdb.Error):
        cursor.fetchall()
    with pytest.raises(RuntimeError, match="take a new one"):
        lease.rows("SELECT 1")


def test_the_hub_loads_nothing_from_the_network_and_thinks_in_utc(store: Store) -> None:
    with store.lease() as lease:
        assert lease.rows(
            "SELECT current_setting('autoinstall_known_extensions') AS install,"
            " current_setting('autoload_known_extensions') AS load, current_setting('TimeZone') AS zone",
        ) == [{"install": False, "load": False, "zone": "UTC"}]


def test_a_process_has_one_hub() -> None:
    assert process_hub() is process_hub()


def test_the_real_schema_reads_as_empty_and_as_made(tmp_path: Path, hub: Hub) -> None:
    path = tmp_path / "faultlens.duckdb"
    query = "SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM reviews) AS n"
    store = Store(path, hub=hub)
    with store.lease() as lease:
        assert lease.rows(query) == [{"n": 0}]
    ensure_store(path)
    with store.lease() as lease:
        assert lease.rows(query) == [{"n": 0}]


def test_a_publication_and_a_reader_share_a_process(store: Store, con: duckdb.DuckDBPyConnection) -> None:
    publish(store, con)
    with store.lease() as lease, store.publication(con) as draft:
        con.execute(f"DELETE FROM {draft.alias}.first_half")
        assert lease.rows(HALVES)[0]["first"] == 1
    assert firsts(store) == 0
