"""The signature of a failure (DOMAIN §3): equal for the same failure again, different for another one."""

# ruff: noqa: S108 - the temporary folders are text to be taken out of a location

from __future__ import annotations

import pytest

from ingest.derive.signature import machine_code, normalised_location, signature, signed, stage
from ingest.records import ErrorEvent

SAME_PLACE = [
    ("line number", "src/auth/refresh.py:87", "src/auth/refresh.py:12"),
    ("line and column", "src/auth/refresh.py:87:4", "src/auth/refresh.py"),
    ("line range", "src/auth/refresh.py:87-91", "src/auth/refresh.py"),
    ("fragment", "src/auth/refresh.py#L87", "src/auth/refresh.py"),
    ("fragment range", "src/auth/refresh.py#L87-L91", "src/auth/refresh.py"),
    ("brackets", "Program.cs(12,5)", "Program.cs"),
    ("in words", "src/a.py, line 12", "src/a.py"),
    ("in words with column", "src/a.py line 12, column 5", "src/a.py"),
    ("Windows separators", "src\\auth\\refresh.py:87", "src/auth/refresh.py"),
    ("Windows drive", "C:\\team\\src\\a.py", "D:/team/src/a.py"),
    ("Linux home", "/home/ada/src/a.py:1", "/home/bob/src/a.py:2"),
    ("Mac home", "/Users/ada/src/a.py", "~/src/a.py"),
    ("Windows home", "C:\\Users\\ada\\src\\a.py", "/home/bob/src/a.py"),
    ("temp folder", "/tmp/tmpab12cd/a.py", "/tmp/tmpzz99/a.py"),
    ("Mac temp folder", "/private/var/folders/x1/y2/T/a.py", "/var/folders/zz/qq/T/a.py"),
    ("Windows temp folder", "C:\\Users\\ada\\AppData\\Local\\Temp\\a.py", "/tmp/a.py"),
    ("pytest folder", "/tmp/pytest-of-ada/pytest-12/a.py", "/tmp/pytest-of-bob/pytest-7/a.py"),
    ("address", "handler at 0x7f33b7324e00", "handler at 0x10a"),
    ("uuid", "step/3f2504e0-4f89-11d3-9a0c-0305e82c3301/out", "step/908b0740-07da-4141-bce8-5b9c13ed6eca/out"),
    ("digest", "blobs/9f2c1aa04b/x", "blobs/00ffa1b2c3d4/x"),
    ("long number", "jobs/123456789/log", "jobs/987654321/log"),
    ("time", "logs/2026-11-30T09:00:00Z/out", "logs/2025-01-01T23:59:59.123+02:00/out"),
    ("date", "logs/2026-11-30/out", "logs/2025-01-01/out"),
    ("run id", "runs/feature-20261130-090000-ab12/log", "runs/bugfix-20250101-235959-ffee99/log"),
    ("file address", "file:///home/ada/a.py", "/home/ada/a.py"),
    ("quotes", "`src/a.py`", "src/a.py"),
    ("space", " src/a.py ", "src/a.py"),
    ("doubled separators", "src//auth///a.py", "src/auth/a.py"),
]
OTHER_PLACE = [
    ("file", "src/a.py:1", "src/b.py:1"),
    ("folder", "src/a.py", "lib/a.py"),
    ("symbol", "parse_header", "parse_body"),
    ("small number in a name", "worker-1/a.py", "worker-2/a.py"),
    ("version", "api/v1/users", "api/v2/users"),
    ("hex-looking words", "src/facade.py", "src/decade.py"),
    ("case", "src/A.py", "src/a.py"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), [case[1:] for case in SAME_PLACE], ids=[case[0] for case in SAME_PLACE])
def test_what_changes_between_occurrences_is_no_part_of_the_place(first: str, second: str) -> None:
    assert normalised_location(first) == normalised_location(second)


@pytest.mark.parametrize(("first", "second"), [case[1:] for case in OTHER_PLACE], ids=[case[0] for case in OTHER_PLACE])
def test_what_names_the_place_stays(first: str, second: str) -> None:
    assert normalised_location(first) != normalised_location(second)


STAGES = [
    ("EXECUTE", 3, "EXECUTE/3"), ("execute", 3, "EXECUTE/3"), ("EXECUTE_LOOP", 3, "EXECUTE/3"), ("DO", 0, "EXECUTE/0"),
    ("EXECUTE", None, "EXECUTE"), ("VERIFY", 3, "VERIFY"), ("VERIFY", None, "VERIFY"), (None, 3, None), ("", 3, None),
]  # fmt: skip


@pytest.mark.parametrize(("phase", "step", "expected"), STAGES)
def test_execute_has_its_step_and_other_phases_stand_alone(
    phase: str | None, step: int | None, expected: str | None
) -> None:
    assert stage(phase, step) == expected


# stage, code, location, state hash → has a signature, is partial
PARTS = [
    ("VERIFY", "E", "a.py", "1", True, False),
    (None, "E", "a.py", "1", True, True),
    ("VERIFY", "E", None, "1", True, True),
    ("VERIFY", "E", "a.py", None, True, True),
    ("VERIFY", "E", None, None, True, True),
    (None, "E", None, "1", True, True),
    (None, "E", None, None, False, None),
    ("VERIFY", None, "a.py", "1", False, None),
    ("VERIFY", "", "a.py", "1", False, None),
    ("VERIFY", "E", "", "", True, True),
    ("", "E", "", "", False, None),
]


@pytest.mark.parametrize(("stage_", "code", "location", "state", "exists", "partial"), PARTS)
def test_a_missing_part_makes_it_partial_and_too_few_make_none(
    stage_: str | None, code: str | None, location: str | None, state: str | None, *, exists: bool, partial: bool | None
) -> None:
    found = signature(stage_, code, location, state)
    assert (found.value is not None, found.partial) == (exists, partial)


def test_every_part_tells_failures_apart_and_no_part_runs_into_the_next() -> None:
    parts = [("V", "E", "a", "1"), ("W", "E", "a", "1"), ("V", "F", "a", "1"), ("V", "E", "b", "1"),
             ("V", "E", "a", "2"),
             ("V", "E", None, "a1"), ("V", "Ea", None, "1"), (None, "E", "a", "1"), ("V", "E", "a", None)]  # fmt: skip
    assert len({signature(*each).value for each in parts}) == len(parts)


CODES = [
    ("E_ASSERT", "anything at all", "E_ASSERT"), (None, "test_failure", "test_failure"),
    (None, "ValueError", "ValueError"),
    (None, "http.503", "http.503"), (None, "the test failed", None), (None, "Test failed:", None),
    (None, None, None), (None, "", None), (None, "503", None),
]  # fmt: skip


@pytest.mark.parametrize(("code", "type_", "expected"), CODES)
def test_a_type_of_one_token_counts_as_code_and_prose_never(
    code: str | None, type_: str | None, expected: str | None
) -> None:
    assert machine_code(ErrorEvent(run_id="r", error_code=code, type=type_)) == expected


def test_a_signature_that_its_producer_gave_is_kept() -> None:
    given = ErrorEvent(run_id="r", error_code="E", phase="VERIFY", signature="theirs")
    assert signed(given).signature == "theirs"


def test_the_same_failure_at_another_line_is_the_same_failure_again() -> None:
    def of(location: str) -> str | None:
        error = ErrorEvent(
            run_id="r", error_code="E", phase="EXECUTE", step_index=3, location=location, state_hash="9f2c"
        )
        return signed(error).signature

    assert of("/home/ada/src/a.py:87") == of("C:\\Users\\bob\\src\\a.py:91")
