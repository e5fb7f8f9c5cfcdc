"""What all sessions share: each question is asked once a generation, within bytes, and nobody waits for another's."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.answers import Answers, QueryTooSlow, Question, size_of
from ingest.store import open_store
from ingest.store.time_limit import TookTooLong
from queries.overview.filter_values import filter_values
from queries.runs.runs import runs

QUESTION = Question("s.duckdb", "g1", "", "queries.runs.runs.runs", ())
WAIT_S = 30


def asked(number: int, generation: str = "g1") -> Question:
    return replace(QUESTION, generation=generation, parameters=(("number", number),))


def counting(calls: list[int], value: object) -> Callable[[], object]:
    def work() -> object:
        calls.append(1)
        return value

    return work


@pytest.fixture
def answers() -> Answers:
    kept = Answers(10_000)
    kept.reads("s.duckdb", "g1")
    return kept


def test_a_question_is_asked_once_and_every_session_gets_the_same_answer(answers: Answers) -> None:
    calls: list[int] = []
    first = answers.answer(QUESTION, counting(calls, ("row",)))
    assert answers.answer(QUESTION, counting(calls, ("another",))) is first
    assert len(calls) == 1


@pytest.mark.parametrize(
    "other",
    [
        replace(QUESTION, store="t.duckdb"),
        replace(QUESTION, settings="{}"),
        replace(QUESTION, name="queries.runs.timeline.timeline"),
        replace(QUESTION, parameters=(("limit", 10),)),
    ],
    ids=["another store", "other settings", "another query", "other parameters"],
)
def test_another_question_has_another_answer(answers: Answers, other: Question) -> None:
    answers.answer(QUESTION, lambda: ("row",))
    assert answers.answer(other, lambda: ("another",)) == ("another",)


def test_a_new_generation_drops_the_answers_of_the_old(answers: Answers) -> None:
    answers.answer(asked(1), lambda: ("old",))
    answers.reads("s.duckdb", "g2")
    assert (len(answers), answers.bytes) == (0, 0)
    assert answers.answer(asked(1, "g2"), lambda: ("new",)) == ("new",)
    # A page that was being drawn from the old one ends with it, and leaves nothing behind.
    assert answers.answer(asked(1), lambda: ("old",)) == ("old",)
    assert len(answers) == 1


def test_the_generations_of_another_store_stay(answers: Answers) -> None:
    answers.answer(asked(1), lambda: ("row",))
    answers.reads("other.duckdb", "g9")
    assert len(answers) == 1


def test_the_least_used_answers_go_when_there_are_too_many_bytes(answers: Answers) -> None:
    text = "x" * 3_000
    for number in range(3):
        answers.answer(asked(number), lambda: (text,))
    answers.answer(asked(0), lambda: ("asked anew",))
    answers.answer(asked(3), lambda: (text,))
    assert answers.bytes <= answers.most_bytes
    assert answers.answer(asked(0), lambda: ("asked anew",)) == (text,)
    assert answers.answer(asked(1), lambda: ("asked anew",)) == ("asked anew",)


def test_an_answer_larger_than_all_that_may_be_kept_is_given_and_not_kept(answers: Answers) -> None:
    assert answers.answer(QUESTION, lambda: ("x" * 20_000,)) == ("x" * 20_000,)
    assert (len(answers), answers.bytes) == (0, 0)


@pytest.fixture
def sessions() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def test_sessions_that_ask_the_same_at_once_share_one_asking(answers: Answers, sessions: ThreadPoolExecutor) -> None:
    started, may_end, calls = threading.Event(), threading.Event(), []

    def slow() -> tuple[str, ...]:
        calls.append(1)
        started.set()
        assert may_end.wait(WAIT_S)
        return ("row",)

    first = sessions.submit(answers.answer, QUESTION, slow)
    assert started.wait(WAIT_S)
    second = sessions.submit(answers.answer, QUESTION, slow)
    may_end.set()
    assert first.result(WAIT_S) is second.result(WAIT_S)
    assert len(calls) == 1


def test_who_asks_something_else_does_not_wait(answers: Answers, sessions: ThreadPoolExecutor) -> None:
    started, may_end = threading.Event(), threading.Event()

    def slow() -> tuple[str, ...]:
        started.set()
        assert may_end.wait(WAIT_S)
        return ("row",)

    answers.answer(asked(1), lambda: ("kept",))
    first = sessions.submit(answers.answer, QUESTION, slow)
    assert started.wait(WAIT_S)
    try:
        assert sessions.submit(answers.answer, asked(1), slow).result(WAIT_S) == ("kept",)
        assert sessions.submit(answers.answer, asked(2), lambda: ("new",)).result(WAIT_S) == ("new",)
        sessions.submit(answers.reads, "s.duckdb", "g2").result(WAIT_S)
    finally:
        may_end.set()
    assert first.result(WAIT_S) == ("row",)


def test_a_session_that_is_ended_while_it_asks_takes_no_other_with_it(
    answers: Answers, sessions: ThreadPoolExecutor
) -> None:
    started, may_end = threading.Event(), threading.Event()

    def ended() -> tuple[str, ...]:
        started.set()
        assert may_end.wait(WAIT_S)
        raise KeyboardInterrupt

    first = sessions.submit(answers.answer, QUESTION, ended)
    assert started.wait(WAIT_S)
    second = sessions.submit(answers.answer, QUESTION, lambda: ("row",))
    may_end.set()
    assert isinstance(first.exception(WAIT_S), KeyboardInterrupt)
    assert second.result(WAIT_S) == ("row",)


def test_an_error_is_told_and_not_kept(answers: Answers) -> None:
    def refused() -> object:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        answers.answer(QUESTION, refused)
    assert answers.answer(QUESTION, lambda: ("row",)) == ("row",)


def test_what_took_too_long_is_not_asked_again_until_somebody_wants_it(answers: Answers) -> None:
    calls: list[int] = []

    def too_slow() -> object:
        calls.append(1)
        raise QueryTooSlow(QUESTION, 2)

    for _ in range(2):
        with pytest.raises(QueryTooSlow, match="query runs took longer than 2 s"):
            answers.answer(QUESTION, too_slow)
    assert len(calls) == 1
    answers.forget(QUESTION)
    assert answers.answer(QUESTION, lambda: ("row",)) == ("row",)


def test_what_is_told_again_of_a_slow_question_holds_no_page_it_was_told_to(answers: Answers) -> None:
    def too_slow() -> object:
        raise QueryTooSlow(QUESTION, 2)

    told = []
    for _ in range(3):
        with pytest.raises(QueryTooSlow) as again:
            answers.answer(QUESTION, too_slow)
        told.append(again.value)
    assert told[1] is not told[2]
    assert len(list(traceback.walk_tb(told[2].__traceback__))) == len(list(traceback.walk_tb(told[1].__traceback__)))


def test_the_size_of_rows_is_near_what_they_hold(full_store: Path) -> None:
    with open_store(full_store).lease() as lease:
        answer = runs(lease)
        whole = size_of(answer)
    texts = sum(len(text) for row in answer for text in (row.run_id, row.native_id, row.workload, row.status))
    assert texts < whole < 3_000 * len(answer)
    assert size_of(replace(answer, rows=answer.rows * 100)) == pytest.approx(100 * whole, rel=0.3)


SLOW = "SELECT count(*) AS n FROM range(1_000_000) a, range(1_000_000) b WHERE hash(a.range, b.range) = 42"


def test_a_query_over_its_time_is_stopped_and_the_lease_stays_good(full_store: Path) -> None:
    with open_store(full_store).lease() as lease:
        lease.seconds_a_query = 0.2
        with pytest.raises(TookTooLong, match=r"longer than 0\.2 s"):
            lease.rows(SLOW)
        lease.seconds_a_query = 30
        assert filter_values(lease).rows


def test_only_the_query_over_its_time_is_stopped(full_store: Path, sessions: ThreadPoolExecutor) -> None:
    with open_store(full_store) as store, store.lease() as hasty, store.lease() as patient:
        hasty.seconds_a_query = 0.3
        stopped = sessions.submit(hasty.rows, SLOW)
        quick = sessions.submit(lambda: [runs(patient) for _ in range(50)])
        assert isinstance(stopped.exception(WAIT_S), TookTooLong)
        assert all(answer.rows for answer in quick.result(WAIT_S))
