"""A record with other values is the record that pydantic would copy."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ValidationError

from ingest.records import Event, Span

EVENT = Event(run_id="r", event_id="e", kind="note", attributes={"a": [1]})


@pytest.mark.parametrize("update", [{}, {"event_id": "f", "recorded_seq": 3}, {"attributes": {}}])
@pytest.mark.parametrize("deep", [False, True])
def test_a_copy_is_pydantics_own(update: dict[str, object], *, deep: bool) -> None:
    copy, expected = EVENT.model_copy(update=update, deep=deep), BaseModel.model_copy(EVENT, update=update, deep=deep)
    assert copy == expected
    assert (copy.model_fields_set, copy.model_dump()) == (expected.model_fields_set, expected.model_dump())
    assert (type(copy), list(copy.__dict__)) == (Event, list(expected.__dict__))


def test_the_record_stays_as_it_was_and_its_copy_is_as_frozen() -> None:
    copy = EVENT.model_copy(update={"kind": "other"})
    assert (EVENT.kind, copy.kind, copy != EVENT) == ("note", "other", True)
    with pytest.raises(ValidationError):
        copy.kind = "third"  # type: ignore[misc] # what is tried
    assert copy.model_copy() == copy
    assert Span(run_id="r", span_id="s").model_copy(update={"status": "ok"}).status == "ok"
