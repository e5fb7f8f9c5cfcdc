"""How a kind of native record is read in SQL: which keys, as which columns, and when a line is read right for certain.

The meaning is that of `ingest.native`, whose tables are used; what only its code says is said again here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ingest import native
from ingest.bulk import json_columns as sql
from ingest.bulk.attributes import FUNCTION
from ingest.bulk.json_columns import Sort, literal, name, one_of
from ingest.records import Record
from ingest.vocabulary import Vocabulary

# The lines of one kind: line, offset_bytes, text.
OF_KIND = "bulk_of_kind"
# To look a line's types up among more shapes than these takes longer than to match the pattern of all of them.
_MOST_SHAPES = 32
ATTRIBUTES = "attributes"
# There are keys that are no columns, or one stands twice.
_HAS_OTHERS = "keys <> list_count(types)"
# What json_type says of a value that is null, and of one that is absent, as DuckDB prints it in a list.
_NULL, _ABSENT = "'NULL'", "NULL"
# An id is never true or false: that one would be none.
ID = Sort("id", "VARCHAR|U?BIGINT")
RUN_ID = Sort("run id", "VARCHAR|U?BIGINT", certain=lambda columns: sql.none_of(columns, "x = ''"))


@dataclass(frozen=True)
class Column:
    """A column of a kind: the key it is read from and its sort.

    `known` is the closed list it is from; `value` stands where the sort alone does not make it.
    """

    key: str
    sort: Sort
    known: Vocabulary | None = None
    value: str | None = None


def _nothing_else(_kind: Kind) -> dict[str, str]:
    return {}


@dataclass(frozen=True)
class Kind:
    """A kind of record: its columns, those `made` of others, and `conditions` besides the sorts', each by its name.

    `apart` are keys that become no column of their own, `unknown` conditions that flag a line as such, `always` the
    columns that are read whether a line has them or not, `shapes` how the values of lines may be written, and
    `not_others` the keys that are no attributes, where a line may have keys that are none of the columns.
    """

    name: str
    model: type[Record]
    columns: Mapping[str, Column]
    made: Mapping[str, str] = field(default_factory=dict)
    conditions: Callable[[Kind], Mapping[str, str]] = _nothing_else
    apart: Mapping[str, Sort] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    always: frozenset[str] = frozenset({"event_id"})
    shapes: tuple[str, ...] = ()
    not_others: frozenset[str] | None = None

    def narrowed(self, keys: Collection[str], *, with_others: bool) -> Kind:
        """The kind with the columns that these keys fill, and those that are always there.

        Where other keys are kept as attributes, none may be one that the record path would take for something else.
        """
        filled = {*keys, *(key for other, key in native.ALSO.get(self.name, {}).items() if other in keys)}
        stays = self.always | {key for key, field in self._fields().items() if _is_given(field)}
        columns = {key: column for key, column in self.columns.items() if column.key in filled or key in stays}
        apart = {key: sort for key, sort in self.apart.items() if key in filled or key in self.always}
        made = {key: value for key, value in self.made.items() if key not in self.apart or key in apart}
        narrow = replace(self, columns=columns, apart=apart, made=made, shapes=())
        taken = {*self.model.model_fields, *self.keys} - narrow.keys.keys()
        return replace(narrow, not_others=frozenset(taken)) if with_others else narrow

    @cached_property
    def keys(self) -> Mapping[str, Sort]:
        """The keys that are read, each with the sort of its value."""
        found = {"record": sql.TEXT, "run_id": RUN_ID}
        found |= {column.key: column.sort for column in self.columns.values()}
        found |= {other: self.columns[key].sort for other, key in self._both.items()}
        return found | dict(self.apart)

    @cached_property
    def _both(self) -> Mapping[str, str]:
        """Other names of columns that stand under their own name as well; a line may have one of the two."""
        own = {key for key, column in self.columns.items() if column.key == key}
        return {other: key for other, key in native.ALSO.get(self.name, {}).items() if key in own}

    def type_of(self, key: str) -> str:
        """SQL: what the value under a key is written as, 'NULL' where it is null, NULL where it is absent."""
        return f"types[{list(self.keys).index(key) + 1}]"

    def read(self) -> str:
        """SQL: the lines of the kind taken apart: what is said under each key, and how it is written."""
        paths = ", ".join(f"'$.{name(key)}'" for key in self.keys)
        schema = literal(json.dumps({key: sort.read for key, sort in self.keys.items()}))
        taken = (
            f"SELECT line, offset_bytes, text, json_type(text, [{paths}]) AS types, len(json_keys(text)) AS keys,"
            f" from_json(text, {schema}) AS s FROM {OF_KIND}"
        )
        says = ", ".join(f"{self._said(key)} AS {name(key)}" for key in self.keys if key != ATTRIBUTES)
        besides = f", {self._attributes()} AS besides" if self.has_attributes else ""
        said = f"SELECT line, offset_bytes, text, types, keys, {says}{besides} FROM ({taken})"
        if not self._times:
            return said
        return f"SELECT *, {sql.moments(self._times)} AS times, {sql.are_zoned(self._times)} AS zoned FROM ({said})"

    @cached_property
    def has_attributes(self) -> bool:
        """Some line of the kind has more than its columns."""
        return ATTRIBUTES in self.apart or self.not_others is not None

    def _attributes(self) -> str:
        """SQL: what the line has besides its columns, given as such or under keys of its own."""
        given = f"s.{ATTRIBUTES}::VARCHAR" if ATTRIBUTES in self.apart else "NULL"
        if self.not_others is None:
            return f"{FUNCTION}({given}, NULL)"
        none = literal(json.dumps(dict.fromkeys(self.keys)))
        return f"{FUNCTION}({given}, CASE WHEN {_HAS_OTHERS} THEN json_merge_patch(text, {none})::VARCHAR END)"

    def _are_attributes(self) -> str:
        """SQL: the keys that are no columns stand once, and are attributes to the record path too."""
        once = "len(list_distinct(json_keys(text))) = keys"
        taken = ", ".join(map(literal, sorted(self.not_others or ())))
        return f"CASE WHEN {_HAS_OTHERS} THEN {once} AND NOT list_has_any(json_keys(text), [{taken}]) ELSE true END"

    def _said(self, key: str) -> str:
        others = [f"s.{name(other)}" for other, own in self._both.items() if own == key]
        return f"coalesce(s.{name(key)}, {', '.join(others)})" if others else f"s.{name(key)}"

    @cached_property
    def _times(self) -> list[str]:
        return [column.key for column in self.columns.values() if column.sort is sql.TIME]

    def certain(self) -> dict[str, str]:
        """The conditions on which a line is read right, each by the name of what it is about."""
        are_known = "keys = list_count(types)" if self.not_others is None else self._are_attributes()
        found = {"keys": are_known, "types": self._has_shape()}
        if self.has_attributes:
            found["attributes"] = "besides IS NOT NULL"
        for sort in dict.fromkeys(self.keys.values()):
            of_sort = [key for key, other in self.keys.items() if other == sort]
            if sort.certain:
                found[f"{sort.name}: {', '.join(of_sort)}"] = sort.certain(of_sort)
        found |= {
            f"{other} and {key}": f"({self.type_of(other)} IS NULL OR {self.type_of(key)} IS NULL)"
            for other, key in self._both.items()
        }
        if self._times:
            found["times"] = sql.are_moments(self._times)
        if self._times and self._flags_unknown():
            found["several flags"] = f"NOT ({sql.has_naive(self._times)} AND {self._flags_unknown()})"
        return found | dict(self.conditions(self))

    @property
    def takes_any_shape(self) -> bool:
        """There are too many to look one up."""
        return len(self.shapes) > _MOST_SHAPES

    def _has_shape(self) -> str:
        if self.takes_any_shape:
            return f"regexp_full_match(types::VARCHAR, {literal(self._shape)})"
        return f"types::VARCHAR IN {one_of(self.shapes)}" if self.shapes else "false"

    def is_shape(self, types: str) -> bool:
        """Values written like this are what the kind's columns take."""
        return re.fullmatch(self._shape, types) is not None

    @cached_property
    def _shape(self) -> str:
        fields = {column.key: self._fields().get(key) for key, column in self.columns.items()}
        patterns = (f"(?:{_may_be(key, sort, fields.get(key))})" for key, sort in self.keys.items())
        return rf"\[{', '.join(patterns)}\]"

    def _fields(self) -> dict[str, Any]:
        fields = self.model.model_fields
        return {key: fields[key] for key in self.columns if key in native.settable(self.model)}

    def _flags_unknown(self) -> str:
        known = [
            f"NOT coalesce({sql.is_known(column.known).format(name(column.key))}, true)"
            for column in self.columns.values()
            if column.known
        ]
        return f"({' OR '.join([*known, *self.unknown])})" if known or self.unknown else ""

    def _flags(self) -> str:
        naive = f"WHEN {sql.has_naive(self._times)} THEN ['naive_time']" if self._times else ""
        unknown = f"WHEN {self._flags_unknown()} THEN ['unknown_value']" if self._flags_unknown() else ""
        return f"CASE {naive} {unknown} END" if naive or unknown else "NULL"

    def _value(self, key: str) -> str:
        column = self.columns[key]
        if column.sort is sql.TIME:
            return f"times[{self._times.index(column.key) + 1}]"
        value = column.value or column.sort.value.replace("{}", name(column.key))
        default = getattr(self._fields().get(key), "default", None)
        return f"coalesce({value}, {literal(default)})" if isinstance(default, str) else value

    def typed(self) -> str:
        """SQL: the lines with their columns, flags and whether they are regular."""
        values = {key: self._value(key) for key in self.columns} | dict(self.made)
        chosen = ", ".join(f"{value} AS {name(key)}" for key, value in values.items())
        # What is random is not computed twice: else every condition would take the line apart again.
        regular = " AND ".join([*self.certain().values(), "random() >= 0"])
        chosen += ", besides" if self.has_attributes else ""
        return (
            f"SELECT line, offset_bytes, text, {regular} AS regular, '{native.SOURCE}:' || run_id AS run_id,"
            f" {self._flags()} AS flags, {chosen} FROM ({self.read()})"
        )

    def identities(self, **more: str) -> dict[str, str]:
        """SQL: every column of a typed line as the text that an id is made of."""
        own = {key: column.sort.identity.format(name(key)) for key, column in self.columns.items()}
        return {"run_id": "run_id", **own, **{key: name(key) for key in self.made}, **more}

    def reason(self) -> str:
        """SQL over what was read: why a line is irregular, the first of several reasons."""
        whens = " ".join(f"WHEN NOT ({is_met}) THEN {literal(why)}" for why, is_met in self.certain().items())
        return f"CASE {whens} ELSE 'other' END"


def _is_given(field: Any) -> bool:
    """A record always has it: it is required, or has a default that is a value."""
    return bool(field.is_required()) or isinstance(field.default, str)


def _may_be(key: str, sort: Sort, field: Any) -> str:
    """Required is never absent or null, and what has a default may be absent, but not null."""
    if key in {"record", "run_id"} or (field is not None and field.is_required()):
        return sort.written
    return f"{sort.written}|{_ABSENT}" + ("" if field is not None and _is_given(field) else f"|{_NULL}")
