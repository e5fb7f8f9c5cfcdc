"""Console text of AutoGen: messages under headers such as `---------- Orchestrator (thought) ----------`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.adapter import Place
from ingest.json_text import decoded_leniently
from ingest.source import Source
from ingest.vendor.json_values import Unit

_HEADER = re.compile(r"^(?:\[[^\]\n]*\]\s*)?-{10} (?P<speaker>[^\n-][^\n]*?) -{10}[ \t]*\r?$", re.MULTILINE)
# Newer versions write the type of the message and the speaker in brackets.
_TYPED = re.compile(r"(?P<type>\w+(?:Message|Event)) \((?P<speaker>[^()]+)\)")


def is_console(text: str) -> bool:
    """At least two headers, the first of them near the beginning."""
    found = [match.start() for match, _ in zip(_HEADER.finditer(text), range(2), strict=False)]
    return len(found) == 2 and found[0] < 2_000


def unit(source: Source) -> Unit:
    """The messages of the file as one conversation."""
    text = decoded_leniently(source.data())
    return Unit({"history": list(_messages(text))}, Place(1, 0), text[:2_000])


def _messages(text: str) -> Iterator[dict[str, Any]]:
    headers = list(_HEADER.finditer(text))
    ends = [match.start() for match in headers[1:]] + [len(text)]
    for match, end in zip(headers, ends, strict=True):
        content = text[match.end() : end].strip()
        typed = _TYPED.fullmatch(match["speaker"])
        if typed:
            yield {"role": typed["speaker"], "content": content, "type": typed["type"]}
        else:
            yield {"role": match["speaker"], "content": content}
