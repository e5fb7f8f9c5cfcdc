"""Flows run by the command line of bijux-canon-runtime into one store, and what it prints about each; no network.

The runtime calls an agent and a reasoner that its user supplies: here they are functions of this file. Called with a
folder; prints what was written as JSON.
"""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from itertools import pairwise
from pathlib import Path
from typing import Any

import bijux_canon_agent
import bijux_canon_reason
import duckdb
from bijux_canon_runtime.interfaces.cli.entrypoint import main as command
from bijux_canon_runtime.model.reasoning.bundle import ReasoningBundle

TENANT = "tenant-a"
MANIFEST = {
    "tenant_id": TENANT,
    "flow_state": "validated",
    "determinism_level": "strict",
    "replay_acceptability": "exact_match",
    "entropy_budget": {"allowed_sources": ["seeded_rng"], "max_magnitude": "low"},
    "replay_envelope": {"min_claim_overlap": 1.0, "max_contradiction_delta": 0},
    "dataset": {
        "dataset_id": "orders",
        "tenant_id": TENANT,
        "dataset_version": "1",
        "dataset_hash": "0" * 64,
        "dataset_state": "frozen",
        "storage_uri": "file://orders",
    },
    "allow_deprecated_datasets": False,
    "retrieval_contracts": [],
    "verification_gates": [],
}
POLICY = {
    "spec_version": "v1",
    "verification_level": "baseline",
    "failure_mode": "halt",
    "randomness_tolerance": "deterministic",
    "arbitration_policy": {"spec_version": "v1", "rule": "unanimous", "quorum_threshold": None},
    "required_evidence": [],
    "max_rule_cost": 100,
    "rules": [],
    "fail_on": [],
    "escalate_on": [],
}
# Steps run in the order of their names unless a dependency says otherwise.
FLOWS = {
    "refund-answered": ["read_order", "write_answer"],
    "refund-tool-down": ["read_order", "timing_out", "write_answer"],
    "refund-unreasoned": ["no_reason"],
}


def run(agent_id: str, **_: Any) -> list[dict[str, str]]:
    """One agent: an artifact, or the failure that its name promises."""
    if agent_id == "timing_out":
        raise TimeoutError("payment gateway timed out")
    return [{"artifact_id": f"{agent_id}-1", "artifact_type": "agent_invocation", "content": agent_id}]


def reason(agent_outputs: list[Any], **_: Any) -> ReasoningBundle:
    """A bundle without claims; no bundle for the agent that is not to be reasoned about."""
    names = [str(artifact.artifact_id) for artifact in agent_outputs]
    if any("no_reason" in name for name in names):
        raise ValueError("nothing to reason about")
    return ReasoningBundle("v1", f"bundle-of-{names[0]}", (), (), (), "reasoner")


def said(*arguments: str | Path) -> tuple[str, int | None, str]:
    """What the command printed, its exit code when it gave one, and what it complained about."""
    sys.argv = ["bijux-canon-runtime", *map(str, arguments)]
    code: int | None = None
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            command()
        except SystemExit as exit_:
            code = int(exit_.code or 0)
    return out.getvalue(), code, err.getvalue()


def manifest(folder: Path, flow: str, agents: list[str]) -> Path:
    after = [f"{agent}:{before}" for before, agent in pairwise(agents)]
    path = folder / f"{flow}.manifest.json"
    path.write_text(json.dumps({**MANIFEST, "flow_id": flow, "agents": agents, "dependencies": after}))
    return path


def stored_runs(store: Path) -> dict[str, str]:
    """The run of each flow, as the store has it."""
    with duckdb.connect(str(store), read_only=True) as connection:
        return dict(connection.execute("SELECT flow_id, run_id FROM runs").fetchall())


def events(store: Path, run_id: str) -> int:
    with duckdb.connect(str(store), read_only=True) as connection:
        found = connection.execute("SELECT count(*) FROM events WHERE run_id = ?", [run_id]).fetchone()
    return int(found[0]) if found else 0


def main(folder: Path) -> None:
    """Writes `inputs/`, `store/executions.duckdb` and one `traces/<flow>.trace.json` per flow."""
    bijux_canon_agent.run, bijux_canon_reason.reason = run, reason
    for name in ("inputs", "store", "traces"):
        (folder / name).mkdir()
    store, policy = folder / "store" / "executions.duckdb", folder / "inputs" / "policy.json"
    policy.write_text(json.dumps(POLICY))
    found: dict[str, Any] = {}
    for flow, agents in FLOWS.items():
        arguments = ("run", manifest(folder / "inputs", flow, agents), "--policy", policy, "--db-path", store)
        _, code, complaint = said(*arguments)
        found[flow] = {"code": code, "said": complaint.strip()}
    for flow, run_id in stored_runs(store).items():
        arguments = ("inspect", "run", run_id, "--tenant-id", TENANT, "--db-path", store, "--json")
        trace, _, _ = said(*arguments)
        (folder / "traces" / f"{flow}.trace.json").write_text(trace)
        found[flow] |= {"run_id": run_id, "events": events(store, run_id), "traced": len(json.loads(trace)["events"])}
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
