from __future__ import annotations

import io
import zipfile

import pytest

from ingest.vendor.zip_members import is_safe, is_zip, members


def zipped(content: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        for name, data in content.items():
            file.writestr(name, data)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("samples/1.json", True),
        ("a..b.json", True),
        ("../x", False),
        ("a/../../x", False),
        ("/etc/x", False),
        ("..\\x", False),
        ("C:\\x", False),
        ("a\x00b", False),
    ],
)
def test_names_that_stay_inside(name: str, safe: bool) -> None:  # noqa: FBT001
    assert is_safe(name) is safe


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_in_the_order_of_their_names(method: int) -> None:
    found = list(members(zipped({"b": b"2", "a": b"1", "c/": b""}, method)))
    assert [(member.name, member.data) for member in found] == [("a", b"1"), ("b", b"2")]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_local_headers_give_what_is_whole(method: int) -> None:
    data = zipped({"a": b"one" * 50, "b": b"two" * 50}, method)
    cut = data[: data.index(b"PK\x01\x02") - 2]
    assert [(member.name, member.reason) for member in members(cut)] == [("a", None), ("b", "damaged_member")]


def test_a_flipped_byte_is_found_by_its_checksum() -> None:
    data = bytearray(zipped({"a": b"hello world" * 20}, zipfile.ZIP_STORED))
    data[data.index(b"hello") + 3] ^= 1
    assert [member.reason for member in members(bytes(data))] == ["damaged_member"]


def test_a_method_that_nobody_knows_is_named() -> None:
    data = zipped({"a": b"x" * 10}, zipfile.ZIP_STORED)
    data = data.replace(b"PK\x03\x04\x14\x00\x00\x00\x00\x00", b"PK\x03\x04\x14\x00\x00\x00\x63\x00")
    at = data.index(b"PK\x01\x02") + 10
    data = data[:at] + b"\x63\x00" + data[at + 2 :]
    assert [member.reason for member in members(data)] == ["unreadable_member"]


@pytest.mark.parametrize("length", range(0, 140, 7))
def test_any_cut_ends(length: int) -> None:
    list(members(zipped({"a": b"1" * 30, "b": b"2" * 30})[:length]))


def test_what_begins_like_a_zip_file() -> None:
    assert is_zip(zipped({}))
    assert not is_zip(b"PK")
