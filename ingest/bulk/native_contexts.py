"""Context records in SQL: up to six sets a line, each with its items."""

from __future__ import annotations

from ingest.bulk import content
from ingest.bulk.json_columns import literal
from ingest.bulk.native_kinds import Kind
from ingest.bulk.native_rows import Rows
from ingest.identity import ENTRY, PART
from ingest.records import SET_NAMES

_SETS = "bulk_sets"
_ENTRY, _PART = f"chr({ord(ENTRY)})", f"chr({ord(PART)})"
# In a pattern.
_END, _MID = r"\x1e", r"\x1d"
_OBJECT = r'\{"id":(?:"([^"]+)"|([0-9]+))(?:,"revision":(?:"([^"]+)"|([0-9]+)|null))?\}'
# Of a list of texts without escapes: the texts, an end behind every one.
_ENTRIES = f"replace(left(substr(list, 3), -2), '\",\"', {_ENTRY}) || {_ENTRY}"
# In such a text what stands behind the last @ is the revision.
_PARTED = f"regexp_replace({{}}, '(?:@([^@{_MID}{_END}]+))?{_END}', {_PART} || '\\1' || {_ENTRY}, 'g')"


def stage(rows: Rows, kind: Kind) -> int:
    """The sets and items of the regular lines are staged; how many lines that were."""
    fields = kind.identities(set_name="set_name", members="members")
    besides = "besides.sorted" if kind.has_attributes else None
    own = f"coalesce(nullif(event_id, '') || '/' || set_name, {content.digest(kind.model, fields, besides)})"
    rows.run(f"CREATE OR REPLACE TEMP TABLE {_SETS} AS SELECT *, {own} AS own_id FROM ({_sets(kind)})")
    rows.record(
        kind, f"FROM {_SETS}", "ordinal", event_id="own_id", set_name="set_name", recorded="true", items="items"
    )
    rows.insert(
        "context_items",
        {"run_id": "run_id", "event_id": "own_id", "step_id": "step_id", "set_name": "set_name",
         "item_id": f"split_part(entry, {_PART}, 1)", "revision": f"nullif(split_part(entry, {_PART}, 2), '')"},
        f"FROM (SELECT line, run_id, own_id, step_id, set_name, unnest(string_split(members, {_ENTRY})) AS entry"
        f" FROM {_SETS} WHERE items > 0)",
    )  # fmt: skip
    ((lines,),) = rows.run(f"SELECT count(*) FROM {_SETS} WHERE ordinal = 0")
    return int(str(lines))


def _sets(kind: Kind) -> str:
    """SQL: a row a set, numbered along its line; what its members are as the text that an id is made of."""
    names = [name for name in SET_NAMES if name in kind.apart]
    given = ", ".join(f"{{'set_name': {literal(name)}, 'list': \"{name}\"}}" for name in names)
    recorded = f"list_filter([{given}], lambda one: one.list IS NOT NULL)"
    lines = f"SELECT * EXCLUDE (text, {', '.join(names)}), {recorded} AS recorded FROM ({kind.typed()}) WHERE regular"
    numbered = (
        "SELECT * EXCLUDE recorded, unnest(recorded, recursive := true),"
        f" generate_subscripts(recorded, 1) - 1 AS ordinal FROM ({lines})"
    )
    split = f"SELECT *, CASE WHEN list = '[]' THEN '' ELSE {_ENTRIES} END AS entries FROM ({numbered})"
    counted = f"SELECT *, {_how_many(ENTRY)} AS ends, {_how_many('@')} AS ats FROM ({split})"
    said = f"SELECT * EXCLUDE (list, entries, ends, ats), {_members()} AS members FROM ({counted})"
    return f"SELECT *, CASE WHEN members = '' THEN 0 ELSE {_how_many(ENTRY, 'members')} + 1 END AS items FROM ({said})"


def _how_many(sign: str, text: str = "entries") -> str:
    return f"strlen({text}) - strlen(replace({text}, {literal(sign)}, ''))"


def _members() -> str:
    """SQL: `id PART revision` of every item, ENTRY between them."""
    one_each = f"ats = ends AND NOT regexp_matches(entries, '@[^{_END}]*@|@{_END}')"
    return (
        f"left(CASE WHEN contains(list, '{{') THEN {_from_objects()}"
        f" WHEN {one_each} THEN replace(entries, '@', {_PART}) ELSE {_PARTED.format('entries')} END, -1)"
    )


def _from_objects() -> str:
    """SQL: an object has its revision apart, whatever its id looks like."""
    quoted = f"regexp_replace(list, '{_OBJECT}', '\"\\1\\2' || {_PART} || '\\3\\4\"', 'g')"
    twice = f"{_MID}([^{_MID}{_END}]*){_MID}{_END}"
    entries = _PARTED.format(_ENTRIES.replace("list", quoted))
    return f"regexp_replace({entries}, '{twice}', {_PART} || '\\1' || {_ENTRY}, 'g')"
