"""Which documents a text names or quotes: only distinctive ids, only exact content, and no verdict from silence."""

from __future__ import annotations

import pytest

from ingest.derive.context_mentions import Document, cited_in, found_in, is_named
from ingest.records import ContextItem

ADR = "Refunds above 500 need a person to approve them."
SPEC = "Limits of 2026: two thousand a day, five hundred a refund."


def document(item_id: str, content: str | None = None) -> Document:
    return Document(ContextItem(item_id=item_id), content)


NAMED = {
    "alone": ("see adr-7 for it", "adr-7"),
    "in quotation marks": ('{"source": "adr-7"}', "adr-7"),
    "in brackets": ("as decided [adr-7]", "adr-7"),
    "at the end of a sentence": ("as decided in adr-7.", "adr-7"),
    "with a revision": ("adr-7@3 says so", "adr-7"),
    "a number as a citation": ("as decided [12]", "12"),
    "a path": ("docs/adr/0007.md:", "docs/adr/0007.md"),
    "three characters": ("the faq.", "faq"),
}
NOT_NAMED = {
    "longer id": ("see adr-71", "adr-7"),
    "part of a word": ("xadr-7", "adr-7"),
    "continued": ("adr-7-draft", "adr-7"),
    "end of a longer id": ("old-adr-7", "adr-7"),
    "end of a path": ("docs/adr-7", "adr-7"),
    "file of that name": ("adr-7.md", "adr-7"),
    "a bare number": ("refund of 12 euros", "12"),
    "a longer number in brackets": ("[123]", "12"),
    "too short": ("a1 is there", "a1"),
    "other case": ("ADR-7", "adr-7"),
    "pattern characters are literal": ("adrx7", "adr.7"),
}


@pytest.mark.parametrize("case", NAMED)
def test_an_id_that_stands_alone_is_named(case: str) -> None:
    assert is_named(*NAMED[case])


@pytest.mark.parametrize("case", NOT_NAMED)
def test_an_id_that_does_not_stand_alone_is_not(case: str) -> None:
    assert not is_named(*NOT_NAMED[case])


# text, documents → found, whether the rest can be said to be absent
PROMPTS = {
    "content of one of two": (f"Use this:\n{ADR}", [document("a", ADR), document("b", SPEC)], (["a"], True)),
    "white space aside": (ADR.replace(" ", "\n  "), [document("a", ADR)], (["a"], True)),
    "ids, contents unknown": ("[adr-7] text", [document("adr-7"), document("spec-2")], (["adr-7"], True)),
    "nothing found says nothing": ("hello", [document("a", ADR), document("b", SPEC)], ([], False)),
    "one quoted, the other's content unknown": (ADR, [document("a", ADR), document("b")], (["a"], False)),
    "content too short to be sure": ("yes", [document("a", "yes"), document("b", SPEC)], ([], False)),
    "all found": (f"{ADR} {SPEC}", [document("a", ADR), document("b", SPEC)], (["a", "b"], True)),
}


@pytest.mark.parametrize("case", PROMPTS)
def test_absence_counts_only_where_presence_would_have_shown(case: str) -> None:
    text, documents, expected = PROMPTS[case]
    mentions = found_in(text, documents)
    assert ([found.item.item_id for found in mentions.found], mentions.is_complete) == expected


def test_an_answer_that_cites_nothing_may_have_used_anything() -> None:
    assert not cited_in("All done.", [document("adr-7", ADR)]).is_complete


def test_an_answer_that_cites_one_did_not_use_the_other() -> None:
    mentions = cited_in("Escalated, see adr-7.", [document("adr-7", ADR), document("spec-2", SPEC)])
    assert ([found.item.item_id for found in mentions.found], mentions.is_complete) == (["adr-7"], True)
