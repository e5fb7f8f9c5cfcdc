"""Every kind of native record that comes in volume, with what is special about its columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, get_args, get_origin

from ingest import native, vocabulary
from ingest.bulk import json_columns as sql
from ingest.bulk.json_columns import Sort, literal, name
from ingest.bulk.native_kinds import ATTRIBUTES, ID, Column, Kind
from ingest.records import SET_NAMES

# A catalogue is small, and its records belong to no run.
LEFT_TO_THE_RECORDS = frozenset({"catalogue"})
# What the signature of a failure is made of, or is kept as.
SIGNED = frozenset({"phase", "type", "error_code", "location", "state_hash", "signature", "signature_partial"})
# What no column is read from alone: a list with records of its own, or two columns in one.
_APART = frozenset({"members", "set_name", "steps", "step"})
_SORTS = {"text": sql.TEXT, "time": sql.TIME, "share": sql.SHARE}
# Items as texts, `id` or `id@revision`, and as objects with their keys in this order.
_ID = r'(?:"[^"\\]+"|[0-9]{1,18})'
_ITEM = rf'(?:"[^"\\@][^"\\]*"|\{{"id":{_ID}(?:,"revision":(?:{_ID}|null))?\}})'
_ITEMS = rf"\[(?:{_ITEM}(?:,{_ITEM})*)?\]"
_CHAIN = r"(?i:(?:L3[ _-]?)?(?:RECOVERY[ _-]?)?(?:CHAIN[ _-]?)?([ABC]))"
STEP = Sort(
    "step", "VARCHAR|U?BIGINT",
    certain=lambda columns: sql.none_of(columns, "NOT regexp_full_match(x, '[0-9]{1,18}(?:/[0-9]{1,18})?')"),
)  # fmt: skip
CHAIN = Sort("chain", "VARCHAR", certain=sql.in_one_case)
OBJECT = Sort("object", "OBJECT", "JSON")
# As JSON: a text that looks like a list is none.
STEPS = Sort("steps", "ARRAY", "JSON")
ITEMS = Sort("items", "ARRAY", certain=lambda columns: sql.none_of(columns, f"NOT regexp_full_match(x, '{_ITEMS}')"))


def kinds() -> dict[str, Kind]:
    """The kinds that are read in SQL."""
    return {record: _kind(record) for record in native.RECORDS if record not in LEFT_TO_THE_RECORDS}


def _kind(record: str) -> Kind:
    model = native.RECORDS[record]
    columns = {"recorded_seq": Column("seq", sql.INTEGER)}
    for key, sort in native.settable(model).items():
        if key not in _APART:
            columns[key] = _column(record, key, sort, model.model_fields[key].annotation)
    kind = Kind(record, model, columns, apart={ATTRIBUTES: OBJECT})
    return _SPECIAL[record](kind) if record in _SPECIAL else kind


def _column(record: str, key: str, sort: str, annotation: Any) -> Column:
    """How the native reader takes this column."""
    also = native.ALSO.get(record, {})
    under = next((other for other, column in also.items() if column == key and key in also), key)
    if sort == "text" and (known := vocabulary.CLOSED.get((record, key)) or vocabulary.CLOSED.get(("", key))):
        return Column(under, sql.closed(known), known)
    return Column(under, _SORTS[sort] if sort in _SORTS else _sort(annotation))


def _sort(annotation: Any) -> Sort:
    of = get_args(annotation) or (annotation,)
    chosen = next((arg for arg in (annotation, *of) if get_origin(arg) is Literal), None)
    if chosen is not None:
        return sql.word(get_args(chosen))
    if any(get_origin(arg) is tuple for arg in of):
        return sql.TEXTS
    return sql.TRUTH if bool in of else sql.NUMBER if float in of else sql.INTEGER


def _run(kind: Kind) -> Kind:
    """The status gives its own reason, unless the line has one, be it null."""
    made = {"source": literal(native.SOURCE), "native_id": "run_id", "identity": "'recorded'"}
    reason = replace(kind.columns["status_reason"], value="coalesce(status_reason, 'recorded: status ' || status)")
    return replace(
        kind,
        columns={**kind.columns, "status_reason": reason},
        made=made,
        conditions=lambda kind: {"null reason": f"coalesce({kind.type_of('status_reason')} <> 'NULL', true)"},
        always=kind.always | {"status", "status_reason"},
    )


def _stepped(kind: Kind) -> Kind:
    """`step` is X/Y or a number."""
    columns = dict(kind.columns)
    for number, key in enumerate(("step_index", "step_total"), start=1):
        part = f"TRY_CAST(nullif(split_part(step, '/', {number}), '') AS BIGINT)"
        columns[key] = replace(columns[key], value=f"coalesce({part}, TRY_CAST({key} AS BIGINT))")
    always = kind.always | {"step", "step_index", "step_total"}
    return replace(kind, columns=columns, apart={**kind.apart, "step": STEP}, always=always)


def _error_event(kind: Kind) -> Kind:
    """The parts of the signature; the phase among them is in capitals."""
    stepped = _stepped(replace(kind, conditions=lambda _kind: {"phase": sql.in_one_case(["phase"])}))
    return replace(stepped, always=stepped.always | SIGNED)


def _recovery_event(kind: Kind) -> Kind:
    """A, B or C, whatever the chain was called; its steps are read apart."""
    letter = f"upper(regexp_extract(chain, '^{_CHAIN}$', 1))"
    chain = Column("chain", CHAIN, value=f"coalesce(nullif({letter}, ''), chain)")
    return replace(
        kind,
        columns={**kind.columns, "chain": chain, "chain_recorded": Column("chain", CHAIN)},
        made={"steps": "steps"},
        apart={**kind.apart, "steps": STEPS},
        unknown=(f"coalesce({letter} = '', false)",),
        always=kind.always | {"chain", "chain_recorded", "steps"},
    )


def _context(kind: Kind) -> Kind:
    """The six sets are read apart; each has a record of its own."""
    ids = {key: Column(key, ID) for key in ("step_id", "event_id")}
    return replace(
        kind,
        columns={**kind.columns, **ids},
        made={key: name(key) for key in SET_NAMES},
        conditions=_has_a_set,
        apart={**kind.apart, **dict.fromkeys(SET_NAMES, ITEMS)},
    )


def _has_a_set(kind: Kind) -> dict[str, str]:
    some = " OR ".join(f"{name(key)} IS NOT NULL" for key in SET_NAMES if key in kind.apart)
    return {"no set": f"({some or 'false'})"}


def _diagnosis(kind: Kind) -> Kind:
    """Whether a prevention prevents anything is judged by `ingest.derive.prevention`."""
    conditions = {"prevention": "prevention IS NULL"}
    return replace(kind, conditions=lambda _kind: conditions, always=kind.always | {"prevention"})


_SPECIAL: dict[str, Callable[[Kind], Kind]] = {
    "run": _run,
    "error_event": _error_event,
    "guardrail_event": _stepped,
    "recovery_event": _recovery_event,
    "context": _context,
    "diagnosis": _diagnosis,
}
