"""A URL names a store, or is refused with what to do."""

from pathlib import Path

import pytest

from ingest.store import FaultlensError, Store, open_store, people_path

pytestmark = pytest.mark.file_store

PEOPLE = [
    ("faultlens.duckdb", "faultlens.people.duckdb"),
    ("data/a.b.duckdb", "data/a.b.people.duckdb"),
    ("store.db", "store.db.people.duckdb"),
    ("store", "store.people.duckdb"),
]

REFUSED = [
    ("postgres://host/db", "'postgres:'"),
    ("ducklake:mysql:db=x", "lies in PostgreSQL"),
    ("ducklake:postgres:rubbish", "cannot be read: write ducklake:postgres:dbname="),
    ("md:cloud", "'md:'"),
    (":memory:", "names no file"),
    ("", "names no file"),
]


@pytest.mark.parametrize(("store", "people"), PEOPLE)
def test_the_people_store_lies_beside_the_store(store: str, people: str) -> None:
    assert people_path(store) == Path(people)


@pytest.mark.parametrize(("url", "says"), REFUSED)
def test_an_unknown_url_is_a_wrong_call(url: str, says: str) -> None:
    with pytest.raises(FaultlensError, match=says) as refused:
        open_store(url)
    assert refused.value.exit_code == 2


@pytest.mark.parametrize("url", ["faultlens.duckdb", "./run:3.duckdb", "/data/x.duckdb", Path("x")])
def test_a_path_is_a_file(url: str | Path) -> None:
    store = open_store(url)
    assert isinstance(store, Store)
    assert store.url == str(Path(url).absolute())
