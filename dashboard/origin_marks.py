"""Where an origin and its observation stand among the steps of a run, as far as the recorded words say it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from queries.origins.origins import OriginRow
from queries.runs.run_errors import RunErrorRow
from queries.runs.run_spans import SpanRow

_STEP = re.compile(r"\bstep\s+(\d+)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OriginPath:
    """The steps from which a failure came and at which it was observed; None where it is not among the given steps."""

    event_id: str | None
    origin: str | None
    observed: str | None
    said_origin: str | None
    said_observed: str | None


def origin_paths(
    rows: Sequence[OriginRow], errors: Sequence[RunErrorRow], spans: Sequence[SpanRow]
) -> list[OriginPath]:
    """The path of each diagnosed failure among these steps."""
    span_of = {error.event_id: error.span_id for error in errors}
    there = {span.span_id for span in spans}
    paths = []
    for row in rows:
        error_span = span_of.get(row.event_id or "")
        observed = error_span if error_span in there else step_named(row.observed_at, spans)
        paths.append(
            OriginPath(row.event_id, step_named(row.originated_at, spans), observed, row.originated_at, row.observed_at)
        )
    return paths


def step_named(text: str | None, spans: Sequence[SpanRow]) -> str | None:
    """The step that a text such as “VERIFY / step 3” names: by number, else by name, else the first of its phase."""
    if not text:
        return None
    phase, _, rest = (part.strip().casefold() for part in text.partition("/"))
    if number := _STEP.search(text):
        return next((s.span_id for s in spans if s.step_index == int(number[1])), None)
    by_name = (s.span_id for s in spans if rest and (s.name or "").casefold() == rest)
    by_phase = (s.span_id for s in spans if (s.phase or "").casefold() == phase)
    return next(by_name, None) or next(by_phase, None)
