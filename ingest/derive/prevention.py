"""A prevention that prevents nothing: it names no layer, or only asks for more care.

One rule for both doors: records are flagged when they are loaded, and the review form says so at entry.
"""

from __future__ import annotations

import re

from ingest.records import Diagnosis

FLAG = "null_prevention"
LAYERS = (
    "instruction file", "tool contract", "permission grant", "gate", "ingestion/index/query", "budget order",
    "freshness typing", "routing",
)  # fmt: skip
# Other ways to write a layer: one word of a combined name, or a plural.
_ALSO = {"ingestion": LAYERS[4], "index": LAYERS[4], "query": LAYERS[4], "ingestion / index / query": LAYERS[4]}
_NAMED = re.compile(
    r"\b(?:instruction files?|tool contracts?|permission grants?|(?<!investi)gates?|ingestion|index|quer(?:y|ies)|"
    r"budget order|freshness typ(?:e|ing)|routing)\b",
    re.IGNORECASE,
)
# What asks for care, or for one more sentence in a prompt, whatever layer stands beside it.
_NULL = re.compile(
    r"\b(?:be(?:ing)?|pay|take|try|use|exercise)\s+(?:to\s+be\s+)?(?:(?:a\s+)?(?:bit|lot|much|far|even)\s+)?"
    r"(?:more|extra|greater|closer|better)?\s*"
    r"(?:care(?:ful)?(?:ly)?|cautious|caution|attention|attentive|diligen(?:t|ce)|vigilan(?:t|ce))\b"
    r"|\b(?:add|put|write|include|mention|append)\b[^.;]{0,60}\b(?:to|in|into)\s+"
    r"(?:the\s+|its\s+|our\s+|every\s+)?(?:system\s+)?prompt\b"
    r"|\b(?:remember|try harder|double[- ]check(?:ing)?|keep in mind|remind (?:the|it|them|everyone)|do better)\b"
    r"|\b(?:tell|ask|instruct|warn)\s+(?:the\s+)?(?:model|agent|llm|it)\b"
    r"|\b(?:improve|tweak|tune|change|adjust|strengthen)\s+(?:the\s+|our\s+)?prompts?\b",
    re.IGNORECASE,
)


def layer_of(text: str | None) -> str | None:
    """The list's own spelling of a layer, or None where the text is none."""
    wanted = " ".join((text or "").casefold().split())
    return next((layer for layer in LAYERS if layer == wanted), _ALSO.get(wanted))


def is_null_prevention(prevention: str | None, layer: str | None) -> bool:
    """There is a prevention, and it names no layer or only asks for more care; without one nothing is judged."""
    text = (prevention or "").strip()
    if not text:
        return False
    if _NULL.search(text):
        return True
    return layer_of(layer) is None and _NAMED.search(text) is None


def prevention_checked(diagnosis: Diagnosis) -> Diagnosis:
    """The diagnosis, flagged where its prevention is null; what was recorded stays as it is."""
    if FLAG in diagnosis.flags or not is_null_prevention(diagnosis.prevention, diagnosis.prevention_layer):
        return diagnosis
    return diagnosis.model_copy(update={"flags": (*diagnosis.flags, FLAG)})
