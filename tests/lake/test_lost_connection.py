"""PostgreSQL goes away while somebody writes or reads: one line, exit 3, nothing half done, and later all is well."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.load import ingest
from ingest.store import StoreUnusable
from ingest.store.lake import LakeStore
from tests.ingest.loaded import line
from tests.lake.cluster import Cluster, running

ROOT = Path(__file__).parents[2]
# The command, which stands still where the test wants it to.
HELD = """
import sys
from ingest.store import lake_publish
from dashboard.cli import main
step = sys.argv[1]
real = getattr(lake_publish.LakePublication, step)
def held(self, *given):
    setattr(lake_publish.LakePublication, step, real)
    print("inside", file=sys.stderr, flush=True)
    sys.stdin.readline()
    return real(self, *given)
setattr(lake_publish.LakePublication, step, held)
main(sys.argv[2:])
"""
STEPS = ["delete_runs", "insert_staged", "within", "commit"]


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    """A PostgreSQL that these tests may stop."""
    with running() as cluster:
        yield cluster


@pytest.fixture
def store(server: Cluster, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[LakeStore]:
    name = re.sub(r"\W", "_", request.node.name)[-40:].lower()
    with LakeStore(server.lake(name, tmp_path / "files")) as store:
        yield store


def errors(store: LakeStore) -> list[str]:
    with store.lease() as lease:
        return [row["error_code"] for row in lease.rows("SELECT error_code FROM error_events ORDER BY 1")]


def held_at(step: str, store: LakeStore, folder: Path, *command: str) -> subprocess.Popen[str]:
    """The command, which waits in that step of its publication until it is told to go on."""
    started = subprocess.Popen(
        [sys.executable, "-c", HELD, step, *command, "--store", f"ducklake:postgres:{store._address.conninfo}"],
        cwd=folder, env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert started.stderr is not None
    assert started.stderr.readline() == "inside\n"
    return started


@pytest.mark.parametrize("mode", ["immediate", "fast"])
@pytest.mark.parametrize("step", STEPS)
def test_an_ingest_stores_nothing_and_says_so_in_one_line(
    server: Cluster, store: LakeStore, tmp_path: Path, step: str, mode: str
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line("run", "r") + line("error_event", "r", error_code="A"))
    ingest([str(path)], store)
    path.write_bytes(path.read_bytes() + line("error_event", "r", error_code="B"))
    writer = held_at(step, store, tmp_path, "ingest", str(path))
    server.stop(mode)
    out, err = writer.communicate("go on\n", timeout=120)
    server.start()
    assert (writer.returncode, out) == (3, ""), err
    assert re.fullmatch(r"faultlens: store ducklake:postgres:.*(check that PostgreSQL runs|try again).*\n", err), err
    assert errors(store) == ["A"]
    assert ingest([str(path)], store).totals.stored == 1
    assert errors(store) == ["A", "B"]


def test_a_forget_that_was_cut_off_is_made_good_by_the_next(server: Cluster, store: LakeStore, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(line("run", "gone") + line("run", "stays"))
    ingest([str(tmp_path / "a.jsonl")], store)
    writer = held_at("commit", store, tmp_path, "forget", "gone")
    server.stop()
    _, err = writer.communicate("go on\n", timeout=120)
    server.start()
    assert writer.returncode == 3, err
    assert "Traceback" not in err
    with store.lease() as lease:
        assert len(lease.rows("SELECT run_id FROM runs")) == 2


def test_a_reader_says_it_and_reads_again_when_it_is_back(server: Cluster, store: LakeStore, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(line("error_event", "r", error_code="A"))
    ingest([str(tmp_path / "a.jsonl")], store)
    with store.lease() as lease:
        server.stop()
        try:
            with pytest.raises(StoreUnusable, match="check that PostgreSQL runs"):
                store.lease()
            with pytest.raises(StoreUnusable, match="check that PostgreSQL runs"):
                lease.rows("SELECT count(*) FROM reviews JOIN error_events USING (run_id)")
        finally:
            server.start()
    assert errors(store) == ["A"]
