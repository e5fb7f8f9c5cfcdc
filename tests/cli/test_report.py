"""`faultlens report`: one run as a file, every run as a folder, and calls that cannot be answered."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dashboard.cli import main
from ingest.load import ingest

ROOT = Path(__file__).parents[2]
STORY = ROOT / "sample_traces" / "faultlens" / "every_kind.jsonl"
OTHER = ROOT / "sample_traces" / "origins" / "provisional.jsonl"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli_report") / "faultlens.duckdb"
    ingest([str(STORY), str(OTHER)], path)
    return path


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FAULTLENS_STORE", raising=False)
    return tmp_path


def called(store: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["--store", str(store), "report", *arguments])


def test_markdown_on_standard_output_unless_told(store: Path) -> None:
    done = called(store, "refund-4711")
    assert done.exit_code == 0
    assert done.stdout.startswith("<!-- generated")
    assert "# Postmortem: `refund 512.40 EUR to customer 88`" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(("name", "begins"), [("a.html", "<!DOCTYPE html>"), ("a.md", "<!--"), ("a.json", "{")])
def test_the_file_is_what_its_name_says(store: Path, folder: Path, name: str, begins: str) -> None:
    assert called(store, "refund-4711", "-o", name).exit_code == 0
    assert (folder / name).read_text(encoding="utf-8").startswith(begins)


def test_json_has_the_facts(store: Path) -> None:
    facts = json.loads(called(store, "refund-4711", "--format", "json").stdout)
    assert facts["run"]["run_id"] == "faultlens:refund-4711"
    assert [row["outcome"] for row in facts["recoveries"]] == ["ESCALATED"]


def test_what_people_wrote_into_the_file_stays_and_goes_into_the_page(store: Path, folder: Path) -> None:
    file = folder / "r.md"
    called(store, "refund-4711", "-o", "r.md")
    edited = re.sub(
        r"(human:lucky begin -->\n).*?(\n<!--)", r"\1Nobody was charged.\2", file.read_text("utf-8"), count=1
    )
    file.write_text(edited, encoding="utf-8")
    called(store, "refund-4711", "-o", "r.md")
    assert file.read_text(encoding="utf-8") == edited
    called(store, "refund-4711", "-o", "r.html")
    assert "Nobody was charged." in (folder / "r.html").read_text(encoding="utf-8")


def test_all_is_a_folder_that_opens_from_disk(store: Path, folder: Path) -> None:
    done = called(store, "--all", "--format", "html", "-o", "bundle")
    assert done.exit_code == 0
    assert "2 reports in bundle" in done.stderr
    index = (folder / "bundle" / "index.html").read_text(encoding="utf-8")
    linked = re.findall(r'href="([^"#]+)"', index)
    assert len(linked) == 2
    assert {path.name for path in (folder / "bundle").iterdir()} == {"index.html", *linked}


def test_all_takes_a_selection(store: Path, folder: Path) -> None:
    assert called(store, "--all", "--status", "escalated", "-o", "some").exit_code == 0
    assert len(list((folder / "some").glob("*.html"))) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name one RUN, or say --all"),
        (("refund-4711", "--all", "-o", "x"), "name one RUN, or say --all"),
        (("--all",), "--all needs a folder"),
        (("refund-4711", "--status", "failed"), "select runs for --all"),
        (("nobody",), "there is no run 'nobody' in this store"),
        (("refund-4711", "--format", "pdf"), "pdf"),
        (("refund-4711", "-o", "/no/such/folder/r.md"), "cannot be written"),
        (("--all", "--status", "vetoed", "-o", "x"), "no run is selected"),
    ],
)
def test_a_call_that_cannot_be_answered_is_one_line(store: Path, arguments: tuple[str, ...], said: str) -> None:
    done = called(store, *arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.output
