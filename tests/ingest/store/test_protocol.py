"""What every store promises, in files and on a lake: `pytest --store-kind lake` runs these on one."""

import signal
import threading
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from ingest.store import (
    AnyStore,
    Hub,
    Migrations,
    StoreCorrupt,
    StoreLocked,
    StoreTooNew,
    memory_connection,
    migrations_in,
)
from tests.ingest.store.protocol import COUNTS, add, counts, publish, review
from tests.ingest.store.writer import Writer, opened


def attached(hub: Hub) -> list[str]:
    """The generations; not what a store may attach besides."""
    return [name for name in hub.attached() if name.startswith("g")]


def test_six_threads_read_whole_generations_while_another_process_publishes(
    store: AnyStore, hub: Hub, writer: Writer
) -> None:
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
    assert counts(store) == (70, 70)
    assert len(attached(hub)) == 1


def test_a_lease_keeps_its_generation_and_the_last_one_detaches_it(
    store: AnyStore,
    hub: Hub,
    con: duckdb.DuckDBPyConnection,
) -> None:
    publish(store, con)
    first, second = store.lease(), store.lease()
    publish(store, con)
    new = store.lease()
    assert first.generation == second.generation != new.generation
    assert [lease.rows(COUNTS)[0]["first"] for lease in (first, second, new)] == [1, 1, 2]
    assert len(attached(hub)) == 2
    first.close()
    assert len(attached(hub)) == 2
    second.close()
    second.close()
    assert len(attached(hub)) == 1
    assert new.rows(COUNTS)[0]["second"] == 2
    store.close()
    assert len(attached(hub)) == 1
    new.close()
    assert hub.attached() == []


def test_a_missing_store_reads_as_empty_and_appears_when_it_is_made(
    store: AnyStore,
    con: duckdb.DuckDBPyConnection,
) -> None:
    with store.lease() as lease:
        assert lease.rows(COUNTS) == [{"first": 0, "second": 0, "reviews": 0}]
        assert lease.as_of is None
        before = lease.generation
    publish(store, con)
    with store.lease() as lease:
        assert lease.generation != before
        assert lease.rows(COUNTS) == [{"first": 1, "second": 1, "reviews": 0}]
        assert lease.as_of is not None
        assert abs((datetime.now(UTC) - lease.as_of).total_seconds()) < 60


def test_what_people_write_first_of_all_makes_the_store(store: AnyStore, con: duckdb.DuckDBPyConnection) -> None:
    review(store, con)
    with store.lease() as lease:
        assert lease.rows(COUNTS) == [{"first": 0, "second": 0, "reviews": 1}]


def test_what_people_write_is_read_beside_the_records_and_survives_them(
    store: AnyStore,
    con: duckdb.DuckDBPyConnection,
) -> None:
    publish(store, con)
    with store.lease() as before:
        review(store, con)
        assert before.rows(COUNTS)[0]["reviews"] == 0
        with store.lease() as after:
            assert after.generation != before.generation
            assert after.rows(COUNTS) == [{"first": 1, "second": 1, "reviews": 1}]
    publish(store, con)
    with store.lease() as lease:
        assert lease.rows(COUNTS) == [{"first": 2, "second": 2, "reviews": 1}]
        assert lease.rows("SELECT count(*) AS n FROM acknowledgements") == [{"n": 0}]


def test_what_people_write_does_not_wait_for_an_ingest(
    store: AnyStore, con: duckdb.DuckDBPyConnection, url: str, schema: Migrations
) -> None:
    publish(store, con)
    with memory_connection() as other, store.publication(con) as draft:
        add(draft)
        with opened(url, schema) as again:
            review(again, other)
    with store.lease() as lease:
        assert lease.rows(COUNTS) == [{"first": 2, "second": 2, "reviews": 1}]


def test_generations_agree_between_processes(
    store: AnyStore, url: str, schema: Migrations, con: duckdb.DuckDBPyConnection
) -> None:
    publish(store, con)
    other = Hub()
    with store.lease() as here, opened(url, schema, other) as again, again.lease() as there:
        assert here.generation == there.generation
    other.close()


def test_an_older_store_is_migrated_when_it_is_read(
    store: AnyStore,
    url: str,
    folder: Path,
    hub: Hub,
    con: duckdb.DuckDBPyConnection,
) -> None:
    publish(store, con)
    (folder / "0002_third.sql").write_text("ALTER TABLE first_half ADD COLUMN note VARCHAR;")
    with opened(url, migrations_in(folder), hub) as newer, newer.lease() as lease:
        assert lease.rows("SELECT writer, n, note FROM first_half") == [{"writer": "test", "n": 0, "note": None}]
        assert lease.rows("SELECT version, name FROM schema_version WHERE name <> 'reviews' ORDER BY 1") == [
            {"version": 1, "name": "two_tables"},
            {"version": 2, "name": "third"},
        ]


def test_a_store_of_a_newer_version_is_refused_by_writer_and_reader(
    store: AnyStore, con: duckdb.DuckDBPyConnection
) -> None:
    with store.publication(con) as draft:
        draft.cursor().execute("INSERT INTO schema_version VALUES (2, 'from_the_future', now())")
    for use in (store.lease, lambda: publish(store, con)):
        with pytest.raises(StoreTooNew, match="schema 2, this faultlens knows up to 1") as refused:
            use()
        assert refused.value.exit_code == 3
        assert "\n" not in str(refused.value)


def test_the_store_of_another_program_is_refused(
    store: AnyStore, url: str, folder: Path, con: duckdb.DuckDBPyConnection
) -> None:
    publish(store, con)
    with store.publication(con) as draft:
        draft.cursor().execute("DROP TABLE schema_version")
    with opened(url, migrations_in(folder), Hub()) as again, pytest.raises(StoreCorrupt, match="another program"):
        again.lease()


def test_one_cursor_for_each_query_works_from_many_threads(store: AnyStore, con: duckdb.DuckDBPyConnection) -> None:
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


def test_a_closed_lease_answers_nothing(store: AnyStore) -> None:
    with store.lease() as lease:
        cursor = lease.cursor()
        cursor.execute("SELECT 1")
    with pytest.raises(duckdb.Error):
        cursor.fetchall()
    with pytest.raises(RuntimeError, match="take a new one"):
        lease.rows("SELECT 1")


def test_the_hub_loads_nothing_from_the_network_and_thinks_in_utc(store: AnyStore) -> None:
    with store.lease() as lease:
        assert lease.rows(
            "SELECT current_setting('autoinstall_known_extensions') AS install,"
            " current_setting('autoload_known_extensions') AS load, current_setting('TimeZone') AS zone",
        ) == [{"install": False, "load": False, "zone": "UTC"}]


def test_the_real_schema_reads_as_empty_and_as_made(url: str, hub: Hub, con: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM reviews) AS n"
    with opened(url, None, hub) as store:
        with store.lease() as lease:
            assert lease.rows(query) == [{"n": 0}]
        with store.publication(con):
            pass
        with store.lease() as lease:
            assert lease.rows(query) == [{"n": 0}]


def test_a_publication_and_a_reader_share_a_process(store: AnyStore, con: duckdb.DuckDBPyConnection) -> None:
    publish(store, con)
    with store.lease() as lease, store.publication(con) as draft:
        draft.cursor().execute("DELETE FROM first_half")
        assert lease.rows(COUNTS)[0]["first"] == 1
    assert counts(store) == (0, 1)


def test_two_processes_of_sixty_publications_leave_120_rows(store: AnyStore, writer: Writer) -> None:
    processes = [writer("left", 60), writer("right", 60)]
    assert [process.wait(120) for process in processes] == [0, 0]
    with store.lease() as lease:
        assert lease.rows("SELECT writer, count(DISTINCT n) AS n FROM first_half GROUP BY ALL ORDER BY ALL") == [
            {"writer": "left", "n": 60},
            {"writer": "right", "n": 60},
        ]
    assert counts(store) == (120, 120)


def test_a_killed_writer_leaves_the_old_store_and_the_next_one_works(store: AnyStore, writer: Writer) -> None:
    assert writer("before", 1).wait(30) == 0
    killed = writer("killed", 1, "hang")
    assert killed.stdout is not None
    assert killed.stdout.readline() == "inside\n"
    killed.send_signal(signal.SIGKILL)
    killed.wait(10)
    assert counts(store) == (1, 1)
    assert writer("after", 1).wait(30) == 0
    assert counts(store) == (2, 2)


def test_threads_of_one_process_write_one_after_the_other(store: AnyStore) -> None:
    def write(name: str) -> None:
        with memory_connection() as con:
            for n in range(5):
                with store.publication(con) as draft:
                    add(draft, name=name, n=n)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts(store) == (15, 15)


def test_whoever_waits_too_long_is_told_who_holds_the_store(
    store: AnyStore,
    con: duckdb.DuckDBPyConnection,
    writer: Writer,
) -> None:
    holder = writer("holder", 1, "hang")
    assert holder.stdout is not None
    assert holder.stdout.readline() == "inside\n"
    with (
        pytest.raises(StoreLocked, match=rf"written by process {holder.pid} on \S+ since 20") as locked,
        store.publication(con, wait_s=0.2),
    ):
        pass
    assert locked.value.exit_code == 3
    assert "\n" not in str(locked.value)


def fail_half_way(store: AnyStore, con: duckdb.DuckDBPyConnection) -> None:
    with store.publication(con) as draft:
        add(draft)
        raise ZeroDivisionError


def test_an_exception_leaves_the_old_store(store: AnyStore, con: duckdb.DuckDBPyConnection) -> None:
    publish(store, con)
    with store.lease() as lease:
        before = lease.generation
    with pytest.raises(ZeroDivisionError):
        fail_half_way(store, con)
    with store.lease() as lease:
        assert lease.generation == before
    publish(store, con)
    assert counts(store) == (2, 2)


def test_a_discarded_publication_makes_no_generation(store: AnyStore, con: duckdb.DuckDBPyConnection) -> None:
    publish(store, con)
    with store.lease() as lease:
        before = lease.generation
    with store.publication(con) as draft:
        add(draft)
        draft.discard()
    with store.lease() as lease:
        assert lease.generation == before
    assert counts(store) == (1, 1)


def test_two_drafts_of_one_connection_follow_one_another(store: AnyStore, con: duckdb.DuckDBPyConnection) -> None:
    for n in range(3):
        publish(store, con, n)
    assert counts(store) == (3, 3)
