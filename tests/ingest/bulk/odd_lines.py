"""Native lines as nobody would write them: every key with every sort of value, in every spelling of JSON."""

from __future__ import annotations

import json
import random
from typing import Any

from ingest import native, vocabulary
from ingest.records import SET_NAMES

TIMES: tuple[Any, ...] = (
    "2026-11-30T09:00:00Z", "2026-11-30T09:00:00.5+02:00", "2026-11-30 09:00:00.123456789-05:30",
    "2026-11-30T09:00:00", "2026-11-30T09:00:00.25", "2026-11-30", "2026-11-30T09:00Z", "2026-11-30T24:00:00Z",
    "2026-02-30T00:00:00Z", "2026-11-30T23:59:60Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-05:00",
    "2026-11-30t09:00:00z", "yesterday", "", "1796040000", "1796040000.5", 1796040000, 1796040000000,
    1796040000000001, 1796040000000000001, 1796040000.25, 0, -5, 10**19, 10**30, True, None, [], {},
    " 2026-11-30T09:00:00Z ", "2026-11-30T09:00:00+0200", "2026-11-30T09:00:00+02", "2026-11-30T09:00:00+15:59",
    "2026-11-30T09:00:00+14:00", "infinity", "epoch", "2026-11-30T09:00:00 UTC", "-5", "20261130T090000Z",
    "2026-11-30T09:00:00,5Z", "1e9", 1e9, "\uff12\uff10\uff12\uff16-11-30T09:00:00Z", 99999999999, 100000000000,
)  # fmt: skip
TEXTS: tuple[Any, ...] = (
    "plain", "", " ", 'with "quotes" and \\ back', "two\nlines\tand tabs", "caf\u00e9 \u4e2d\u6587 \U0001f600",
    "\u2028", "\x1b[31mred\x1b[0m", "\x7f", "null", "true", "[1,2]", '{"a":1}', "1.50", "1e3", "NaN", "x" * 300,
    "'; DROP TABLE spans; --", "a\x1fb", "a\x1eb\x1dc", "0x10", 5, -5, 0, 1.5, 1.0, 1e16, 1e-7, 10**25, True, False,
    None, [], ["a"], {}, {"a": 1}, "L3", "l3", " L3 ", "\u017fuccess", "\u212a",
)  # fmt: skip
NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 5, 2**62, 2**63 - 1, 2**63, 2**64, -(2**63), -(2**63) - 1, 10**25, 1.5, 1.0, -0.0, 1e3, 1e-9, 0.1,
    0.8, 1.1, 1e300, "5", "5.0", "0x10", " 5", "1_000", "80%", "80 %", "0.8", "abc", "", True, False, None, [], [1],
    {}, "nan", "inf",
)  # fmt: skip
TRUTHS: tuple[Any, ...] = (True, False, None, "true", "yes", 1, 0, "", [], "perhaps")
LISTS: tuple[Any, ...] = (
    [], ["a"], ["a", "b"], ["a", 1], ["a", None], [["a"]], "a", None, {}, ["\u00e9", 'x"y'], ["a\nb"], [""], 5,
    [True], '["a"]',
)  # fmt: skip
ITEMS: tuple[Any, ...] = (
    "adr-7", "adr-7@3", "a@b@4", "@3", "a@", "a@@", "@", "", "with space@1", "\u00e9@2", 'q"uote@1',
    {"id": "x", "revision": "2"}, {"id": "x@y", "revision": 3}, {"id": "x", "revision": None}, {"id": "x"},
    {"revision": "1", "id": "x"}, {"id": 5, "revision": 6}, {"id": "", "revision": "1"},
    {"id": "x", "revision": ""}, {"revision": 1}, 7, 7.5, True, None, ["x"], {"id": "x", "more": 1}, "a\x1db", "{",
    "a,b", '","', {"id": "a@", "revision": "b"}, {"id": '{"id":"q"}', "revision": "b"},
)  # fmt: skip
STEPS: tuple[Any, ...] = (
    {"step": 1, "agent": "Scout", "action": "analyse", "result": "SUCCESS"},
    {"step": 2, "agent": None, "action": "fix", "result": "FAILED"},
    {"agent": "Scout", "step": 3, "action": "x", "result": "SUCCESS"}, {"action": "only"}, {}, "a text", 5, None,
    ["x"], {"step": "4", "agent": "a"}, {"step": True}, {"step": 10**20}, {"step": -1, "result": "success"},
    {"step": 1.5}, {"step": 1, "agent": "", "action": "", "result": ""}, {"step": 1, "result": "odd"},
    {"step": 1, "result": " SUCCESS "}, {"step": 0, "agent": "a", "action": "b", "result": "SUCCESS"},
    {"step": 1, "agent": "A", "action": "a\x1db", "result": None},
    {"step": 1, "agent": "A", "action": 'q"q', "result": "SUCCESS"}, {"step": 1, "minutes": 4},
    {"step": 1, "agent": ["x"]}, {"step": 1, "agent": 7, "action": True, "result": "SUCCESS"},
    {"step": None, "agent": "n"}, {"step": 1, "agent": "},{", "action": "],", "result": "SUCCESS"},
)  # fmt: skip
# Summed up over a run: the last digits of a large sum depend on the order.
SUMMED = {"input_tokens", "output_tokens", "cost_usd"}
PLACES = (
    "src/a.py:12", "src/a.py:12:3", "src/a.py line 5", "src/a.py(12)", "src\\b.py:7", "/home/me/x.py:3",
    "/home/me/tmpab/x.py", "C:\\x\\y.py:9", "a.py :12", "'a.py':5", "a.py:1234567890", "module.func", "0x7ffe12:3",
    "x:L3-:12", "file:///a//b.py#L7", "", " ", ":5", "x:5:",
)  # fmt: skip
STEP: tuple[Any, ...] = (
    "3/7",
    "3",
    3,
    " 3 / 7 ",
    "seven",
    "3/",
    "/7",
    -1,
    "-1",
    1.5,
    True,
    None,
    [],
    "9" * 20,
    10**20,
    "3/7/9",
    "\u0663",
    "007",
)
CHAINS: tuple[Any, ...] = (
    "CHAIN_A",
    "chain b",
    "L3_RECOVERY_CHAIN_C",
    "A",
    "Z",
    "",
    " A ",
    "CHAIN-A",
    "\u0130",
    5,
    None,
    [],
    True,
    "recovery a",
    "CHAIN_A\n",
)
IDS: tuple[Any, ...] = (
    "r1", "r2", "r2", 5, "", None, [], True, 1.5, 10**20, "id with space", "\u00e9", -5, "5", "0005", "true",
)  # fmt: skip
OWN: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "step": (STEP, ("3/7",)), "chain": (CHAINS, ("CHAIN_B",)), "location": (TEXTS, PLACES),
}  # fmt: skip
WORDS = ("EXECUTE", "PLAN", "Scout", "E_LIMIT", "some words of text")
SORTS: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "time": (TIMES, TIMES[:4]), "text": (TEXTS, WORDS), "share": (NUMBERS, (0, 0.5, 0.87, 1, 1 / 3)),
    "tuple": (LISTS, (["a", "b c"],)), "bool": (TRUTHS, (True, False)), "Literal": (TEXTS, ("wall",)),
    "value": (NUMBERS, (0, 7, 4_321)),
}  # fmt: skip
EXTRA: tuple[tuple[str, Any], ...] = (
    ("color", "red"), ("x", None), ("recorded_seq", 5), ("source", "me"), ("identity", "derived"), ("flags", ["a"]),
    ("members", []), ("set_name", "required"), ("native_id", "n"), ("record ", 1), ("", 1), ("attributes", {}),
    ("attributes", {"a": 1}), ("attributes", [1]), ("attributes", None), ("chain_recorded", "x"),
    ("event_digest", "d"), ("e\u00e9", 1), ("steps", []), ("step_id", "1"),
)  # fmt: skip


def lines(seed: int, count: int, oddness: float = 0.15) -> bytes:
    """So many lines; each value of them is odd with that chance."""
    chance = random.Random(seed)  # noqa: S311 - lines, no secret
    return b"".join(_line(chance, oddness) for _ in range(count))


def _line(chance: random.Random, oddness: float) -> bytes:
    kind = chance.choice([*native.RECORDS, "error_event", "recovery_event", "context", "span", "run"])
    pairs: list[tuple[str, Any]] = [
        ("record", kind),
        ("run_id", _pick(chance, IDS, oddness, chance.choice(("r1", "r2", "r3")))),
    ]
    pairs += [(key, _value(chance, kind, key, oddness)) for key in _keys(kind) if chance.random() < 0.4]
    for required in ("span_id", "op", "step_id", "item_id"):
        if required in dict.fromkeys(_keys(kind)) and required not in dict(pairs) and chance.random() > oddness:
            pairs.append((required, f"id-{chance.randrange(50)}"))
    if chance.random() < oddness:
        pairs.append(chance.choice(EXTRA))
    if chance.random() < oddness / 3:
        pairs.append(chance.choice(pairs))
    if chance.random() < oddness:
        chance.shuffle(pairs)
    return _written(chance, pairs, oddness)


def _keys(kind: str) -> list[str]:
    more = {"context": [*SET_NAMES, "step_id"], "recovery_event": ["duration", "error_event_id", "steps"],
            "diagnosis": ["diagnosis_id", "event_id"], "error_event": ["step"],
            "guardrail_event": ["step"]}  # fmt: skip
    own = (key for key in native.columns_of(kind) if key not in {"members", "set_name"})
    return list(dict.fromkeys(["seq", *own, *more.get(kind, [])]))


def _pick(chance: random.Random, odd: tuple[Any, ...], oddness: float, plain: Any) -> Any:
    return chance.choice(odd) if chance.random() < oddness else plain


def _value(chance: random.Random, kind: str, key: str, oddness: float) -> Any:
    known = vocabulary.CLOSED.get((kind, key)) or vocabulary.CLOSED.get(("", key))
    if known or (kind, key) == ("run", "status"):
        return _of_list(chance, known or vocabulary.RUN_STATUS, oddness)
    if key in SET_NAMES:
        plain = (f"doc-{chance.randrange(9)}@{chance.randrange(3)}" for _ in range(chance.randrange(5)))
        return _pick(chance, LISTS, oddness / 2, [_pick(chance, ITEMS, oddness / 3, item) for item in plain])
    if key == "steps":
        steps = [_pick(chance, STEPS, oddness, STEPS[0]) for _ in range(chance.randrange(4))]
        return _pick(chance, LISTS, oddness / 2, steps)
    if key in OWN:
        odd, usual = OWN[key]
        return _pick(chance, odd, oddness, chance.choice(usual))
    return _by_sort(chance, kind, key, oddness)


def _of_list(chance: random.Random, known: vocabulary.Vocabulary, oddness: float) -> Any:
    plain = chance.choice(known.values)
    odd = (*TEXTS, plain.lower(), plain.upper(), plain.title(), f" {plain}", "own word")
    return _pick(chance, odd, oddness, plain)


def _by_sort(chance: random.Random, kind: str, key: str, oddness: float) -> Any:
    odd, usual = SORTS[_sort(kind, key)]
    if key in SUMMED:
        odd = tuple(number for number in odd if not _is_large(number))
    return _pick(chance, odd, oddness, "recorded" if key == "basis" else chance.choice(usual))


def _sort(kind: str, key: str) -> str:
    model = native.RECORDS[kind]
    note = str(model.model_fields[key].annotation) if key in model.model_fields else ""
    sort = native.settable(model).get(key, "value")
    return next((name for name in ("tuple", "bool", "Literal") if name in note and sort == "value"), sort)


def _is_large(number: Any) -> bool:
    return isinstance(number, int | float) and abs(number) > 1e9


def _written(chance: random.Random, pairs: list[tuple[str, Any]], oddness: float) -> bytes:
    """The object as JSON; sometimes with spaces, escapes, line ends and mistakes that JSON knows or does not know."""
    ascii_only = chance.random() < 0.5
    gaps = chance.choice(((", ", ": "), (",", ":"), (" ,\t", " : ")))
    body = gaps[0].join(
        f"{json.dumps(key, ensure_ascii=ascii_only)}{gaps[1]}{json.dumps(value, ensure_ascii=ascii_only)}"
        for key, value in pairs
    )
    text = "{" + body + "}"
    if chance.random() < oddness:
        text = chance.choice(MISTAKES)(text)
    return text.encode("utf-8", "surrogatepass") + chance.choices((b"\n", b"\r\n", b"\n\n", b" \n"), (20, 1, 1, 1))[0]


MISTAKES = (
    lambda text: text[:-1] + ",}", lambda text: text.replace("]", ",]", 1), lambda text: text[:-3],
    lambda text: text + " x", lambda text: text.replace(":", ': NaN, "n":', 1),
    lambda text: text.replace("null", "-Infinity", 1), lambda text: text[:-1] + ', "n": 1e999}',
    lambda text: text[:-1] + ', "n": 01}', lambda text: "[" + text + "]", lambda text: text.replace('"', "'", 2),
    lambda text: text[:-1] + r', "details": "\ud83d"}', lambda _: "null",
    lambda text: text[:-1] + r', "details": "\u0000"}', lambda text: text.replace(" ", "\u00a0", 1), lambda _: "",
    lambda text: text[:-1] + " , }", lambda text: text[:-1] + r', "agent": "\ud83d\ude00 \u0041"}', lambda _: "   ",
    lambda text: text.replace("true", "nan", 1), lambda text: text[:-1] + r', "name": "\x41"}',
    lambda text: "\ufeff" + text, lambda text: text[:-1] + ', "name": "tab\there"}', lambda text: text + text,
    lambda text: text[:-1] + ', "agent": "\udcff"}',
)  # fmt: skip
