"""The choice among the steps of a run: what each step claims, and weights that make the labelled step likely.

A step's chance is exp(sum of the weights of its claims) over all steps of its run. The weights maximise the
chance of the labelled steps less `RIDGE` / 2 times their squares, so that few files cannot make a weight large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.store import Lease
from queries.origins.origin_candidates import origin_candidates
from tests.attribution.labelled import Case

RIDGE = 10.0
FOLDS = 10
REPEATS = 10
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Claims:
    """Which rules hold at each step of a run, in the order of its steps, and the labelled step."""

    case: Case
    rules: tuple[frozenset[str], ...]


def claims_of(lease: Lease, case: Case) -> Claims:
    """What the product itself says of every step; its weights play no part here."""
    answer = origin_candidates(lease, run=case.run_id, all_steps=True, limit=100_000)
    by_step = {row.step: frozenset(rule.rpartition(" ")[0] for rule in row.rules) for row in answer}
    return Claims(case, tuple(by_step.get(str(number), frozenset()) for number in range(len(case.steps))))


def first_candidate(lease: Lease, case: Case) -> int | None:
    """The step that the product ranks first, with the weights it ships."""
    row = origin_candidates(lease, run=case.run_id, limit=1).first
    return int(row.step) if row and row.step.isdigit() else None


def matrix(claims: Claims, names: Sequence[str]) -> Array:
    """A row a step, a column a rule: 1 where it holds."""
    return np.array([[float(name in held) for name in names] for held in claims.rules])


def fitted(all_claims: Sequence[Claims], names: Sequence[str], ridge: float = RIDGE) -> Array:
    """The weights, by Newton's method; the problem is convex, so there is one answer."""
    weights = np.zeros(len(names))
    runs = [(matrix(claims, names), claims.case.step) for claims in all_claims if claims.case.step < len(claims.rules)]
    for _ in range(50):
        slope, curve = ridge * weights, ridge * np.eye(len(names))
        for held, step in runs:
            chance = _chances(held, weights)
            mean = chance @ held
            slope -= held[step] - mean
            curve += (held.T * chance) @ held - np.outer(mean, mean)
        change = np.linalg.solve(curve, slope)
        weights -= change
        if np.abs(change).max() < 1e-9:
            break
    return weights


def _chances(held: Array, weights: Array) -> Array:
    score = held @ weights
    raised = np.exp(score - score.max())
    return np.asarray(raised / raised.sum(), dtype=np.float64)


def chosen(claims: Claims, names: Sequence[str], weights: Array) -> int:
    """The step with the highest score; of equal ones the first."""
    return int(np.argmax(np.round(matrix(claims, names) @ weights, 9)))


def out_of_fold(all_claims: Sequence[Claims], names: Sequence[str], seed: int, ridge: float = RIDGE) -> list[int]:
    """For every run the step chosen by weights that never saw its file."""
    order = np.random.default_rng(seed).permutation(len(all_claims))
    steps = [0] * len(all_claims)
    for fold in range(FOLDS):
        held_out = set(order[fold::FOLDS].tolist())
        weights = fitted([c for number, c in enumerate(all_claims) if number not in held_out], names, ridge)
        for number in held_out:
            steps[number] = chosen(all_claims[number], names, weights)
    return steps
