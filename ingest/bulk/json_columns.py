"""SQL for JSON values that become columns: each sort of value with when it is certain to be read right.

`json_type` says what a value is written as, `from_json` what it says; together they leave nothing to a cast that would
take 0x10 for 16, 1.5 for 2 or an object for a text. Where the two are not enough, a sort has a condition of its own.

DuckDB plans these statements anew for every window, at a price per expression: so a condition is written once for all
columns of a sort, over a list of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ingest.identity import ENTRY
from ingest.vocabulary import Vocabulary

# A year from 1000 to 8999, to the second: Python and DuckDB agree on all of these.
_MOMENT = r"[1-8]\d{3}-\d\d-\d\d[T ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?"
_ZONE = r"(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)"
_COUNT = r"\d{1,18}"
# As DuckDB prints a JSON list of texts without escapes.
_TEXTS = r'\[(?:"[^"\\]*"(?:,"[^"\\]*")*)?\]'
# A text that strip() leaves as it is, and in which casefold() is lower().
ONE_CASE = r"[!-~](?:[ -~]*[!-~])?"
# Stands between the entries of a closed list; no text that is looked for has one.
_GAP = "\t"
_WHOLE = "U?BIGINT"


def literal(text: str) -> str:
    """The text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def one_of(values: Iterable[str]) -> str:
    """The texts as an SQL list to be looked in."""
    return f"({', '.join(literal(value) for value in values)})"


def name(text: str) -> str:
    """The name of a column."""
    return f'"{text}"'


def none_of(columns: Iterable[str], is_wrong: str) -> str:
    """SQL: of these columns' values that are there, none is wrong; `x` is the one looked at."""
    values = ", ".join(map(name, columns))
    return f"len(list_filter([{values}], lambda x: x IS NOT NULL AND {is_wrong})) = 0"


def in_one_case(columns: Iterable[str]) -> str:
    """SQL: the texts have no space round them and no letter whose case is a question of language."""
    return none_of(columns, f"NOT regexp_full_match(x, '{ONE_CASE}')")


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort of values: what it may be written as (a pattern of `json_type`) and read as (a type of `from_json`).

    `certain` is a condition over the columns of the sort. `value` makes of a column, for which `{}` stands, what is
    kept, and `identity` of that the text an id is made of.
    """

    name: str
    written: str
    read: str = "VARCHAR"
    certain: Callable[[Sequence[str]], str] | None = None
    value: str = "{}"
    identity: str = "{}"


# Beyond 64 bits from_json gives NULL, though json_type sees a number.
TEXT = Sort("text", f"VARCHAR|BOOLEAN|{_WHOLE}")
INTEGER = Sort(
    "integer", _WHOLE, "HUGEINT", lambda columns: none_of(columns, "TRY_CAST(x AS BIGINT) IS NULL"),
    value="TRY_CAST({} AS BIGINT)", identity="{}::VARCHAR",
)  # fmt: skip
NUMBER = Sort(
    "number", f"DOUBLE|{_WHOLE}", "DOUBLE", lambda columns: none_of(columns, "NOT isfinite(x)"),
    identity="format('{{:.15g}}', {})",
)  # fmt: skip
SHARE = Sort(
    "share", f"DOUBLE|{_WHOLE}", "DOUBLE", lambda columns: none_of(columns, "NOT x BETWEEN 0 AND 1"),
    identity="format('{{:.15g}}', {})",
)  # fmt: skip
TRUTH = Sort("truth", "BOOLEAN", "BOOLEAN", identity="{}::VARCHAR")
TEXTS = Sort(
    "texts", "ARRAY", certain=lambda columns: none_of(columns, f"NOT regexp_full_match(x, '{_TEXTS}')"),
    value="TRY(from_json({}, '[\"VARCHAR\"]'))", identity=f"array_to_string({{}}, chr({ord(ENTRY)}))",
)  # fmt: skip
# In ISO form, or whole seconds, ms, µs or ns since 1970, told apart by their digits. The condition is `are_moments`.
TIME = Sort("time", "VARCHAR|UBIGINT", identity="epoch_us({})::VARCHAR")
_SINCE_1970 = (
    "make_timestamptz(TRY_CAST(CASE WHEN strlen(x) < 12 THEN x || '000000' WHEN strlen(x) < 15 THEN x || '000'"
    " WHEN strlen(x) < 18 THEN x ELSE left(x, -3) END AS BIGINT))"
)


def moments(columns: Iterable[str]) -> str:
    """SQL: the list of the times that the columns say, NULL for one that cannot be read."""
    read = f"CASE WHEN contains(x, '-') THEN TRY_CAST(x AS TIMESTAMPTZ) WHEN strlen(x) < 19 THEN {_SINCE_1970} END"
    return f"list_transform([{', '.join(map(name, columns))}], lambda x: {read})"


def are_zoned(columns: Iterable[str]) -> str:
    """SQL: the times are all in ISO form with a zone, which is the common case."""
    return none_of(columns, f"NOT regexp_full_match(x, '{_MOMENT}{_ZONE}')")


def are_moments(columns: Sequence[str]) -> str:
    """SQL over `times` and `zoned`: they are what `ingest.times` would read; without a zone, UTC."""
    some = none_of(columns, f"NOT regexp_full_match(x, '{_MOMENT}{_ZONE}?|{_COUNT}')")
    all_said = f"list_count(times) = list_count([{', '.join(map(name, columns))}])"
    return f"CASE WHEN zoned THEN true ELSE {some} END AND {all_said}"


def has_naive(columns: Iterable[str]) -> str:
    """SQL over `zoned`: one of the times names no zone."""
    is_naive = f"contains(x, '-') AND NOT regexp_matches(x, '{_ZONE}$')"
    return f"CASE WHEN zoned THEN false ELSE NOT ({none_of(columns, is_naive)}) END"


def word(values: Iterable[str]) -> Sort:
    """One of these texts, exactly."""
    wanted = one_of(values)
    return Sort("word", "VARCHAR", certain=lambda columns: none_of(columns, f"x NOT IN {wanted}"))


def closed(values: Vocabulary) -> Sort:
    """A value of a closed list in the list's own spelling, which is in one case; another one stays as it is."""
    spelled = "upper" if values.values[0].isupper() else "lower"
    if any(value != (value.upper() if spelled == "upper" else value.lower()) for value in values.values):
        raise ValueError(f"{values.values} are not all in one case")
    value = f"CASE WHEN {is_known(values)} THEN {spelled}({{}}) ELSE {{}} END"
    return Sort("closed", "VARCHAR", certain=in_one_case, value=value)


def is_known(values: Vocabulary) -> str:
    """SQL: the text, for which `{}` stands, is in the list; NULL where there is none."""
    known = literal(_GAP + _GAP.join(value.lower() for value in values.values) + _GAP)
    return f"contains({known}, '{_GAP}' || lower({{}}) || '{_GAP}')"
