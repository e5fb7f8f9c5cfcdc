"""Where several records fit and one is named, or several are listed, the records alone decide which, in what order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.loaded import RUN, Loaded, line, load_bytes

# In no order of their own, and enough of them not to come in order by chance.
DIMENSIONS = ("tool_output", "model", "seed", "clock", "prompt", "temperature", "network", "budget")


def of_rule(found: Loaded, rule: str) -> dict[str, Any]:
    return found.one(f"SELECT event_id, message, evidence FROM findings WHERE rule = '{rule}'")


def span(number: int, status: str) -> bytes:
    return line("span", span_id=f"s{number}", seq=number, kind="task", agent="Scout", status=status)


@pytest.mark.parametrize("dimensions", [DIMENSIONS, DIMENSIONS[::-1]])
def test_the_dimensions_of_a_replay_are_listed_by_name(dimensions: tuple[str, ...], tmp_path: Path) -> None:
    replays = [
        line("replay", seq=number, replay_of="q", dimension=name, expected="a", observed="b")
        for number, name in enumerate(dimensions, start=1)
    ]
    retry = line("error_event", seq=99, error_code="E", action="retry the same call")
    found = of_rule(load_bytes(tmp_path, RUN + b"".join(replays) + retry), "replay-reduced")
    assert json.loads(found["evidence"])["dimensions"] == sorted(DIMENSIONS)
    assert found["message"].startswith(f"the replay differs in {', '.join(sorted(DIMENSIONS))} and ")


def test_of_equal_stretches_of_failures_the_first_is_named(tmp_path: Path) -> None:
    spans = []
    for stretch in range(12):
        spans += [span(10 * stretch + number, "error") for number in (1, 2, 3)] + [span(10 * stretch + 4, "ok")]
    found = of_rule(load_bytes(tmp_path, RUN + b"".join(spans)), "agent-degraded")
    assert (found["event_id"], json.loads(found["evidence"])["tasks"]) == ("s3", ["s1", "s2", "s3"])


def test_of_several_stale_revisions_the_first_is_named(tmp_path: Path) -> None:
    revisions = [f"adr-7@{number}" for number in (5, 3, 8, 2, 7, 4, 6)]
    context = line("context", seq=1, step_id="1", consumed=revisions, current=["adr-7@9"])
    failure = line("error_event", seq=2, error_code="E", phase="EXECUTE")
    found = load_bytes(tmp_path, RUN + context + failure)
    assert found.values("SELECT evidence FROM hints WHERE record_kind = 'context step'") == [
        "step 1 consumed adr-7@2 while current is 9"
    ]
