"""A PostgreSQL of the tests' own: on a unix socket in a folder of its own, gone when the tests are."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SUPERUSER = "keeper"
# Everybody may come in, except the one user who has to say a password.
_WHO_MAY_COME_IN = "local all guarded scram-sha-256\nlocal all all trust\n"
_SETTINGS = {
    "listen_addresses": "''",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "300",
    "shared_buffers": "32MB",
}
MISSING = "there is no PostgreSQL here: sudo apt-get install -y postgresql"


def programs() -> Path | None:
    """The folder with the newest initdb and pg_ctl; None where PostgreSQL is not installed."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"),
        key=lambda path: [int(n) for n in re.findall(r"\d+", str(path))],
    )
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).resolve().parent if on_path else None


@dataclass(frozen=True)
class Cluster:
    """A running server."""

    folder: Path
    bin: Path

    def conninfo(self, database: str, user: str = SUPERUSER) -> str:
        return f"dbname={database} host={self.folder} user={user}"

    def lake(self, database: str, data_path: Path | str | None = None) -> str:
        """The URL of a lake in that database, which is there."""
        self.create(database)
        return self.url(database, data_path)

    def url(self, database: str, data_path: Path | str | None = None, user: str = SUPERUSER) -> str:
        place = f" data_path='{data_path}'" if data_path else ""
        return f"ducklake:postgres:{self.conninfo(database, user)}{place}"

    def create(self, database: str, template: str = "template0") -> None:
        self.sql(f'CREATE DATABASE "{database}" TEMPLATE "{template}"')

    def drop(self, database: str) -> None:
        self.sql(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')

    def sql(self, statement: str, database: str = "postgres") -> list[str]:
        """What the server answers, a line a row."""
        psql: list[str | Path] = [
            self.bin / "psql",
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-d",
            self.conninfo(database),
        ]
        done = subprocess.run([*psql, "-c", statement], capture_output=True, check=False, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    def start(self) -> None:
        settings = " ".join(f"-c {name}={value}" for name, value in _SETTINGS.items())
        _as_somebody(
            [self.bin / "pg_ctl", "-D", self.folder / "data", "-l", self.folder / "log", "-w", "-t", "60",
             "-o", f"{settings} -c unix_socket_directories={self.folder}", "start"],
            self.folder,
        )  # fmt: skip

    def stop(self, mode: str = "immediate") -> None:
        _as_somebody([self.bin / "pg_ctl", "-D", self.folder / "data", "-w", "-m", mode, "stop"], self.folder)


@contextmanager
def running() -> Iterator[Cluster]:
    """A fresh server, stopped and removed at the end."""
    found = programs()
    assert found is not None, MISSING
    # Not below the tests' own folder: the path of a socket may have 107 characters.
    folder = Path(tempfile.mkdtemp(prefix="faultlens-pg-"))
    try:
        cluster = Cluster(folder, found)
        _make(cluster)
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    """The folder goes, by and by: hundreds of databases take longer than xdist waits for a worker to end."""
    subprocess.run(
        ["/bin/sh", "-c", 'rm -rf "$1" &', "sh", folder],
        check=True,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _make(cluster: Cluster) -> None:
    if owner := _owner():
        os.chown(cluster.folder, owner.pw_uid, owner.pw_gid)
    # The tests reach the socket whoever they are.
    cluster.folder.chmod(0o755)
    _as_somebody(
        [cluster.bin / "initdb", "-D", cluster.folder / "data", "-U", SUPERUSER, "-A", "trust", "-E", "UTF8",
         "--locale=C", "--no-sync"],
        cluster.folder,
    )  # fmt: skip
    (cluster.folder / "data" / "pg_hba.conf").write_text(_WHO_MAY_COME_IN)


def _owner() -> pwd.struct_passwd | None:
    """Who the server runs as: PostgreSQL refuses to run as root, who is then somebody else."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None


def _as_somebody(command: list[str | Path], folder: Path) -> None:
    owner = _owner()
    done = subprocess.run(
        command,
        check=False,
        cwd=folder,
        user=owner.pw_uid if owner else None,
        group=owner.pw_gid if owner else None,
        extra_groups=[] if owner else None,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C"},
        # The server stays, and would hold a pipe open.
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    log = folder / "log"
    assert done.returncode == 0, f"{command[0]}: {log.read_text() if log.exists() else done.returncode}"
