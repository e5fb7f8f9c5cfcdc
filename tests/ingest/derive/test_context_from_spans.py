"""Context sets of a model call derived from the spans of its run, through a real ingest of native spans.

The spans carry the attributes that OpenInference and the GenAI conventions write.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.queries.context.written import asked, store_of

ADR = "Refunds above 500 need a person to approve them."
SPEC = "Limits of 2026: two thousand a day, five hundred a refund."
FAQ = "Opening hours are nine to five on working days."
CONTENT = {"adr-7": ADR, "spec-2": SPEC, "faq": FAQ}


def span(number: int, span_id: str, kind: str, parent: str | None = "root", **attributes: Any) -> dict[str, Any]:
    return {
        "record": "span",
        "run_id": "r",
        "span_id": span_id,
        "parent_span_id": parent,
        "kind": kind,
        "seq": number,
        "name": attributes.pop("name", span_id),
        "attributes": attributes,
    }


def documents(name: str, ids: Sequence[str], *, with_content: bool = True) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for at, item_id in enumerate(ids):
        found[f"{name}.{at}.document.id"] = item_id
        if with_content:
            found[f"{name}.{at}.document.content"] = CONTENT[item_id]
    return found


def sets(number: float, step: str, **members: Sequence[str]) -> dict[str, Any]:
    return {
        "record": "context",
        "run_id": "r",
        "step_id": step,
        "seq": number,
        **{k: list(v) for k, v in members.items()},
    }


def asks(*texts: str) -> dict[str, Any]:
    return {f"llm.input_messages.{at}.message.content": text for at, text in enumerate(texts)}


def answers(text: str) -> dict[str, Any]:
    return {"llm.output_messages.0.message.content": text}


ROOT = span(1, "root", "chain", None)
ALL = ["adr-7", "spec-2", "faq"]
RETRIEVER = [span(2, "R", "retrieval", **documents("retrieval.documents", ALL)), sets(3, "R", retrieved=ALL)]
RERANKER = [
    span(
        4,
        "K",
        "reranker",
        **documents("reranker.input_documents", ALL),
        **documents("reranker.output_documents", ALL[:2]),
    ),
    sets(5, "K", eligible=ALL),
]


def found(folder: Path, records: Sequence[dict[str, Any]]) -> dict[tuple[str, str], tuple[str | None, tuple[str, ...]]]:
    rows = asked(
        store_of(folder, [{"record": "run", "run_id": "r", "seq": 0}, ROOT, *records]), "context_step_sets", run="r"
    )
    return {(row.step_id, row.set_name): (row.basis, row.members) for row in rows if row.is_there}


def test_what_was_retrieved_and_reranked_is_carried_to_the_model_call(tmp_path: Path) -> None:
    call = span(6, "M", "llm", **asks("Rules:", ADR, SPEC), **answers("Escalate, says adr-7."))
    assert found(tmp_path, [*RETRIEVER, *RERANKER, call]) == {
        ("M", "retrieved"): ("derived", ("adr-7", "faq", "spec-2")),
        ("M", "eligible"): ("derived", ("adr-7", "faq", "spec-2")),
        ("M", "composed"): ("derived", ("adr-7", "spec-2")),
        ("M", "consumed"): ("derived", ("adr-7",)),
    }


def test_an_item_that_the_reranker_dropped_is_lost_at_the_third_difference(tmp_path: Path) -> None:
    call = span(6, "M", "llm", **asks(ADR, SPEC), **answers("done"))
    store = store_of(tmp_path, [ROOT, *RETRIEVER, *RERANKER, call])
    (step,) = asked(store, "context_stage")
    assert (step.step_id, step.stage_no, step.lost, step.proven, step.not_evaluable) == ("M", 3, 1, False, (1, 4, 5))
    assert [(row.stage_no, row.item_id) for row in asked(store, "context_diff", run="r")] == [(3, "faq")]


def test_without_messages_the_reranker_says_what_could_be_composed(tmp_path: Path) -> None:
    assert found(tmp_path, [*RETRIEVER, *RERANKER, span(6, "M", "llm")])["M", "composed"] == (
        "derived",
        ("adr-7", "spec-2"),
    )


def test_every_derived_set_says_its_rule(tmp_path: Path) -> None:
    call = span(6, "M", "llm", **asks(ADR, SPEC), **answers("adr-7"))
    rows = asked(store_of(tmp_path, [ROOT, *RETRIEVER, *RERANKER, call]), "context_step_sets", run="r")
    rules = {row.set_name: (row.rule or "").partition(":")[0] for row in rows if row.is_there}
    assert rules == {
        "retrieved": "context_carried",
        "eligible": "context_carried",
        "composed": "input_messages",
        "consumed": "cited",
    }


# What cannot be had stays not recorded.
SILENT = {
    "no document is found in the prompt": (asks("Hello."), "composed"),
    "the answer cites nothing": ({**asks(ADR, SPEC), **answers("Done.")}, "consumed"),
    "there is no answer": (asks(ADR, SPEC), "consumed"),
    "there is no reranker": (asks(ADR, SPEC), "eligible"),
}


@pytest.mark.parametrize("case", SILENT)
def test_what_cannot_be_had_stays_not_recorded(case: str, tmp_path: Path) -> None:
    attributes, name = SILENT[case]
    assert ("M", name) not in found(tmp_path, [*RETRIEVER, span(6, "M", "llm", **attributes)])


def test_a_document_whose_content_is_unknown_is_not_called_lost(tmp_path: Path) -> None:
    retriever = [span(2, "R", "retrieval", **documents("retrieval.documents", ALL, with_content=False)), RETRIEVER[1]]
    call = span(6, "M", "llm", **asks("The rules, in our own words."))
    assert ("M", "composed") not in found(tmp_path, [*retriever, call])


def test_a_set_that_the_model_call_records_itself_stands_in_for_the_derived_one(tmp_path: Path) -> None:
    call = span(6, "M", "llm", **asks(ADR, SPEC))
    assert found(tmp_path, [*RETRIEVER, call, sets(7, "M", composed=["faq"])])["M", "composed"] == (
        "recorded",
        ("faq",),
    )


def test_a_guardrail_between_them_says_what_was_eligible(tmp_path: Path) -> None:
    gate = span(4, "G", "guardrail", **{"output.value": '["adr-7", "spec-2"]'})
    call = span(6, "M", "llm", **asks(ADR))
    assert found(tmp_path, [*RETRIEVER, gate, call])["M", "eligible"] == ("derived", ("adr-7", "spec-2"))


def test_tool_arguments_count_as_use(tmp_path: Path) -> None:
    call = span(6, "M", "llm", **asks(ADR, SPEC), **answers("calling the tool"))
    tool = span(7, "T", "tool", **{"tool.parameters": '{"basis": "spec-2"}'})
    assert found(tmp_path, [*RETRIEVER, call, tool])["M", "consumed"] == ("derived", ("spec-2",))


def test_the_tools_of_the_next_model_call_are_not_this_ones(tmp_path: Path) -> None:
    first, second = span(6, "M", "llm", **asks(ADR, SPEC)), span(7, "N", "llm")
    tool = span(8, "T", "tool", **{"tool.parameters": '{"basis": "spec-2"}'})
    assert ("M", "consumed") not in found(tmp_path, [*RETRIEVER, first, second, tool])


def test_parallel_branches_do_not_feed_one_another(tmp_path: Path) -> None:
    branches = [
        span(2, "left", "agent"),
        span(3, "right", "agent"),
        span(4, "R", "retrieval", "left", **documents("retrieval.documents", ALL)),
        sets(5, "R", retrieved=ALL),
        span(6, "other", "llm", "right", **asks(ADR, SPEC, FAQ)),
        span(7, "own", "llm", "left", **asks(ADR)),
    ]
    assert {step for step, _ in found(tmp_path, branches)} == {"own"}


def test_a_model_call_inside_a_reranker_is_part_of_it(tmp_path: Path) -> None:
    judge = span(5, "judge", "llm", "K", **asks(ADR, SPEC, FAQ))
    call = span(6, "M", "llm", **asks(ADR, SPEC))
    assert {step for step, _ in found(tmp_path, [*RETRIEVER, *RERANKER, judge, call])} == {"M"}


def test_a_retrieval_that_no_model_call_follows_stays_where_it_is(tmp_path: Path) -> None:
    early = span(1, "early", "llm", **asks("hello"))
    assert found(tmp_path, [early, *RETRIEVER]) == {("R", "retrieved"): ("recorded", ("adr-7", "faq", "spec-2"))}


def test_messages_of_the_genai_conventions_are_read_too(tmp_path: Path) -> None:
    message = {"role": "user", "parts": [{"type": "text", "content": f"{ADR}\n{SPEC}"}]}
    attributes: dict[str, Any] = {"gen_ai.input.messages": [message]}
    call = span(6, "M", "chat", **attributes)
    assert found(tmp_path, [*RETRIEVER, call])["M", "composed"] == ("derived", ("adr-7", "spec-2"))


def test_a_run_that_comes_in_two_files_is_the_run_that_came_in_one(tmp_path: Path) -> None:
    from ingest.load import ingest
    from tests.queries.context.written import write

    call = span(6, "M", "llm", **asks(ADR, SPEC), **answers("adr-7"))
    whole = [ROOT, *RETRIEVER, *RERANKER, call]
    one = store_of(tmp_path, whole, "one")
    for name, part in {"b": whole[3:], "a": whole[:3]}.items():
        ingest([str(write(tmp_path / f"{name}.jsonl", part))], tmp_path / "two.duckdb")
    for query in ("context_step_sets", "context_diff"):
        assert asked(one, query, run="r") == asked(tmp_path / "two.duckdb", query, run="r")
