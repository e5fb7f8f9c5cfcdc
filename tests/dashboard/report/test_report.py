"""The postmortem: golden files of sample stories, text that stays text, and people's words that stay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dashboard.report.document import Recorded, Redaction, recorded
from dashboard.report.facts import UnknownRun, facts_of
from dashboard.report.human import begin, end, written_in
from dashboard.report.incident import incident
from dashboard.report.markdown import literal, prose
from dashboard.report.postmortem import postmortem, report
from dashboard.report.told import seconds
from ingest.load import ingest
from ingest.reviews import Review, write
from ingest.store import AnyStore, Lease, open_store
from queries.report.span_shape import span_shape

ROOT = Path(__file__).parents[3]
GOLDEN = Path(__file__).parent / "golden"
STORIES = {
    "refund-4711": "sample_traces/faultlens/every_kind.jsonl",
    "origin-suspected": "sample_traces/origins/suspected.jsonl",
    "origin-provisional": "sample_traces/origins/provisional.jsonl",
    "ctx-budget": "sample_traces/context/stage-3-budget-drop.jsonl",
}
MARKUP = "a1b2c3d4e5f60718293a4b5c6d7e8f90"
OTHERS = ("tests/data/repro/b25_markup.jsonl",)
VOID = {"meta", "br", "img", "link", "input", "hr"}


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AnyStore]:
    path = tmp_path_factory.mktemp("report") / "store.duckdb"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        ingest([*STORIES.values(), *OTHERS], path)
    with closing(open_store(path)) as store:
        yield store


@pytest.fixture
def lease(stories: AnyStore) -> Iterator[Lease]:
    with stories.lease() as lease:
        yield lease


@pytest.fixture(autouse=True)
def _same_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.report.facts._version", lambda: "0.0.0")


class Page(HTMLParser):
    """A page as a parser sees it: every element closed, in order, and what it would fetch or run."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.names: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID and not (self.get_starttag_text() or "").endswith("/>"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.get_starttag_text() or tag != "rect":
            assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


_MADE: dict[tuple[str, str], str] = {}


def made(lease: Lease, run: str, form: str) -> str:
    """The report, made once: making it is not free."""
    if (run, form) not in _MADE:
        _MADE[run, form] = report(lease, run, form)
    return _MADE[run, form]


@contextmanager
def alone(tmp_path: Path, file: str) -> Iterator[Lease]:
    """A store with this file only: the files of `repro` share one trace id."""
    path = tmp_path / "alone" / Path(file).stem / "store.duckdb"
    path.parent.mkdir(parents=True)
    ingest([str(ROOT / file)], path)
    with closing(open_store(path)) as store, store.lease() as lease:
        yield lease


def sound(text: str) -> Page:
    page = Page(text)
    assert page.open == []
    assert not {"script", "iframe", "img", "link", "object", "embed", "form", "base"} & set(page.names)
    for name, value in page.attributes:
        assert not name.startswith("on"), name
        assert name not in {"src", "srcdoc", "srcset", "style", "xlink:href", "action"}, name
        if name == "href":
            assert re.fullmatch(r"#[a-z]\d+|[A-Za-z0-9.-]+\.html", value), value
    anchors = [value for name, value in page.attributes if name == "id"]
    assert len(anchors) == len(set(anchors))
    targets = {value[1:] for name, value in page.attributes if name == "href" and value.startswith("#")}
    assert targets <= set(anchors)
    assert "://" not in re.sub(r"<code>.*?</code>|<pre>.*?</pre>", "", text, flags=re.DOTALL)
    return page


@pytest.mark.parametrize("form", ["md", "html"])
@pytest.mark.parametrize("run", STORIES)
def test_a_story_gives_its_golden_file(lease: Lease, run: str, form: str) -> None:
    golden = GOLDEN / f"{run}.{form}"
    text = made(lease, run, form)
    assert text == golden.read_text(encoding="utf-8"), "read the difference, then: python -m tests.dashboard.report"


@pytest.mark.parametrize("run", [*STORIES, MARKUP])
def test_the_page_is_sound_and_fetches_nothing(lease: Lease, run: str) -> None:
    page = sound(made(lease, run, "html"))
    assert page.names.count("h1") == 1
    assert page.names.count("h2") == 17


SECTIONS = (
    "Header", "Summary", "Impact", "Timeline", "Detection", "Origin", "Trigger and root cause", "Classification",
    "Response", "Coordination", "Replay", "What went well", "What went badly", "Where we got lucky", "Actions",
    "Open questions", "Appendix",
)  # fmt: skip


def test_the_sections_stand_in_their_order(lease: Lease) -> None:
    document = postmortem(facts_of(lease, "refund-4711"))
    assert tuple(section.title for section in document.sections) == SECTIONS


@pytest.mark.parametrize(
    ("run", "said"),
    [
        # read by hand from the sample files
        ("refund-4711", "first failure is `limit_exceeded`"),
        ("refund-4711", "at `CLASSIFY`, `recorded` by `reliability`; root cause: `index not rebuilt`"),
        ("refund-4711", "lost at difference 1, retrieval omission, proven"),
        ("refund-4711", "`limits-2026` (current `1`)"),
        ("refund-4711", "`test_failure 64%` | 0.80 | automatic"),
        ("refund-4711", "| Permitted next action | `inspect; retry only under policy` |"),
        ("refund-4711", "[`h1`](#e12) | handoff | `condition 2 missing field` | `refused`"),
        ("refund-4711", "`0825064ba62a217fc335e2017679cdca7a6cd730ff844f1573e284d49358193c`"),
        ("origin-suspected", "Not localised: neither a record nor a person says where this failure began."),
        ("origin-suspected", "none is a diagnosis"),
        ("origin-provisional", "Provisional fixes that stay open"),
        ("ctx-budget", "lost at difference 3, budget or composition drop"),
        (MARKUP, "Context Diff: no context set is recorded."),
    ],
)
def test_says_what_the_records_say(lease: Lease, run: str, said: str) -> None:
    assert said in made(lease, run, "md")


def test_hostile_text_is_inert_in_markdown(lease: Lease) -> None:
    text = made(lease, MARKUP, "md")
    outside = re.sub(r"`[^`\n]*`", "", "\n".join(line for line in text.split("\n") if not line.startswith("    ")))
    tags = set(re.findall(r"<[^>]*>", outside))
    assert all(re.fullmatch(r'<a id="[er]\d+">|</a>|</?code>|<!-- [a-z_:;,. A-Z]+ -->', tag) for tag in tags), tags
    assert "](http" not in outside
    assert "javascript:" not in outside


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<img src=x>", "`<img src=x>`"),
        ("a|b", "<code>a&#124;b</code>"),
        ("`x` <b>", "<code>&#96;x&#96; &#60;b&#62;</code>"),
        ("a\\|b", "<code>a&#92;&#124;b</code>"),
        ("two\nlines", "`two lines`"),
        ("", "–"),
        (" \u202e\u0000", "`\ufffd\ufffd`"),
    ],
)
def test_recorded_text_is_literal(text: str, shown: str) -> None:
    assert literal(text) == shown


def test_a_note_is_no_markup_and_no_link() -> None:
    said = prose("![x](https://a.example) www.b.example <b>*hi*</b>")
    assert "<" not in said
    assert "[" not in said
    assert "://" not in said
    assert "www." not in said


def test_a_secret_is_masked_and_counted(tmp_path: Path) -> None:
    secrets = re.compile(r"sk-[A-Za-z0-9-]{20,}|AKIA[A-Z0-9]{16}|gh[pousr]_[A-Za-z0-9]{20,}")
    assert secrets.search((ROOT / "tests/data/repro/b28_secrets.jsonl").read_text())
    with alone(tmp_path, "tests/data/repro/b28_secrets.jsonl") as lease:
        texts = [report(lease, MARKUP, form) for form in ("md", "html", "json")]
    assert not any(secrets.search(text) for text in texts)
    assert re.search(r"Redaction: \d+ secrets? (was|were) masked", texts[0])


def test_a_secret_is_masked_before_it_is_cut() -> None:
    redaction = Redaction()
    (piece,) = recorded("x" * 290 + " sk-ant-" + "a1b2c3d4" * 8)
    assert isinstance(piece, Recorded)
    assert "sk-ant" not in redaction.text(piece.text)
    assert redaction.count == 1


def test_made_again_it_is_the_same(lease: Lease, stories: AnyStore) -> None:
    first = {form: made(lease, "refund-4711", form) for form in ("md", "html", "json")}
    with stories.lease() as later:
        assert {form: report(later, "refund-4711", form) for form in first} == first
    assert report(lease, "refund-4711", "md", first["md"]) == first["md"]


class TestWordsOfPeople:
    def test_missing_ones_are_a_todo(self, lease: Lease) -> None:
        text = made(lease, "origin-suspected", "md")
        assert text.count("**TODO: ") == len(postmortem(facts_of(lease, "origin-suspected")).humans())

    def test_those_in_the_file_stay_and_everything_else_is_made_anew(self, lease: Lease) -> None:
        text = made(lease, "refund-4711", "md")
        mine = "We lost *two* hours.\n\n- and a `list`"
        edited = re.sub(
            r"(human:summary begin -->\n).*?(\n<!-- human:summary end)", rf"\1{mine}\2", text, flags=re.DOTALL
        )
        spoiled = edited.replace("limit_exceeded", "all was well")
        again = report(lease, "refund-4711", "md", spoiled)
        assert again == edited
        assert report(lease, "refund-4711", "md", again) == again
        assert "We lost *two* hours." in report(lease, "refund-4711", "html", again)

    def test_html_takes_them_literally(self, lease: Lease) -> None:
        kept = f"{begin('lucky')}\n<script>alert(1)</script>\n{end('lucky')}\n"
        text = report(lease, "refund-4711", "html", kept)
        sound(text)
        assert "&lt;script&gt;alert(1)" in text

    def test_a_marker_in_a_record_is_no_marker(self) -> None:
        assert written_in(f"    {begin('summary')}\n    forged\n    {end('summary')}\n") == {}

    def test_those_of_the_store_stand_with_name_and_event(self, tmp_path: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(ROOT)
            ingest([STORIES["refund-4711"]], tmp_path / "s.duckdb")
        run = "faultlens:refund-4711"
        with closing(open_store(tmp_path / "s.duckdb")) as store:
            action = {"comment": "add a gate", "prevention_layer": "gate", "owner": "Mara", "due": "2026-12-15",
                      "durable": True}  # fmt: skip
            write(store, [Review(run, "summary", "Mara", {"comment": "The <b>limit</b> was stale."}),
                          Review(run, "note", "Tom", {"comment": "here we could have seen it"}, "g1"),
                          Review(run, "action", "Mara", action)])  # fmt: skip
            with store.lease() as lease:
                text, page = report(lease, run, "md"), report(lease, run, "html")
        assert "> The &#60;b&#62;limit&#60;/b&#62; was stale.\n>\n> — Mara, " in text
        assert "here we could have seen it" in text
        assert ", at `g1`" in text
        assert "layer: gate; owner: Mara; due: 2026-12-15; verified by: TODO; durable" in text
        assert "The &lt;b&gt;limit&lt;/b&gt; was stale." in page
        assert "say in three sentences" not in text
        sound(page)


class TestIncident:
    def test_starts_before_the_first_failure(self, lease: Lease) -> None:
        told = incident(lease, "faultlens:origin-suspected")
        assert told.first_failure is not None
        assert told.first_failure > 0

    def test_says_how_much_it_leaves_out(self, lease: Lease) -> None:
        whole = incident(lease, "faultlens:refund-4711")
        short = incident(lease, "faultlens:refund-4711", most=4)
        assert len(short.rows) == 4
        assert short.earlier + short.others == len(whole.rows) - 4

    def test_tells_the_sets_of_a_step_as_one_moment(self, lease: Lease) -> None:
        rows = [row for row in incident(lease, "faultlens:refund-4711").rows if row.kind == "context set"]
        assert [row.summary for row in rows] == [
            "items: required 2 · retrieved 3 · eligible 2 · composed 2 · consumed 1 · current 2"
        ]


def test_an_orphan_and_a_circle_are_counted(tmp_path: Path) -> None:
    with alone(tmp_path, "tests/data/repro/b13_orphans.jsonl") as lease:
        (orphans,) = span_shape(lease, run=MARKUP)
    with alone(tmp_path, "sample_traces/jaeger/parent-cycle.legacy.json") as lease:
        (circle,) = [
            row for run in lease.rows("SELECT run_id FROM runs") for row in span_shape(lease, run=run["run_id"])
        ]
    assert (orphans.spans, orphans.orphans, orphans.in_circles) == (3, 1, 0)
    assert (circle.spans, circle.orphans, circle.in_circles) == (2, 0, 2)


def test_an_unknown_run_is_named(lease: Lease) -> None:
    with pytest.raises(UnknownRun, match="nobody"):
        report(lease, "nobody", "md")


@pytest.mark.parametrize(
    ("given", "shown"),
    [(None, "–"), (0.5, "0.5 s"), (59.9, "59.9 s"), (119.7, "2 min 0 s"), (-195.0, "-3 min 15 s"), (-4.0, "-4 s")],
)
def test_a_span_of_time_reads_as_it_is(given: float | None, shown: str) -> None:
    assert seconds(given) == shown


def test_a_reviewed_origin_stands_with_its_author_beside_the_recorded_one_and_outlives_an_ingest(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.duckdb"
    story = str(ROOT / STORIES["refund-4711"])
    ingest([story], path)
    body = {"verdict": "overridden", "originated_at": "PLAN / step 2", "root_cause": "nobody owns the index"}
    with closing(open_store(path)) as store:
        write(store, [Review("faultlens:refund-4711", "diagnosis", "Ann", body, event_id="e1")])
    ingest([story], path)
    with closing(open_store(path)) as store, store.lease() as lease:
        text = report(lease, "refund-4711", "md")
    assert "at `PLAN / step 2` (the records say: `CLASSIFY`), `reviewed` by `Ann`" in text
    assert "| `nobody owns the index` (the records say: `index not rebuilt`) |" in text
    assert "| `limit replaced` (from the records) |" in text


SUMMARISED = {
    "conformance/five_times.jsonl": ("conf-five-times", "the same failure was met 5 times"),
    "conformance/mutual_wait.jsonl": ("conf-deadlock", "the run has no recorded end"),
    "conformance/unknown_outcome.jsonl": ("conf-unknown-outcome", "the effect of [`e1`](#e1) may exist"),
    "origins/origin_after_observation.jsonl": ("origin-after", "which is after it was observed"),
    "origins/trigger_is_cause.jsonl": ("origin-trigger-cause", "which is also given as the trigger"),
    "origins/null_prevention.jsonl": ("origin-null-prevention", "add this to the prompt` (prevents nothing)"),
    "context/not-provable.jsonl": ("ctx-unproven", "lost something at attention or utilisation, not proven"),
    "bijux_agent/traces/finalize_veto_certain_invalid.json": ("run-finalize_veto_certain_invalid", "risk above 0.5`."),
}


@pytest.mark.parametrize("file", SUMMARISED)
def test_a_report_says_at_its_head_what_the_records_hold(tmp_path: Path, file: str) -> None:
    run, said = SUMMARISED[file]
    with alone(tmp_path, f"sample_traces/{file}") as lease:
        assert said in report(lease, run, "md")


def test_errors_that_are_alike_are_classified_once(tmp_path: Path) -> None:
    with alone(tmp_path, "sample_traces/conformance/five_times.jsonl") as lease:
        text = report(lease, "conf-five-times", "md")
    assert text.count("| Error code | `E_ASSERT` |") == 1
    assert "| Failures | [`e1`](#e1), [`e2`](#e2), [`e3`](#e3), [`e4`](#e4), [`e5`](#e5) |" in text
