"""Blocks read by their indentation say what YAML says of them, or are left to it."""

from __future__ import annotations

import random

import pytest

from ingest.blocks import body
from ingest.blocks.nesting import nested

# (lines, whether they are read without YAML)
BLOCKS: list[tuple[str, bool]] = [
    ("Level: L3\nStep: 3/7\nDetails: 14 of 22 failed: auth, see a.py:87", True),
    ("confidence: 0.80   # threshold\nartifacts: []\nnext:", True),
    ("steps:\n  - step: 1\n    agent: Scout\n  - step: 2\n    agent: null\noutcome: RECOVERED", True),
    ("steps:\n- step: 1\n  agent: Scout\n- step: 2\noutcome: RECOVERED", True),
    ("steps:\n  - {step: 1, agent: null, action: git rollback}\n  - {step: 2, agent: Scout}", True),
    ("artifacts: [a.py, b c, L1|L2]\nrisks:\n  - one\n  - two, three", True),
    ("details:\n  description: \"plain\"\n  evidence: 'x.yaml'\naction:\n  type: PAUSE", True),
    ("Output: |\n    All green.\n      deeper\n\n    Follow-up: none\nNext: DONE", True),
    ("Next: DONE\nOutput: |-\n    All green.\n    Follow-up: none", True),
    ("Details:\n  a text that stands\n  on lines of its own\nResult: FAILED", True),
    ("a: 1\na: 2\nb:\n  c: 3\n  c: 4", True),
    ("- one\n- two:\n    three: 4", True),
    ('details: "with \\"quotes\\" in it"', False),
    ("Output: >\n    folded\n    text", False),
    ("Output: |\n    ends in a blank line\n", False),
    ("- - one\n  - two", False),
    ("a: a text that\n    goes on: here\n  and here", True),
    ("a:\n    b: 1\n  c: 2", False),
    ("-  # only a comment\n-  key: value", False),
    ("list: [a: b, {c: [d]}]", False),
    ("key: a\u2028b", False),
    ("no key at all", False),
]  # fmt: skip


def direct(text: str) -> object:
    lines = text.split("\n")
    return nested(body._Quoting().of(lines), lines)


def by_yaml(text: str) -> object:
    return body._loaded_or_none("\n".join(entry.written() for entry in body._Quoting().of(text.split("\n"))))


@pytest.mark.parametrize(("text", "is_direct"), BLOCKS, ids=[text[:24] for text, _ in BLOCKS])
def test_indentation_says_what_yaml_says(text: str, *, is_direct: bool) -> None:
    found = direct(text)
    assert (found is not None) is is_direct
    assert found is None or found == by_yaml(text)


def test_so_it_is_with_lines_that_were_damaged() -> None:
    chance = random.Random(6)  # noqa: S311 - data, no secret
    pieces = ("  ", "- ", "key:", "[]", "# c", '"', "'", ": ", "|", "k: |-", "{a: b}", "\x85", "* ", "null", "")
    for _ in range(1_500):
        lines = chance.choice(BLOCKS)[0].split("\n")
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(lines))
            column = chance.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:column] + chance.choice(pieces) + lines[at][column:]
        text = "\n".join(lines)
        found = direct(text)
        assert found is None or found == by_yaml(text), text
