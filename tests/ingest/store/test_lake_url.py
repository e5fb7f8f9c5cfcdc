"""What the URL of a shared store says, and that nobody is shown its password."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.store import FaultlensError, shown
from ingest.store.lake_url import lake_address

# URL, what PostgreSQL is told besides who asks, the place of the files, what people are shown
ADDRESSES = [
    (
        "ducklake:postgres:dbname=traces host=db data_path=s3://bucket/traces",
        ["dbname=traces", "host=db"],
        "s3://bucket/traces",
        "ducklake:postgres:dbname=traces host=db data_path=s3://bucket/traces",
    ),
    (
        "ducklake:postgres:dbname = 'my traces' password='it\\'s me' data_path='/mnt/the lake'",
        ["dbname='my traces'", "password='it\\'s me'"],
        "/mnt/the lake",
        "ducklake:postgres:dbname='my traces' password=*** data_path='/mnt/the lake'",
    ),
    (
        "ducklake:postgres:password=short dbname=x user=u",
        ["password=short", "dbname=x", "user=u"],
        None,
        "ducklake:postgres:password=*** dbname=x user=u",
    ),
    (
        "ducklake:postgres://mara:s%40cret@db:5433/traces?sslmode=require&data_path=/mnt/lake",
        ["postgresql://mara:s%40cret@db:5433/traces?sslmode=require"],
        "/mnt/lake",
        "ducklake:postgres://mara:***@db:5433/traces?sslmode=require&data_path=/mnt/lake",
    ),
    (
        "ducklake:postgres:postgresql://db/traces?user=u&password=secret",
        ["postgresql://db/traces?user=u&password=secret"],
        None,
        "ducklake:postgres://db/traces?user=u&password=***",
    ),
]

REFUSED = [
    ("ducklake:sqlite:x.db", "lies in PostgreSQL"),
    ("ducklake:x.ducklake", "lies in PostgreSQL"),
    ("ducklake:postgres:traces", "cannot be read"),
    ("ducklake:postgres:dbname=x password=hunter2 oops", "cannot be read"),
    ("ducklake:postgres:dbname=x password='hunter2", "cannot be read"),
    ("ducklake:mysql://u:hunter2@db/x", "lies in PostgreSQL"),
]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FAULTLENS_DATA_PATH", raising=False)


@pytest.mark.parametrize(("url", "told", "place", "seen"), ADDRESSES)
def test_a_url_says_where_the_catalogue_and_the_files_are(
    url: str, told: list[str], place: str | None, seen: str
) -> None:
    address = lake_address(url)
    for part in told:
        assert part in address.conninfo
    assert "data_path" not in address.conninfo
    assert "application_name" in address.conninfo
    assert address.data_path == place
    assert address.shown == seen == shown(url)


@pytest.mark.parametrize(("url", "says"), REFUSED)
def test_a_url_that_says_less_is_a_wrong_call_without_its_password(url: str, says: str) -> None:
    with pytest.raises(FaultlensError, match=says) as refused:
        lake_address(url)
    assert refused.value.exit_code == 2
    assert "hunter2" not in str(refused.value)


def test_the_place_of_the_files_comes_from_the_url_then_the_environment_then_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "ducklake:postgres:dbname=x"
    assert lake_address(url).data_path is None
    (tmp_path / "faultlens.toml").write_text('data_path = "lake"\n')
    # Other calls may stand in other folders.
    assert lake_address(url).data_path == str(tmp_path / "lake")
    monkeypatch.setenv("FAULTLENS_DATA_PATH", "s3://bucket/x")
    assert lake_address(url).data_path == "s3://bucket/x"
    assert lake_address(f"{url} data_path=/mnt/y").data_path == "/mnt/y"


@pytest.mark.parametrize(
    "said", ["password=it's me", "fe_sendauth: password 'it's me' refused", "it\\'s me", "'it\\'s me'"]
)
def test_no_spelling_of_the_password_is_left_in_what_a_tool_says(said: str) -> None:
    address = lake_address("ducklake:postgres:dbname=x password='it\\'s me'")
    assert "it" not in address.masked(said).replace("dbname", "")
    assert "it's me" not in repr(address)


def test_no_percent_spelling_of_the_password_is_left() -> None:
    address = lake_address("ducklake:postgres://u:s%40cret@db/x")
    assert address.masked("s%40cret or s@cret") == "*** or ***"
