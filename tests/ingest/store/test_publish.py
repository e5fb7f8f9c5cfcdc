"""A store changes by a whole new file or not at all."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest

from ingest.store import (
    FaultlensError,
    Migrations,
    Store,
    StoreCorrupt,
    StoreLocked,
    StoreMissing,
    StoreTooNew,
    StoreUnusable,
    ensure_store,
    publication,
)
from ingest.store.publish import bring_up_to_date
from tests.ingest.store.protocol import add, counts
from tests.ingest.store.writer import ROOT, Writer

pytestmark = pytest.mark.file_store


def inode(path: Path) -> int:
    return path.stat().st_ino


def beside(path: Path) -> set[str]:
    return {entry.name for entry in path.parent.iterdir() if entry.name.startswith(path.name)}


def test_a_killed_writer_leaves_its_draft_and_the_next_one_removes_it(store: Store, writer: Writer) -> None:
    assert writer("before", 1).wait(30) == 0
    old = store.path.read_bytes()
    killed = writer("killed", 1, "hang")
    assert killed.stdout is not None
    assert killed.stdout.readline() == "inside\n"
    killed.send_signal(signal.SIGKILL)
    killed.wait(10)
    assert store.path.with_name("faultlens.duckdb.next").exists()
    assert store.path.read_bytes() == old
    assert writer("after", 1).wait(30) == 0
    assert beside(store.path) == {"faultlens.duckdb", "faultlens.duckdb.lock"}


def test_an_exception_leaves_the_old_file_and_nothing_beside_it(store: Store, con: duckdb.DuckDBPyConnection) -> None:
    with store.publication(con) as draft:
        add(draft)
    old = inode(store.path)
    with pytest.raises(ZeroDivisionError):
        fail_half_way(store, con)
    assert inode(store.path) == old
    assert beside(store.path) == {"faultlens.duckdb", "faultlens.duckdb.lock"}
    assert con.execute("SELECT count(*) FROM duckdb_databases() WHERE database_name LIKE 'next%'").fetchall() == [(0,)]


def fail_half_way(store: Store, con: duckdb.DuckDBPyConnection) -> None:
    with store.publication(con) as draft:
        add(draft)
        con.begin()
        con.execute(f"INSERT INTO {draft.alias}.first_half VALUES ('open', 1)")
        raise ZeroDivisionError


def leave_open(store: Store, con: duckdb.DuckDBPyConnection, sql: str, *, own_cursor: bool) -> None:
    with store.publication(con) as draft:
        cursor = con if own_cursor else draft.cursor()
        cursor.begin()
        cursor.execute(sql.format(draft.alias)).fetchall()


@pytest.mark.parametrize("own_cursor", [True, False])
@pytest.mark.parametrize("sql", ["INSERT INTO {}.first_half VALUES ('open', 1)", "FROM {}.first_half"])
def test_a_transaction_left_open_is_refused_and_never_published_in_part(
    sql: str,
    *,
    own_cursor: bool,
    store: Store,
    con: duckdb.DuckDBPyConnection,
) -> None:
    with pytest.raises(StoreLocked, match="commit or fetch it"):
        leave_open(store, con, sql, own_cursor=own_cursor)
    assert not store.path.exists()
    with store.publication(con) as draft:
        add(draft)
    assert counts(store) == (1, 1)


def test_a_discarded_first_publication_makes_no_file(
    path: Path,
    schema: Migrations,
    con: duckdb.DuckDBPyConnection,
) -> None:
    with publication(path, con, migrations=schema) as draft:
        draft.discard()
    assert not path.exists()


def test_a_rewritten_store_holds_no_byte_of_what_was_deleted(
    path: Path,
    schema: Migrations,
    con: duckdb.DuckDBPyConnection,
    store: Store,
) -> None:
    secret = "the-planted-name-of-a-person"
    with publication(path, con, migrations=schema) as draft:
        add(draft)
        add(draft, name=secret)
    assert secret.encode() in path.read_bytes()
    with publication(path, con, migrations=schema) as draft:
        cursor = draft.cursor()
        cursor.execute("DELETE FROM first_half WHERE writer = ?", [secret])
        cursor.execute("DELETE FROM second_half WHERE writer = ?", [secret])
        draft.rewrite()
    assert secret.encode() not in path.read_bytes()
    assert counts(store) == (1, 1)
    assert beside(path) == {"faultlens.duckdb", "faultlens.duckdb.lock"}


def test_ensure_store_makes_one_and_leaves_one(path: Path, schema: Migrations, store: Store) -> None:
    ensure_store(path, migrations=schema)
    made = inode(path)
    ensure_store(path, migrations=schema)
    bring_up_to_date(path, migrations=schema)
    assert inode(path) == made
    assert counts(store) == (0, 0)


def test_a_store_keeps_its_mode_and_a_link_stays_a_link(
    tmp_path: Path,
    path: Path,
    schema: Migrations,
    con: duckdb.DuckDBPyConnection,
) -> None:
    ensure_store(path, migrations=schema)
    path.chmod(0o640)
    link = tmp_path / "link.duckdb"
    link.symlink_to(path)
    with publication(link, con, migrations=schema) as draft:
        add(draft)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640


def test_files_are_written_for_the_duckdb_people_have(path: Path, schema: Migrations, store: Store) -> None:
    ensure_store(path, migrations=schema)
    with store.lease() as lease:
        sql = "SELECT tags['storage_version'] AS v FROM duckdb_databases() WHERE path = $path"
        (row,) = lease.rows(sql, {"path": str(path)})
    assert row["v"].startswith("v1.5")


def test_what_another_program_wrote_and_did_not_check_in_is_kept(
    path: Path,
    schema: Migrations,
    con: duckdb.DuckDBPyConnection,
    store: Store,
) -> None:
    ensure_store(path, migrations=schema)
    code = (
        "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]);"
        "c.execute(\"INSERT INTO first_half VALUES ('shell', 1)\");"
        "c.execute(\"INSERT INTO second_half VALUES ('shell', 1)\"); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    assert path.with_name("faultlens.duckdb.wal").exists()
    with publication(path, con, migrations=schema) as draft:
        add(draft)
    assert counts(store) == (2, 2)
    assert beside(path) == {"faultlens.duckdb", "faultlens.duckdb.lock"}


def test_a_program_that_has_the_store_open_for_writing_is_named(
    path: Path,
    schema: Migrations,
    con: duckdb.DuckDBPyConnection,
    store: Store,
) -> None:
    ensure_store(path, migrations=schema)
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as shell:
        assert shell.stdout is not None
        assert shell.stdout.readline() == "open\n"
        with pytest.raises(StoreLocked, match=rf"PID {shell.pid}"), publication(path, con, migrations=schema):
            pass
        with pytest.raises(StoreLocked, match=rf"PID {shell.pid}"):
            store.lease()


def garbage(path: Path, _schema: Migrations) -> None:
    path.write_bytes(b"this is no database " * 1000)


def empty_file(path: Path, _schema: Migrations) -> None:
    path.touch()


def truncated(path: Path, schema: Migrations) -> None:
    ensure_store(path, migrations=schema)
    with path.open("r+b") as file:
        file.truncate(20_000)


def foreign(path: Path, _schema: Migrations) -> None:
    with duckdb.connect(str(path)) as other:
        other.execute("CREATE TABLE invoices (id INTEGER)")


def newer(path: Path, schema: Migrations) -> None:
    ensure_store(path, migrations=schema)
    with duckdb.connect(str(path)) as other:
        other.execute("INSERT INTO schema_version VALUES (2, 'from_the_future', now())")


def a_folder(path: Path, _schema: Migrations) -> None:
    path.mkdir()


UNUSABLE = [
    (garbage, StoreCorrupt, "not a DuckDB file"),
    (empty_file, StoreCorrupt, "not a DuckDB file"),
    (truncated, StoreCorrupt, "damaged"),
    (foreign, StoreCorrupt, "another program"),
    (newer, StoreTooNew, "schema 2, this faultlens knows up to 1"),
    (a_folder, StoreUnusable, "a store is a file"),
]


@pytest.mark.parametrize(("make", "error", "says"), UNUSABLE)
def test_an_unusable_file_is_refused_by_writer_and_reader(
    *,
    make: Callable[[Path, Migrations], None],
    error: type[FaultlensError],
    says: str,
    path: Path,
    schema: Migrations,
    con: duckdb.DuckDBPyConnection,
    store: Store,
) -> None:
    make(path, schema)
    found = path.read_bytes() if path.is_file() else None
    with pytest.raises(error, match=says) as written, publication(path, con, migrations=schema):
        pass
    with pytest.raises(error, match=says) as read:
        store.lease()
    for refusal in (written.value, read.value):
        assert refusal.exit_code == 3
        assert str(path) in str(refusal)
        assert "\n" not in str(refusal)
    assert (path.read_bytes() if path.is_file() else None) == found
    assert not path.with_name("faultlens.duckdb.next").exists()
    assert store._hub.attached() == []


def test_a_missing_folder_is_named(tmp_path: Path, schema: Migrations) -> None:
    with pytest.raises(StoreMissing, match="nowhere does not exist: create it"):
        ensure_store(tmp_path / "nowhere" / "faultlens.duckdb", migrations=schema)


def test_a_store_that_may_not_be_written_or_read_says_so(folder: Path, schema: Migrations) -> None:
    # Root may do anything: the process drops its rights once it has imported everything.
    with TemporaryDirectory() as name:
        path = Path(name) / "faultlens.duckdb"
        ensure_store(path, migrations=schema)
        path.chmod(0)
        path.parent.chmod(0o555)
        answer = printed_by(
            "import os; from pathlib import Path; from ingest.store import *\n"
            f"path, schema = {str(path)!r}, migrations_in(Path({str(folder)!r}))\n"
            "memory_connection().close(); people_migrations()\n"
            "if os.getuid() == 0: os.setuid(65534)\n"
            "for use in (lambda: ensure_store(path + '2', migrations=schema), Store(path, migrations=schema).lease):\n"
            "    try: use()\n"
            "    except StoreUnusable as refusal: print(refusal)\n",
        )
        path.parent.chmod(0o755)
    assert answer.count("permission denied: ask for the right to") == 2, answer


def printed_by(code: str) -> str:
    """Return what the code prints, run in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout


def test_a_full_disk_leaves_the_old_store(path: Path, folder: Path, schema: Migrations) -> None:
    # A limit on the size of files stands for the full disk: the same failing write, without a disk to fill.
    ensure_store(path, migrations=schema)
    old = path.read_bytes()
    code = (
        "import resource, signal, sys; from pathlib import Path; from ingest.store import *\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"schema = migrations_in(Path({str(folder)!r}))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))\n"
        "con = memory_connection()\n"
        "try:\n"
        f"    with publication({str(path)!r}, con, migrations=schema) as d:\n"
        "        con.execute(f'INSERT INTO {d.alias}.first_half SELECT uuid()::VARCHAR, 1 FROM range(200000)')\n"
        "except StoreUnusable as error: print(error)\n"
    )
    assert "free some space and try again" in printed_by(code)
    assert path.read_bytes() == old
    assert beside(path) == {"faultlens.duckdb", "faultlens.duckdb.lock"}


def test_a_copied_store_is_a_store(store: Store, schema: Migrations, con: duckdb.DuckDBPyConnection) -> None:
    with store.publication(con) as draft:
        add(draft)
    copy = store.path.with_name("it's a copy.duckdb")
    shutil.copy(store.path, copy)
    with publication(copy, con, migrations=schema) as draft:
        add(draft)
    with Store(copy, migrations=schema) as copied:
        assert counts(copied) == (2, 2)
