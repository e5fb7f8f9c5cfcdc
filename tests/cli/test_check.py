"""`faultlens check`: exit codes, the report, and a webhook that gets exactly the changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dashboard.cli import main
from dashboard.escalation import notify
from ingest.load import ingest
from ingest.people import Acknowledgement, acknowledge
from ingest.store import memory_connection, open_store
from tests.queries.attempts import NOON, Store

RISKY = "[bands.default]\nwindow = '1d'\n[bands.w]\nwindow = '1d'\nrisk_bearing = true\n"
OK, LOW, HIGH, SUSPECTED = (15, 100), (0, 100), (80, 100), (1, 25)
FIRST = NOON - timedelta(days=20)


class Receiver(ThreadingHTTPServer):
    """A webhook on loopback: keeps what it gets, and answers with the statuses it was told to, then with 200."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.answers: list[int] = []
        self.calls = 0
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/services/secret-token"


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.calls += 1
        status = self.server.answers.pop(0) if self.server.answers else 200
        if status == 200:
            self.server.got.append(json.loads(body))
        self.send_response(status)
        self.send_header("Content-Length", "0")
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Silence."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FAULTLENS_STORE", raising=False)
    monkeypatch.setattr(notify, "FIRST_PAUSE_S", 0.01)
    return tmp_path


def store(*days: tuple[int, int], workload: str = "w") -> Path:
    """The store after these days."""
    path = Path.cwd() / "faultlens.duckdb"
    path.unlink(missing_ok=True)
    made = Store()
    made.days(workload, days, FIRST)
    return made.write(path)


def check(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["check", *arguments])


def test_runs_that_older_rules_judged_are_a_hint_and_no_failure(folder: Path) -> None:
    file = folder / "a.jsonl"
    file.write_text("".join(f'{{"record": "run", "run_id": "r{number}"}}\n' for number in range(3)))
    ingest([str(file)], folder / "faultlens.duckdb")
    assert "older rules" not in check().stderr
    with memory_connection() as con, open_store("faultlens.duckdb") as opened, opened.publication(con) as draft:
        draft.cursor().execute("UPDATE runs SET derived_by = 'older' WHERE native_id <> 'r1'").fetchall()
    done = check()
    assert (done.exit_code, "older rules" in done.stdout) == (0, False)
    assert "faultlens: 2 runs were judged by older rules" in done.stderr
    assert CliRunner().invoke(main, ["rebuild"]).exit_code == 0
    assert "older rules" not in check().stderr


@pytest.mark.parametrize(
    ("day", "conditions", "code"),
    [
        (LOW, [], 0),
        (LOW, ["low"], 1),
        (SUSPECTED, ["low"], 1),
        (LOW, ["high"], 0),
        (LOW, ["high", "low"], 1),
        (HIGH, ["high"], 1),
        ((8, 25), ["high"], 1),
        ((0, 3), ["insufficient"], 1),
        ((0, 3), ["low", "high"], 0),
        (OK, ["low", "high", "insufficient"], 0),
        ((0, 0), ["low", "high", "insufficient"], 0),
    ],
)
def test_exit_codes(day: tuple[int, int], conditions: list[str], code: int) -> None:
    store(day)
    done = check(*(word for condition in conditions for word in ("--fail-on", condition)))
    assert done.exit_code == code, done.output
    assert ("fails: " in done.stderr) == bool(code)


@pytest.mark.parametrize("condition", ["lo", "findings:bad", "low:critical", ""])
def test_an_unknown_condition_is_a_wrong_call(condition: str) -> None:
    assert check("--fail-on", condition).exit_code == 2


def test_a_bad_configuration_is_named_by_its_key(folder: Path) -> None:
    store(OK)
    (folder / "faultlens.toml").write_text("[bands.w]\nlow = 0.4\nhigh = 0.3\n")
    done = check()
    assert done.exit_code == 2
    assert "bands.w" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("url", ["ftp://example/x", "hooks.example/x", "http://", "file:///etc/hosts"])
def test_a_bad_address_is_a_wrong_call(url: str) -> None:
    store(LOW)
    assert check("--notify", url).exit_code == 2


def test_an_empty_store_says_that_there_is_nothing() -> None:
    done = check()
    assert done.exit_code == 0
    assert "nothing to check" in done.stdout


def test_a_line_says_what_happened_and_how_sure_that_is(folder: Path) -> None:
    (folder / "faultlens.toml").write_text(RISKY)
    store(LOW)
    done = check()
    assert "▼ LOW, confirmed" in done.stdout
    assert "critical" in done.stdout
    assert "0 of 100 finished attempts" in done.stdout


def test_json_has_the_rows_of_the_query_and_the_alert(folder: Path) -> None:
    (folder / "faultlens.toml").write_text(RISKY)
    store(LOW)
    report = json.loads(check("--json", "--fail-on", "low").stdout)
    (row,) = report["workloads"]
    assert (row["workload"], row["state"], row["evidence"], row["escalated"], row["finished"]) == (
        "w", "LOW", "confirmed", 0, 100,
    )  # fmt: skip
    assert (row["alert"], row["alert_severity"], row["acknowledged_by"]) == ("LOW", "critical", None)
    assert (report["worst"], report["notified"], report["failed"]) == ("critical", [], ["low: w is LOW (confirmed)"])


def test_the_webhook_gets_exactly_the_changes(folder: Path, receiver: Receiver) -> None:
    (folder / "faultlens.toml").write_text(RISKY)
    days: list[tuple[int, int]] = []
    for more, wanted in (
        ([OK], []),
        ([LOW], [("entered", "OK", "LOW")]),
        ([], []),
        ([LOW, LOW], []),
        ([OK], []),
        ([OK], [("cleared", "LOW", "OK")]),
        ([OK], []),
        ([HIGH], [("entered", "OK", "HIGH")]),
        ([LOW], [("flipped", "HIGH", "LOW")]),
        ([OK, OK, HIGH], [("cleared", "LOW", "OK"), ("entered", "OK", "HIGH")]),
    ):
        days += more
        store(*days)
        receiver.got.clear()
        done = check("--notify", receiver.url)
        assert done.exit_code == 0, done.output
        assert [(m["kind"], m["from_state"], m["to_state"]) for m in receiver.got] == wanted, days


def test_a_message_has_text_for_a_chat_and_the_fields(folder: Path, receiver: Receiver) -> None:
    (folder / "faultlens.toml").write_text("[bands.default]\nwindow = '1d'\n")
    store(LOW, workload="<!channel> & co")
    check("--notify", receiver.url)
    (message,) = receiver.got
    assert message["text"].startswith("▼ &lt;!channel&gt; &amp; co: escalation entered, OK → LOW (warning). 0 of 100")
    assert message["workload"] == "<!channel> & co"
    for key in ("at", "rate", "rate_low", "rate_high", "band_low", "band_high", "severity", "reason", "evidence"):
        assert message[key] is not None, key


def test_a_receiver_that_fails_twice_first_gets_each_change_once(receiver: Receiver) -> None:
    store(LOW)
    receiver.answers = [500, 503]
    done = check("--notify", receiver.url)
    assert (done.exit_code, len(receiver.got), receiver.calls) == (0, 1, 3)
    assert check("--notify", receiver.url).exit_code == 0
    assert (len(receiver.got), receiver.calls) == (1, 3)


@pytest.mark.parametrize(("answers", "calls"), [([500] * 9, 4), ([404], 1), ([302], 1), ([429, 429], 3)])
def test_what_may_pass_is_tried_again_and_what_cannot_is_not(
    receiver: Receiver, answers: list[int], calls: int
) -> None:
    store(LOW)
    receiver.answers = list(answers)
    done = check("--notify", receiver.url)
    assert receiver.calls == calls
    assert done.exit_code == (0 if receiver.got else 1)
    assert "secret-token" not in done.output


def test_an_undelivered_message_is_sent_the_next_time(receiver: Receiver) -> None:
    store(LOW)
    receiver.answers = [404]
    assert check("--notify", receiver.url).exit_code == 1
    assert check("--notify", receiver.url).exit_code == 0
    assert [message["to_state"] for message in receiver.got] == ["LOW"]


def test_each_address_has_a_memory_of_its_own(receiver: Receiver) -> None:
    store(LOW)
    check("--notify", receiver.url)
    check("--notify", f"{receiver.url}/another")
    check("--notify", receiver.url)
    assert len(receiver.got) == 2


def acknowledged(
    path: Path, *, until: datetime | None = None, severity: str = "warning", at: datetime | None = None
) -> None:
    given = Acknowledgement(
        workload="w", state="LOW", severity=severity, band_low=0.08, band_high=0.30, author="Ada", note="seen",
        until=until, is_risk_bearing=False,
    )  # fmt: skip
    acknowledge(open_store(path), given, now=at)


def test_an_acknowledged_alert_is_not_told_and_its_end_is(folder: Path, receiver: Receiver) -> None:
    (folder / "faultlens.toml").write_text("[bands.default]\nwindow = '1d'\n")
    acknowledged(store(OK, LOW))
    check("--notify", receiver.url)
    assert receiver.got == []
    done = check()
    assert "Acknowledged by Ada" in done.stdout
    store(OK, LOW, HIGH)
    check("--notify", receiver.url)
    assert [message["to_state"] for message in receiver.got] == ["HIGH"]


def test_an_expired_acknowledgement_is_told_once(receiver: Receiver) -> None:
    path = store(LOW)
    check("--notify", receiver.url)
    now = datetime.now(UTC)
    acknowledged(path, at=now + timedelta(microseconds=1), until=now + timedelta(microseconds=2))
    for _ in range(2):
        check("--notify", receiver.url)
    assert [message["kind"] for message in receiver.got] == ["entered", "reopened"]
    assert "has expired" in receiver.got[1]["reason"]


def test_a_higher_severity_is_told_once(folder: Path, receiver: Receiver) -> None:
    (folder / "faultlens.toml").write_text(RISKY)
    store(*[SUSPECTED] * 7)
    check("--notify", receiver.url)
    store(*[SUSPECTED] * 7, LOW)
    for _ in range(2):
        check("--notify", receiver.url)
    assert [(message["kind"], message["severity"]) for message in receiver.got] == [
        ("entered", "warning"), ("raised", "critical"),
    ]  # fmt: skip


def test_the_band_in_force_is_remembered(folder: Path) -> None:
    store(LOW)
    check()
    (folder / "faultlens.toml").write_text("[bands.w]\nlow = 0.2\nhigh = 0.9\n")
    check()
    check()
    with open_store(folder / "faultlens.duckdb").lease() as lease:
        rows = lease.rows("SELECT low, in_force_from IS NULL AS is_first FROM bands_in_force ORDER BY recorded_at")
    assert rows == [{"low": 0.08, "is_first": True}, {"low": 0.2, "is_first": False}]


def test_nobody_listening_is_said_without_the_address(receiver: Receiver) -> None:
    store(LOW)
    url = receiver.url
    receiver.shutdown()
    receiver.server_close()
    done = check("--notify", url)
    assert done.exit_code == 1
    assert "did not take the message about w" in done.stderr
    assert "secret-token" not in done.output
