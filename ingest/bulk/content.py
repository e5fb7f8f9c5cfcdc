"""The text that an id is made of, put together in SQL: equal to `ingest.identity.content_of` of the same record."""

from __future__ import annotations

from collections.abc import Mapping

from ingest.bulk.json_columns import literal
from ingest.identity import DIGITS, FIELD, NOT_CONTENT
from ingest.records import Record


def digest(model: type[Record], fields: Mapping[str, str], attributes: str | None = None) -> str:
    """SQL: the id of the first record that says this; `fields` are texts by name, NULL where there is no value."""
    parts = [
        f"'{name}=' || {fields[name]}" for name in model.model_fields if name in fields and name not in NOT_CONTENT
    ]
    if attributes is not None:
        parts.append(f"'attributes=' || {attributes}")
    return f"left(sha256(concat_ws(chr({ord(FIELD)}), {', '.join([literal(model.TABLE), *parts])})), {DIGITS})"
