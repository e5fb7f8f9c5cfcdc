"""`faultlens explain` of a run whose records say what no list has, or more than anybody reads."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import faultlens
from tests.ingest.loaded import error, line


def test_what_is_on_no_list_is_said_to_be_and_a_long_text_is_cut(tmp_path: Path) -> None:
    long = "x" * 10_000
    (tmp_path / "a.jsonl").write_bytes(
        line("run", status="failed", state_at_failure="half-way", contract_class="odd")
        + error(long, failure_class="unheard of", phase="PLAN")
    )
    assert faultlens("ingest", "a.jsonl", folder=tmp_path).code in {0, 1}
    done = faultlens("explain", "r", folder=tmp_path)
    said = done.out.decode()
    assert done.code == 0
    assert "None" not in said
    assert "half-way: holds: not known, it is on no list" in said
    assert "failure class unheard of: not known, it is on no list, retryable not known" in said
    assert "counted   error events, recorded: 1" in said
    assert max(map(len, said.splitlines())) < 500
    assert f"{long[:300]}" in said
    assert "characters)" in said
