"""Raw values of any encoding become one span; what had to be assumed or changed is said."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ingest.otel.otlp_values import any_value, attributes_of
from ingest.otel.span import Malformed, OtelSpan, span_of
from ingest.otel.values import DEEPEST, flattened, number_of, storable, structured, whole_number

AT = datetime(2026, 2, 2, 2, 40, tzinfo=UTC)


def made(**raw: Any) -> OtelSpan:
    return span_of(**{"trace_id": "t", "span_id": "s", **raw})


@pytest.mark.parametrize(
    ("raw", "kind"),
    [(1, "internal"), (3, "client"), (0, "unspecified"), ("SPAN_KIND_SERVER", "server"),
     ("SpanKind.PRODUCER", "producer"),
     ("Internal", "internal"), ("5", "consumer"), (2.0, "server"), (None, None), ("", None)],
)  # fmt: skip
def test_kind(raw: Any, kind: str | None) -> None:
    assert made(kind=raw).kind == kind


@pytest.mark.parametrize(
    ("raw", "status"),
    [(None, "unset"), (0, "unset"), (1, "ok"), (2, "error"), ("STATUS_CODE_ERROR", "error"), ("StatusCode.OK", "ok"),
     ("Unset", "unset"), ("ERROR", "error")],
)  # fmt: skip
def test_status(raw: Any, status: str) -> None:
    assert made(status=raw).status_code == status


@pytest.mark.parametrize("name", ["kind", "status"])
def test_a_value_outside_the_list_is_kept_and_flagged(name: str) -> None:
    span = made(**{name: "SIDEWAYS"})
    assert span.flags == ("unknown_value",)
    assert span.more == {f"recorded_{name}": "SIDEWAYS"}


@pytest.mark.parametrize(
    "start",
    ["1770000000000000000", 1770000000000000000, 1770000000000000, 1770000000000, 1770000000, "2026-02-02T02:40:00Z",
     "2026-02-02T03:40:00+01:00", AT],
)  # fmt: skip
def test_every_spelling_of_a_time(start: Any) -> None:
    span = made(start=start)
    assert (span.start, span.flags) == (AT, ())


def test_a_time_without_a_zone_is_utc_and_flagged() -> None:
    span = made(start="2026-02-02 02:40:00")
    assert (span.start, span.flags) == (AT, ("naive_time",))


def test_nanoseconds_that_a_column_does_not_hold_are_kept() -> None:
    span = made(start="1706678909209712001", end=1706678909209835000)
    assert span.start == datetime(2024, 1, 31, 5, 28, 29, 209712, tzinfo=UTC)
    assert span.more == {"recorded_start": "1706678909209712001"}


@pytest.mark.parametrize("end", [None, "", 0, "0"])
def test_no_end_is_open(end: Any) -> None:
    span = made(start=1770000000, end=end)
    assert (span.open, span.end, span.flags) == (True, None, ())


def test_an_end_before_the_beginning_is_no_end() -> None:
    span = made(start="1770000000900000000", end="1770000000100000000")
    assert (span.end, span.open, span.flags) == (None, False, ("negative_duration",))
    assert span.more["recorded_end"] == "1770000000100000000"


@pytest.mark.parametrize("start", ["soon", "9" * 5000, True])
def test_a_time_that_is_none_is_kept_as_it_is(start: Any) -> None:
    span = made(start=start)
    assert (span.start, span.flags) == (None, ("bad_time",))
    assert span.more["recorded_start"] == ("true" if start is True else start)


def test_a_span_that_is_its_own_parent_is_a_root() -> None:
    span = made(span_id="AAAAAAAAAAE=", parent_span_id="0000000000000001")
    assert (span.parent_span_id, span.flags) == (None, ("parent_is_itself",))


@pytest.mark.parametrize("parent", [None, "", "0" * 16, "0x0000000000000000", "AAAAAAAAAAA="])
def test_no_parent(parent: str | None) -> None:
    assert made(parent_span_id=parent).parent_span_id is None


def test_the_recorded_spelling_of_an_id_is_kept() -> None:
    span = made(trace_id="0xA1B2C3D4E5F60718293A4B5C6D7E8F90", span_id="AAAAAAAAAAI=")
    assert (span.trace_id, span.span_id) == ("a1b2c3d4e5f60718293a4b5c6d7e8f90", "0000000000000002")
    assert span.more["recorded_ids"] == {
        "trace_id": "0xA1B2C3D4E5F60718293A4B5C6D7E8F90", "span_id": "AAAAAAAAAAI="
    }  # fmt: skip


@pytest.mark.parametrize(("missing", "reason"), [("trace_id", "missing_trace_id"), ("span_id", "missing_span_id")])
def test_a_span_needs_its_ids(missing: str, reason: str) -> None:
    with pytest.raises(Malformed) as refused:
        made(**{missing: None})
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("wrapped", "found"),
    [
        ({"stringValue": "x"}, "x"), ({"string_value": "x"}, "x"), ({"intValue": "9007199254740993"}, 9007199254740993),
        ({"intValue": 5}, 5), ({"doubleValue": 0.5}, 0.5), ({"doubleValue": "0.5"}, 0.5), ({"boolValue": False}, False),
        ({"arrayValue": {"values": [{"intValue": "1"}, {"stringValue": "a"}]}}, [1, "a"]), ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": [{"key": "a", "value": {"boolValue": True}}]}}, {"a": True}), ({}, None),
        ({"bytesValue": "AQI="}, "AQI="), ("bare", "bare"), ({"a": 1, "b": 2}, {"a": 1, "b": 2}), (None, None),
    ],
)  # fmt: skip
def test_typed_values(wrapped: Any, found: Any) -> None:
    assert any_value(wrapped, set()) == found


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_are_none_are_absent_and_flagged(text: str) -> None:
    span = made(attributes=attributes_of({"attributes": [{"key": "score", "value": {"doubleValue": text}}]}))
    assert (span.attributes, span.flags) == ({"score": None}, ("nan",))


def test_an_attribute_that_stands_twice_and_one_without_a_key() -> None:
    flags: set[str] = set()
    pairs = [{"key": "a", "value": {"intValue": 1}}, {"key": "a", "value": {"intValue": 2}}, {"value": {}}, 7]
    assert attributes_of({"attributes": pairs}, flags) == {"a": 2}
    assert flags == {"bad_attribute", "duplicate_key"}


def test_depth_has_a_bottom() -> None:
    deep: Any = "x"
    for _ in range(200):
        deep = [deep]
    flags: set[str] = set()
    kept = storable({"a": deep}, flags)
    depth = 0
    while isinstance(kept, dict | list):
        kept = kept["a"] if isinstance(kept, dict) else kept[0]
        depth += 1
    assert depth == DEEPEST
    assert flags == {"too_deep"}


@pytest.mark.parametrize(
    ("value", "found", "flags"),
    [(812, 812, set()), ("812", 812, set()), ("812.0", 812, set()), (812.0, 812, set()), (-1, None, {"out_of_range"}),
     (2**64 - 1, None, {"out_of_range"}), (1.5, None, {"out_of_range"}), ("many", None, {"bad_number"}),
     (None, None, set()), (True, None, set()), ("nan", None, {"nan"})],
)  # fmt: skip
def test_counts(value: Any, found: int | None, flags: set[str]) -> None:
    noted: set[str] = set()
    assert (whole_number(value, noted), noted) == (found, flags)


def test_a_large_number_in_text_never_passes_through_a_float() -> None:
    assert number_of("9007199254740993", set()) == 9007199254740993


@pytest.mark.parametrize(
    ("text", "found"),
    [('[{"a": 1}]', [{"a": 1}]), ("{'revision': 4}", {"revision": 4}), ("[broken", "[broken"), ("plain", "plain"),
     ("{'a': open('x')}", "{'a': open('x')}"), (7, 7)],
)  # fmt: skip
def test_structured_text(text: Any, found: Any) -> None:
    assert structured(text) == found


def test_nested_objects_become_dotted_keys_and_lists_stay() -> None:
    assert flattened({"llm": {"token_count": {"prompt": 1}, "input_messages": [{"a": {"b": 1}}]}, "x": {}}) == {
        "llm.token_count.prompt": 1, "llm.input_messages": [{"a": {"b": 1}}], "x": {}
    }  # fmt: skip
