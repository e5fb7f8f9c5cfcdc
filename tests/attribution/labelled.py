"""The labelled runs: ingested like any others, their labels read apart from the store, so that no rule can see them."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.load import ingest
from ingest.store import Lease

# Beside the checkout; another folder of the same layout with FAULTLENS_LABELLED, or as the first argument.
BESIDE = Path(__file__).parents[3] / "shared" / "data" / "labelled"
SPLITS = ("Who&When algorithm-generated", "Who&When hand-crafted", "AgentRx Magentic-One", "AgentRx tau")
ERROR_LIKE = re.compile(
    r"traceback|\berrors?\b|exception|exitcode: [1-9]|execution failed|\bfailed\b|timed? ?out|not found"
    r"|unable to|cannot",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Step:
    """A message of a run, by its position from 0."""

    agent: str
    text: str


@dataclass(frozen=True, slots=True)
class Case:
    """A failed run with the step that its annotators hold responsible."""

    split: str
    name: str
    digest: str
    run_id: str
    agent: str
    step: int
    steps: tuple[Step, ...]


def folder(given: str | None = None) -> Path:
    """Where the labelled files lie."""
    return Path(given or os.environ.get("FAULTLENS_LABELLED") or BESIDE)


def loaded(data: Path, store: Path) -> None:
    """The runs are in the store; the ground truth of AgentRx, which holds nothing but labels, is not."""
    given = [data / "who_and_when", data / "agentrx" / "magentic", data / "agentrx" / "tau"]
    ingest([str(path) for path in given if path.exists()], store)


def cases(data: Path, lease: Lease) -> list[Case]:
    """Every labelled run that is in the store."""
    found = [*_who_and_when(data, lease), *_magentic(data, lease), *_tau(data, lease)]
    return sorted(found, key=lambda case: (SPLITS.index(case.split), case.name))


def _who_and_when(data: Path, lease: Lease) -> list[Case]:
    found = []
    for split, below in zip(SPLITS, ("algorithm_generated", "hand_crafted"), strict=False):
        for path in sorted((data / "who_and_when" / below).glob("*.json")):
            label = json.loads(path.read_bytes())
            steps = tuple(_step(message) for message in label["history"])
            found.append(
                _case(
                    split, path, lease, agent=str(label["mistake_agent"]), step=int(label["mistake_step"]), steps=steps
                )
            )
    return found


def _magentic(data: Path, lease: Lease) -> list[Case]:
    found = []
    for label in _labels(data / "agentrx" / "ground_truth" / "magentic_one_ground_truth.json"):
        for path in (data / "agentrx" / "magentic").glob(f"{label['trajectory_id']}.json"):
            root = _root(label)
            steps = tuple(_step(message) for message in json.loads(path.read_bytes()))
            found.append(
                _case(
                    SPLITS[2], path, lease, agent=str(root["failed_agent"]), step=root["step_number"] - 1, steps=steps
                )
            )
    return found


def _tau(data: Path, lease: Lease) -> list[Case]:
    path = data / "agentrx" / "tau" / "tau_dataset_failed.json"
    truth = data / "agentrx" / "ground_truth" / "tau_ground_truth.json"
    labels = {str(label["trajectory_id"]): label for label in _labels(truth)}
    found = []
    for trajectory in json.loads(path.read_bytes()) if path.exists() else []:
        label = labels.get(str(trajectory["task_id"]))
        run_id = f"agentrx:{trajectory['task_id']}"
        if label and lease.rows("SELECT 1 AS there FROM runs WHERE run_id = $run", {"run": run_id}):
            root = _root(label)
            digest = hashlib.sha256(json.dumps(trajectory, sort_keys=True).encode()).hexdigest()[:16]
            steps = tuple(_step(message) for message in trajectory["traj"])
            name, agent = f"tau/{trajectory['task_id']:04}", str(root["failed_agent"])
            found.append(Case(SPLITS[3], name, digest, run_id, agent, root["step_number"] - 1, steps))
    return found


def _labels(path: Path) -> list[dict[str, Any]]:
    return list(json.loads(path.read_bytes())) if path.exists() else []


def _root(label: dict[str, Any]) -> dict[str, Any]:
    """The failure that is the root: one file writes its id as text where the failures have numbers."""
    wanted = str(label["root_cause"]["failure_id"])
    return next(failure for failure in label["failures"] if str(failure["failure_id"]) == wanted)


def _case(split: str, path: Path, lease: Lease, *, agent: str, step: int, steps: tuple[Step, ...]) -> Case:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    rows = lease.rows("SELECT DISTINCT run_id FROM spans WHERE file_id = $file", {"file": digest})
    if len(rows) != 1:
        raise LookupError(f"{path.name}: {len(rows)} runs in the store come from this file, one is wanted")
    return Case(split, f"{path.parent.name}/{path.stem:>4}", digest[:16], rows[0]["run_id"], agent, step, steps)


def _step(message: dict[str, Any]) -> Step:
    return Step(str(message.get("name") or message["role"]), str(message.get("content") or ""))


def agent_key(name: str) -> str:
    """An agent's name as the labels write it: without what stands in brackets, whatever its capitals."""
    return re.sub(r"\s*\(.*\)", "", name, flags=re.DOTALL).strip().casefold()
