"""Recovery events in SQL, with the steps of their chains.

The steps become the text that the id is made of, and the rows are made of that text. Most are written in one way, which
a pattern knows; only for others is the list taken apart.
"""

from __future__ import annotations

from ingest.bulk.json_columns import ONE_CASE, one_of
from ingest.bulk.native_kinds import Kind
from ingest.bulk.native_rows import Rows, event_id
from ingest.identity import ENTRY, PART
from ingest.vocabulary import STEP_RESULT

_EVENTS, _TAKEN_APART = "bulk_recoveries", "bulk_chains"
_ENTRY, _PART = f"chr({ord(ENTRY)})", f"chr({ord(PART)})"
_WORD = r'(?:"([^"\\]+)"|null)'
_RESULT = f'(?:"({"|".join(STEP_RESULT.values)})"|null)'
_STEP = rf'\{{"step":([1-9][0-9]{{0,17}}),"agent":{_WORD},"action":{_WORD},"result":{_RESULT}\}}'
_FIELDS = ("step", "agent", "action", "result")
_PATHS = "[" + ", ".join(f"'$.{field}'" for field in _FIELDS) + "]"


def stage(rows: Rows, kind: Kind) -> int:
    """The events whose steps are all certain, and these steps, are staged."""
    own = f"CASE WHEN chain_text IS NOT NULL THEN {event_id(kind, steps='chain_text')} END"
    typed = f"SELECT * EXCLUDE text, {_in_one_way()} AS chain_text FROM ({kind.typed()}) WHERE regular"
    rows.run(f"CREATE OR REPLACE TEMP TABLE {_EVENTS} AS SELECT *, {own} AS own_id FROM ({typed})")
    if rows.run(f"SELECT 1 FROM {_EVENTS} WHERE chain_text IS NULL LIMIT 1"):
        rows.run(f"CREATE OR REPLACE TEMP TABLE {_TAKEN_APART} AS {_taken_apart()}")
        rows.run(f"UPDATE {_EVENTS} SET chain_text = apart FROM {_TAKEN_APART} t WHERE {_EVENTS}.line = t.line")
        rows.run(f"UPDATE {_EVENTS} SET own_id = {own} WHERE own_id IS NULL")
    parts = {field: f"nullif(split_part(entry, {_PART}, {at}), '')" for at, field in enumerate(_FIELDS, start=1)}
    rows.insert(
        "recovery_steps", {"run_id": "run_id", "event_id": "own_id", **parts},
        f"FROM (SELECT line, run_id, own_id, unnest(string_split(chain_text, {_ENTRY})) AS entry FROM {_EVENTS}"
        " WHERE chain_text <> '')",
    )  # fmt: skip
    return rows.record(kind, f"FROM {_EVENTS} WHERE own_id IS NOT NULL", event_id="own_id")


def _in_one_way() -> str:
    """SQL: the text of the steps, NULL where they are written in another way."""
    parted = f"'\\1' || {_PART} || '\\2' || {_PART} || '\\3' || {_PART} || '\\4' || {_PART}"
    text = f"replace(regexp_replace(steps[2:-2], '{_STEP}', {parted}, 'g'), {_PART} || ',', {_PART} || {_ENTRY})"
    return (
        f"CASE WHEN steps IS NULL OR steps = '[]' THEN ''"
        f" WHEN regexp_full_match(steps, '\\[{_STEP}(?:,{_STEP})*\\]') THEN {text} END"
    )


def _taken_apart() -> str:
    """SQL: the text of the steps that are written otherwise; a step without a number has that of its place."""
    elements = "from_json(steps, '[\"JSON\"]')"
    steps = (
        f"SELECT line, unnest({elements}) AS element, generate_subscripts({elements}, 1) AS place"
        f" FROM {_EVENTS} WHERE chain_text IS NULL"
    )
    said = (
        f"SELECT line, place, element, json_type(element, {_PATHS}) AS types,"
        f" json_extract_string(element, {_PATHS}) AS said, len(json_keys(element)) AS keys FROM ({steps})"
    )
    result = (
        f"CASE WHEN lower(said[4]) IN {one_of(value.lower() for value in STEP_RESULT.values)} THEN upper(said[4])"
        " ELSE said[4] END"
    )
    words = ", ".join(f"coalesce({word}, '')" for word in ("said[2]", "said[3]", result))
    text = f"concat_ws({_PART}, coalesce(TRY_CAST(said[1] AS BIGINT), place), {words}, '')"
    return (
        f"SELECT line, CASE WHEN bool_and(certain) THEN string_agg({text}, {_ENTRY} ORDER BY place) END AS apart"
        f" FROM (SELECT *, ({' AND '.join(_certain())}) AND random() >= 0 AS certain FROM ({said}))"
        " GROUP BY line"
    )


def _certain() -> list[str]:
    whole = "types[1] IN ('UBIGINT', 'BIGINT') AND TRY_CAST(said[1] AS BIGINT) IS NOT NULL"
    words = [
        f"coalesce(types[{at}] = 'NULL' OR (types[{at}] = 'VARCHAR' AND said[{at}] <> ''), true)" for at in (2, 3, 4)
    ]
    return [
        "coalesce(starts_with(element, '{'), false)",
        "keys = list_count(types)",
        f"coalesce({whole} OR types[1] = 'NULL', true)",
        *words,
        f"coalesce(regexp_full_match(said[4], '{ONE_CASE}'), true)",
        # Else its parts could not be told apart.
        "NOT regexp_matches(concat(said[2], said[3], said[4]), '[\\x1d\\x1e]')",
    ]
