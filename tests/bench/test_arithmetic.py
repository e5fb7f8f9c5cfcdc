"""The arithmetic of the bench: medians, ratios, growth exponents, verdicts, and the report that is kept."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.bench import copies, damage, results
from tests.bench.measure import Measured, clocked, growth_exponent, in_child, interleaved, middle, peak, ratio
from tests.bench.report import Section, Verdict, as_markdown, as_text, at_least, at_most, number, share, verdicts
from tests.bench.scale import DEFAULT, SOAK

SIZES = (10_000, 100_000, 1_000_000)


@pytest.mark.parametrize(
    ("times", "exponent"),
    [
        (dict.fromkeys(SIZES, 7.0), 0),
        ({size: size / 1_000 for size in SIZES}, 1),
        ({size: size**2 / 1e6 for size in SIZES}, 2),
        ({size: 3 * math.sqrt(size) for size in SIZES}, 0.5),
        ({10: 1.0, 1_000: 10.0}, 0.5),
        ({10: 1.0, 1_000: 0.1}, -0.5),
    ],
)
def test_the_exponent_is_the_slope_on_logarithmic_paper(times: dict[int, float], exponent: float) -> None:
    assert growth_exponent(times) == pytest.approx(exponent)


@pytest.mark.parametrize("times", [{}, {10: 1.0}, {10: 1.0, 100: 0.0}])
def test_one_point_has_no_slope(times: dict[int, float]) -> None:
    assert math.isnan(growth_exponent(times))


def seconds(*clock: float) -> list[Measured]:
    return [Measured(one, 2 * one, peak_mb=100 * one) for one in clock]


def test_a_ratio_compares_within_each_round() -> None:
    # The second round was ten times slower for both: means would say 1.9.
    assert ratio(seconds(2, 20, 2), seconds(1, 10, 2)) == 2


def test_the_middle_is_the_median_and_the_peak_the_most() -> None:
    found = seconds(3, 1, 2)
    assert middle(found) == Measured(2, 4, 200)
    assert middle(seconds(1, 2)).clock_s == 2
    assert peak(found) == 300


def test_kinds_take_turns() -> None:
    order: list[str] = []

    def noted(name: str) -> Measured:
        order.append(name)
        return clocked(lambda: None)

    found = interleaved({"a": lambda: noted("a"), "b": lambda: noted("b")}, rounds=3)
    assert "".join(order) == "ababab"
    assert {name: len(times) for name, times in found.items()} == {"a": 3, "b": 3}


def held(megabytes: int) -> int:
    return len(bytearray(b"x") * (megabytes * 1_000_000))


def test_work_in_a_child_is_measured_with_its_memory() -> None:
    # The child of a large process begins with that one's peak: here only that a peak is told, and does not shrink.
    small, large = in_child(held, megabytes=1), in_child(held, megabytes=200)
    assert (small.value, large.value) == (1_000_000, 200_000_000)
    assert 0 < small.peak_mb <= large.peak_mb
    assert 0 < large.clock_s < 60


@pytest.mark.parametrize(
    ("verdict", "word"),
    [
        (at_most(1, 1), "met"),
        (at_most(1.01, 1), "NOT MET"),
        (at_least(60, 60), "met"),
        (at_least(59.9, 60), "NOT MET"),
        (at_most(math.nan, 1), "NOT MET"),
        (at_least(math.nan, 1), "NOT MET"),
    ],
)
def test_a_target_is_met_at_its_bound_and_never_without_a_figure(verdict: Verdict, word: str) -> None:
    assert verdict.word == word


def a_section() -> Section:
    section = Section("Speed of a | b", ("seconds", "share"))
    section.add("plain", number(1234.5, 1), share(1))
    section.add("ours", number(math.nan, 1), share(0.333, 1), verdict=at_least(0.333, 0.6, " of plain"))
    section.notes.append("said beside it")
    return section


def test_a_table_is_the_same_on_the_terminal_and_in_markdown() -> None:
    assert as_text(a_section()).splitlines() == [
        "Speed of a | b",
        "       seconds   share          target  verdict",
        "-----------------------------------------------",
        "plain  1,234.5   100 %",
        "ours         –  33.3 %  ≥ 0.6 of plain  NOT MET",
        "said beside it",
    ]
    assert as_markdown(a_section()).splitlines() == [
        "### Speed of a | b",
        "",
        "|  | seconds | share | target | verdict |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| plain | 1,234.5 | 100 % |  |  |",
        "| ours | – | 33.3 % | ≥ 0.6 of plain | NOT MET |",
        "",
        "- said beside it",
    ]


def test_what_is_not_met_is_said_with_its_figure() -> None:
    assert list(verdicts([a_section()])) == [
        "0 of 1 targets met.",
        "NOT MET: Speed of a | b, ours: –, 33.3 % (target ≥ 0.6 of plain)",
    ]


def test_a_report_replaces_the_earlier_one_of_its_scale_only(tmp_path: Path) -> None:
    file = tmp_path / "RESULTS.md"
    results.write(SOAK, "a large machine", [a_section()], 200, file)
    results.write(DEFAULT, "an old machine", [a_section()], 11, file)
    results.write(DEFAULT, "a new machine", [a_section()], 12, file)
    text = file.read_text(encoding="utf-8")
    assert [text.count(said) for said in ("a large machine", "an old machine", "a new machine")] == [1, 0, 1]
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Default run: 1,000,000 records",
        "## Soak run: 10,000,000 records",
    ]


@pytest.mark.parametrize(("lines", "bad"), [(1_000, 10), (1_000, 1), (50, 50), (7, 3)])
def test_so_many_lines_are_spoilt_and_the_others_stay(tmp_path: Path, lines: int, bad: int) -> None:
    source, target = tmp_path / "clean.jsonl", tmp_path / "dirty.jsonl"
    source.write_text("".join(f'{{"n": {n}, "text": "a line"}}\n' for n in range(lines)))
    assert damage.spoil(source, target, lines=lines, bad=bad) == bad
    changed = [a != b for a, b in zip(source.read_text().splitlines(), target.read_text().splitlines(), strict=True)]
    assert sum(changed) == bad
    assert damage.line_count(target) == lines


def test_copies_have_runs_of_their_own(tmp_path: Path) -> None:
    source, target = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    source.write_bytes(b'{"run_id": "bench-000001"}\n')
    copies.write(target, source, 2, copies.native)
    assert target.read_text().splitlines() == ['{"run_id": "b0000-000001"}', '{"run_id": "b0001-000001"}']
    source.write_bytes(b'{"traceId":"ffee","spanId":"1"}\n')
    copies.write(target, source, 2, copies.otlp)
    assert target.read_text().splitlines() == ['{"traceId":"00ee","spanId":"1"}', '{"traceId":"01ee","spanId":"1"}']
