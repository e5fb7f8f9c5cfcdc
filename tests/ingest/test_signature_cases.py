"""The place of a failure, case by case; and the cases that are known to come out wrong, with what should come out."""

from __future__ import annotations

import pytest

from ingest.derive.signature import normalised_location

DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
CASES = [
    ("path and line", "src/auth/refresh.py:87", "src/auth/refresh.py"),
    ("path, line and column", "src/auth/refresh.py:87:4", "src/auth/refresh.py"),
    ("address", "handler at 0x7f33b7324e00", "handler at <address>"),
    ("uuid", "step/3f2504e0-4f89-11d3-9a0c-0305e82c3301/out", "step/<id>/out"),
    ("timestamp", "logs/2026-11-30T09:00:00Z/out", "logs/<time>/out"),
    ("temporary folder", "/tmp/tmpab12cd/a.py", "<tmp>/a.py"),  # noqa: S108 - text, no file
    ("Windows temporary folder", "C:\\Users\\ada\\AppData\\Local\\Temp\\a.py", "<tmp>/a.py"),
    ("home", "/home/ada/src/a.py", "<home>/src/a.py"),
    ("Windows home", "C:\\Users\\ada\\src\\a.py", "<home>/src/a.py"),
    ("Windows share", "\\\\server\\share\\a.py", "/server/share/a.py"),
    ("run id", "runs/feature-20261130-090000-ab12/log", "runs/<run>/log"),
    ("container id", "docker/3f4e5a6b7c8d/app/a.py", "docker/<id>/app/a.py"),
    ("container layer", f"/var/lib/docker/overlay2/{DIGEST}/merged/a.py", "/var/lib/docker/overlay2/<id>/merged/a.py"),
    ("hash with its name", f"sha256:{DIGEST}", "sha256:<id>"),
    ("version of a library stays", "lib/python3.11/x.py", "lib/python3.11/x.py"),
]

# What differs between two occurrences and stays, or is taken out and names the place: place, desired, actual.
KNOWN_WRONG = [
    ("a process id", "/proc/12345/fd/3", "/proc/<id>/fd/3", "/proc/12345/fd/3"),
    ("a short commit", "commit/9f2c1aa", "commit/<id>", "commit/9f2c1aa"),
    ("a pod's suffix", "pod/api-7d9f8b6c5d-x2x9k/a.py", "pod/api-<id>/a.py", "pod/api-<id>-x2x9k/a.py"),
    ("a date in folders", "out/2026/11/30/part.csv", "out/<time>/part.csv", "out/2026/11/30/part.csv"),
    ("a hash without a digit", "blobs/cafebabe/x", "blobs/<id>/x", "blobs/cafebabe/x"),
    ("a line before a symbol", "a.py:12 in parse", "a.py in parse", "a.py:12 in parse"),
    ("a checkout elsewhere", "/workspace/repo/src/a.py", "src/a.py", "/workspace/repo/src/a.py"),
    ("a scheme", "s3://bucket/a.csv", "s3://bucket/a.csv", "s3:/bucket/a.csv"),
    ("a numbered month", "reports/202611/a.csv", "reports/202611/a.csv", "reports/<id>/a.csv"),
]


@pytest.mark.parametrize(("place", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_place(place: str, expected: str) -> None:
    assert normalised_location(place) == expected


@pytest.mark.parametrize(
    ("place", "desired", "actual"), [case[1:] for case in KNOWN_WRONG], ids=[case[0] for case in KNOWN_WRONG]
)
def test_what_is_known_to_be_wrong_is_still_wrong(place: str, desired: str, actual: str) -> None:
    assert normalised_location(place) == actual
    assert actual != desired, "it is right now: move it to the cases"
