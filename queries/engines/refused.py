"""What a portable statement must not say: forms that Spark does not have, or that mean something else there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from sqlglot import exp

from queries.engines.carried import is_carried

_DECIMAL = re.compile(r"\d*\.\d+|\d+\.\d*")
_OF_A_LIST = re.compile(r"\blen\s*\(", re.IGNORECASE)
_COMMENT = re.compile(r"--.*")


def refused(sql: str, tree: exp.Expr) -> list[str]:
    """Why a statement does not carry, each reason with what to write instead; none where it does."""
    return sorted({*_in_text(sql), *_in_tree(tree)})


def _in_text(sql: str) -> Iterator[str]:
    if _OF_A_LIST.search(_COMMENT.sub("", sql)):
        yield "len() is of a text or of a list: write length or array_length"


def _in_tree(tree: exp.Expr) -> Iterator[str]:
    for node in tree.walk():
        for kind, is_refused, reason in _FORMS:
            if isinstance(node, kind) and is_refused(node):
                yield reason.format(name=node.name)


def _always(_node: exp.Expr) -> bool:
    return True


def _is_decimal(node: exp.Literal) -> bool:
    return not node.is_string and _DECIMAL.fullmatch(node.name) is not None


def _is_unordered(node: exp.ArrayAgg) -> bool:
    """In no order but that of the values, or with what is absent among them."""
    inside = node.parent.parent if isinstance(node.parent, exp.Filter) else node.parent
    return not (isinstance(node.this, exp.Distinct) and isinstance(inside, exp.ArraySort))


_FORMS: tuple[tuple[Any, Callable[[Any], bool], str], ...] = (
    (
        exp.Anonymous,
        lambda node: not is_carried(node.name),
        "{name}() is a function that sqlglot does not know: carry it in queries/engines/carried.py, or do without",
    ),
    (exp.Literal, _is_decimal, "{name} is a DECIMAL, which each engine divides in its own way: write {name}e0"),
    (exp.DateDiff, _always, "date_diff counts the boundaries between two times: subtract their epoch_us"),
    (exp.DateBin, _always, "time_bucket does not carry: use date_trunc"),
    (exp.UnixToTime, _always, "epoch_ms and make_timestamp do not carry: use epoch_us"),
    (exp.AnyValue, _always, "any_value is that of another row on another engine: write min or max"),
    (exp.PercentileCont, _always, "quantile_cont and percentile_cont do not carry: write median, or rank the rows"),
    (exp.Star, lambda node: not isinstance(node.parent, exp.Count), "name the columns"),
    (exp.Join, lambda node: node.method == "ASOF", "ASOF JOIN does not carry: rank the rows and take the first"),
    (exp.Join, lambda node: node.kind in {"ANTI", "SEMI"}, "write NOT EXISTS or EXISTS for an ANTI or SEMI JOIN"),
    (exp.Explode, lambda node: bool(node.expressions), "a recursive unnest does not carry: name the fields"),
    (
        exp.RegexpReplace,
        lambda node: "g" not in (node.args.get("modifiers") or exp.null()).name,
        "regexp_replace replaces the first match here and every one there: write 'g'",
    ),
    (
        exp.JSONExtractScalar | exp.JSONExtract,
        lambda node: node.find(exp.JSONPathWildcard) is not None,
        "a [*] of a JSON path is a list here and a text there: use from_json with a structure",
    ),
    (exp.ArrayAgg, _is_unordered, "a list has no order that carries: write list_sort(list(DISTINCT …))"),
)
