"""How a run ended and which contract broke: tables first, one line a case."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.derive import contract_class
from ingest.derive.runtime_outcome import EventFact, RunFacts, outcome

Told = tuple[str, int] | tuple[str, int, dict[str, Any]]


def run_of(*told: Told, finalized: bool = True, steps: tuple[int, ...] = (0, 1), mode: str | None = "live") -> RunFacts:
    events = tuple(EventFact(index, name, step, dict(*payload)) for index, (name, step, *payload) in enumerate(told))
    return RunFacts(finalized=finalized, events=events, steps=steps, run_mode=mode)


START_0, END_0, START_1, END_1 = ("STEP_START", 0), ("STEP_END", 0), ("STEP_START", 1), ("STEP_END", 1)
BOTH = (START_0, END_0, START_1, END_1)
FAILED = ("STEP_FAILED", 0, {"error": "step budget exceeded"})
ESCALATED = ("VERIFICATION_ESCALATE", 0, {"rule_ids": ["r1"]})
STOPPED = ("EXECUTION_INTERRUPTED", 1, {"reason": "sigint"})
TOLERATED = ("SEMANTIC_VIOLATION", 0, {"decision": "FAIL"})
WARNED = ("SEMANTIC_VIOLATION", 0, {"warning": "unsafe_config"})


@pytest.mark.parametrize(
    ("run", "status", "state"),
    [
        # not finalized
        (run_of(finalized=False), "unknown", None),
        (run_of(START_0, END_0, STOPPED, finalized=False), "interrupted", "interrupted"),
        (run_of(START_0, FAILED, finalized=False), "interrupted", "interrupted"),
        (run_of(START_0, ESCALATED, finalized=False), "interrupted", "interrupted"),
        (run_of(*BOTH, finalized=False), "refused", "finalization_refused"),
        # finalized: a failing step before an escalation before a step without an end
        (run_of(START_0, FAILED), "failed", "governed_failure"),
        (run_of(START_0, ESCALATED, START_1, ("REASONING_FAILED", 1)), "failed", "governed_failure"),
        (run_of(START_0, ESCALATED), "escalated", "finalized"),
        (run_of(START_0, END_0, START_1), "failed", "governed_failure"),
        (run_of(), "failed", "governed_failure"),
        (run_of(*BOTH), "succeeded", "finalized"),
        (run_of(WARNED, *BOTH), "succeeded", "finalized"),
        (run_of(START_0, ("TOOL_CALL_FAIL", 0, {"error": "x"}), END_0, START_1, END_1), "succeeded", "finalized"),
        (run_of(START_0, FAILED, TOLERATED, START_1, END_1, mode="unsafe"), "failed", "governed_failure"),
        (run_of(steps=()), "succeeded", "finalized"),
    ],
)
def test_the_first_rule_that_matches_decides(run: RunFacts, status: str, state: str | None) -> None:
    found = outcome(run)
    assert (found.status, found.state_at_failure) == (status, state)


@pytest.mark.parametrize(
    ("run", "reason", "stop_reason"),
    [
        (run_of(START_0, FAILED),
         "STEP_FAILED at event 1, step 0: step budget exceeded; step 1 not reached", "STEP_FAILED"),
        (run_of(START_0, END_0, STOPPED, finalized=False),
         "EXECUTION_INTERRUPTED at event 2, step 1 (sigint); step 1 has no STEP_END", "sigint"),
        (run_of(START_0, END_0, finalized=False),
         "crashed: the record stops after STEP_END at event 1, step 0; not finalized, step 1 has no STEP_END", None),
        (run_of(START_0, END_0, STOPPED, START_1, finalized=False),
         ("crashed: the record stops after STEP_START at event 3, step 1; not finalized, step 1 has no STEP_END; "
          "resumed after EXECUTION_INTERRUPTED at event 2, step 1"), None),
        (run_of(START_0, END_0, START_1), "step 1 without STEP_END, and no failing event says why", None),
        (run_of(*BOTH, mode="dry-run"), "every step ended (2 of 2); dry run, nothing executed", None),
        (run_of(*BOTH, mode=None), "every step ended (2 of 2); dry run, nothing executed", None),
        (run_of(*BOTH, ("HUMAN_INTERVENTION", 1)), "every step ended (2 of 2); a person intervened at event 4", None),
        (run_of(START_0, FAILED, TOLERATED, START_1, END_1, mode="unsafe"),
         "STEP_FAILED at event 1, step 0: step budget exceeded; tolerated in unsafe mode, 1 of 2 steps failed", None),
    ],
)  # fmt: skip
def test_the_reason_names_the_signal(run: RunFacts, reason: str, stop_reason: str | None) -> None:
    found = outcome(run)
    assert (found.reason, found.stop_reason) == (reason, stop_reason)


def test_what_is_not_certifiable_says_so() -> None:
    run = RunFacts(finalized=True, events=run_of(*BOTH).events, run_mode="live", non_certifiable=True)
    assert outcome(run).reason == "every step ended (2 of 2); not certifiable"


@pytest.mark.parametrize(
    ("run", "incomplete", "not_reached"),
    [
        (run_of(START_0, FAILED, steps=(0, 1, 2)), (0, 1, 2), (1, 2)),
        (run_of(START_0, END_0, START_1, steps=(0, 1, 2)), (1, 2), (2,)),
        (run_of(START_0, END_0, finalized=False, steps=(0, 1)), (1,), ()),
        (run_of(START_0, FAILED, START_1, ("STEP_FAILED", 1)), (0, 1), ()),
        (run_of(START_0, FAILED, mode="unsafe"), (0, 1), ()),
        (run_of(START_0, FAILED, TOLERATED, mode=None), (0, 1), ()),
        (run_of(START_0, FAILED, steps=()), (0,), ()),
        (run_of(finalized=False), (0, 1), ()),
        (run_of(*BOTH), (), ()),
    ],
)
def test_steps_after_the_first_incomplete_one_were_not_reached(
    run: RunFacts, incomplete: tuple[int, ...], not_reached: tuple[int, ...]
) -> None:
    assert (run.incomplete, run.not_reached) == (incomplete, not_reached)


def test_a_step_is_one_failure_however_many_of_its_events_say_so() -> None:
    run = run_of(START_0, ("VERIFICATION_FAIL", 0, {"rule_ids": ["r"]}), FAILED, START_1, ("RETRIEVAL_FAILED", 1))
    assert [(failure.step, len(failure.events)) for failure in run.failures] == [(0, 2), (1, 1)]
    assert run.failures[0].deciding.type == "VERIFICATION_FAIL"
    assert run.failures[0].details == "step budget exceeded"


@pytest.mark.parametrize(
    ("failing", "value"),
    [
        ([("STEP_FAILED", "x")], "structural"),
        ([("RETRIEVAL_FAILED", "x")], "structural"),
        ([("REASONING_FAILED", None)], "structural"),
        ([("RETRIEVAL_FAILED", "x"), ("STEP_FAILED", "x")], "structural"),
        ([("VERIFICATION_FAIL", None)], "semantic"),
        ([("VERIFICATION_FAIL", None), ("STEP_FAILED", "x")], "unclassified"),
        ([("RETRIEVAL_FAILED", "entropy magnitude exceeds declared budget")], "semantic"),
        ([("STEP_FAILED", "the entropy was high")], "structural"),
        ([("SOMETHING_NEW", "x")], "unclassified"),
        ([], "unclassified"),
    ],
)
def test_the_class_of_a_step(failing: list[tuple[str, str | None]], value: str) -> None:
    assert contract_class.of_step(failing).value == value


@pytest.mark.parametrize(
    ("run", "value"),
    [
        (run_of(START_0, FAILED), "structural"),
        (run_of(START_0, FAILED, START_1, ("VERIFICATION_FAIL", 1), mode="unsafe"), "unclassified"),
        (run_of(*BOTH, finalized=False), "authority"),
        (run_of(START_0), "unclassified"),
        (run_of(START_0, ESCALATED), None),
        (run_of(START_0, STOPPED, finalized=False), None),
        (run_of(finalized=False), None),
        (run_of(*BOTH), None),
    ],
)
def test_the_class_of_a_run(run: RunFacts, value: str | None) -> None:
    assert outcome(run).contract_class == value
