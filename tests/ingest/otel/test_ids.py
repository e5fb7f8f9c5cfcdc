"""Ids come in hex of either case, with 0x, in base64, without leading zeros, or as anything at all."""

from __future__ import annotations

import pytest

from ingest.otel.ids import is_short, is_zero, normalised, padded, plain_id

TRACE = "a1b2c3d4e5f60718293a4b5c6d7e8f90"


@pytest.mark.parametrize(
    ("recorded", "size", "found"),
    [
        (TRACE, 16, TRACE),
        (TRACE.upper(), 16, TRACE),
        (f"0x{TRACE}", 16, TRACE),
        (f"0X{TRACE.upper()}", 16, TRACE),
        ("obLD1OX2BxgpOktcbX6PkA==", 16, TRACE),
        ("AAAAAAAAAAE=", 8, "0000000000000001"),
        ("Th/IHEh5oQU=", 8, "4e1fc81c4879a105"),
        ("Th_IHEh5oQU=", 8, "4e1fc81c4879a105"),
        ("0xAB", 8, "ab"),
        # No padding, wrong length, or no base64 at all: opaque, and never half decoded.
        ("span-orchestrator", 8, "span-orchestrator"),
        ("root-span-1", 8, "root-span-1"),
        ("AAAAAAAAAAE", 8, "AAAAAAAAAAE"),
        ("AAAAAAAAAAE=", 16, "AAAAAAAAAAE="),
        ("a=b=", 8, "a=b="),
        ("tr-6f00", 16, "tr-6f00"),
        ("ABCD", 8, "ABCD"),
    ],
)
def test_one_spelling(recorded: str, size: int, found: str) -> None:
    assert normalised(recorded, size) == found


@pytest.mark.parametrize(
    ("recorded", "found"),
    [("1", "0" * 15 + "1"), ("a1", "0" * 14 + "a1"), ("f" * 16, "f" * 16), ("f" * 17, "0" * 15 + "f" * 17),
     ("f" * 32, "f" * 32), ("span-1", "span-1"), ("f" * 33, "f" * 33)],
)  # fmt: skip
def test_stripped_zeros_come_back(recorded: str, found: str) -> None:
    assert padded(recorded) == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (None, None),
        ("", None),
        ("  ", None),
        (17, "17"),
        (True, None),
        (1.5, None),
        ([], None),
        ({}, None),
        (" a ", "a"),
    ],
)
def test_an_id_is_text(value: object, found: str | None) -> None:
    assert plain_id(value) == found


def test_a_short_trace_id_is_noticed_and_an_opaque_one_is_not() -> None:
    assert is_short("293a4b5c6d7e8f90")
    assert is_short("0" * 16 + "293a4b5c6d7e8f90")
    assert not is_short(TRACE)
    assert not is_short("conversation-0001")
    assert is_zero("0" * 16)
    assert not is_zero("0001")
