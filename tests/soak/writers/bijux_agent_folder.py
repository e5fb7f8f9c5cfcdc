"""The command line of bijux-canon-agent over two small texts into one output folder; no network.

Called with a folder; prints what was written as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

# Its check at the start wants them set; without a model to call, any text does.
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HUGGINGFACE_API_KEY", "DEEPSEEK_API_KEY")
CONFIG = {
    "strategy": "extractive",
    "model_metadata": {"provider": "local", "model_name": "local", "temperature": 0.0, "max_tokens": 512},
    "logging": {"log_dir": "out/logs", "log_level": "INFO"},
}
# The summary of the first repeats itself, which the agent's own validation refuses; the second passes.
INPUTS = {
    "refunds.txt": (
        "Refunds are accepted within 30 days of delivery. Amounts above 500 need the approval of a person. "
        "The payment gateway times out now and then, and the same call may have taken effect. "
        "Check the ledger before you call again. Customers are told the outcome by mail within one day.\n"
    ),
    "tiny.txt": "short.\n",
}


def main(folder: Path) -> None:
    """Writes `out/`, as the command leaves it."""
    inputs = folder / "inputs"
    inputs.mkdir()
    for name, text in INPUTS.items():
        (inputs / name).write_text(text, encoding="utf-8")
    (folder / "config.yml").write_text(json.dumps(CONFIG), encoding="utf-8")  # JSON is YAML
    done = subprocess.run(
        [Path(sys.executable).parent / "bijux-canon-agent", "run", "inputs", "--out", "out", "--config", "config.yml"],
        cwd=folder,
        env={**os.environ, **dict.fromkeys(KEYS, "any")},
        capture_output=True,
        check=False,
        timeout=300,
    )
    written = sorted(path.relative_to(folder).as_posix() for path in (folder / "out").rglob("*") if path.is_file())
    trace = json.loads((folder / "out/trace/run_trace.json").read_text(encoding="utf-8"))
    stated = {"code": done.returncode, "inputs": sorted(INPUTS), "run_id": trace["run_id"], "written": written}
    print(json.dumps(stated))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
