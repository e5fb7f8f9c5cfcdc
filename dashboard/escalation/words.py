"""How an escalation reading is said: what happened, how sure that is, what to do. No state is told by colour alone."""

from __future__ import annotations

from dashboard.wording import ABSENT, Colour, Sign, counted, interval, share
from queries.escalation.escalation_band import EscalationBandRow

STATES: dict[str, Sign] = {
    "LOW": Sign("▼", "red", "fewer escalations than the band allows"),
    "HIGH": Sign("▲", "orange", "more escalations than the band allows"),
    "OK": Sign("✓", "green", "inside the band, edges included"),
    "INSUFFICIENT_DATA": Sign("◔", "gray", "too few finished attempts to say"),
    "NO_DATA": Sign("∅", "gray", "no finished attempt in the window"),
}
EVIDENCE = {
    "confirmed": "the whole 95 % interval is outside the band",
    "suspected": "the rate is outside the band, its 95 % interval is not",
    "proven": "the whole 95 % interval is inside the band",
    "unproven": "the rate is inside the band, its 95 % interval is not",
}
SEVERITIES: dict[str, Sign] = {
    "critical": Sign("‼", "red", "look now"),
    "warning": Sign("!", "orange", "look today"),
    "info": Sign("i", "blue", "keep an eye on it"),
}
_STATE_WORDS = {"INSUFFICIENT_DATA": "TOO FEW TO SAY", "NO_DATA": "NO DATA"}
_UNLISTED = Sign("?", "gray", "a value outside the list")


def state(name: str) -> str:
    """Glyph and word of a state."""
    return f"{STATES.get(name, _UNLISTED).glyph} {_STATE_WORDS.get(name, name)}"


def state_colour(row: EscalationBandRow) -> Colour:
    """Green is for what is proven; what is only not disproved is blue, and too few is grey."""
    if row.state == "OK":
        return "green" if row.evidence == "proven" else "blue"
    return STATES.get(row.state, _UNLISTED).colour


def severity(name: str | None) -> str:
    """Glyph and word of a severity."""
    return f"{SEVERITIES[name].glyph} {name}" if name in SEVERITIES else ABSENT


def percent(rate: float | None) -> str:
    """An edge of a band: no digits that say nothing."""
    return ABSENT if rate is None else f"{100 * rate:.3g} %"


def band(low: float, high: float) -> str:
    """Both edges of a band."""
    return f"{100 * low:.3g}–{100 * high:.3g} %"


def happened(row: EscalationBandRow) -> str:
    """What the window shows, with its denominator."""
    if row.state == "NO_DATA":
        return "No recovery attempt finished in the window, so there is no rate: not 0 %, nothing."
    said = f"{row.escalated:,} of {counted(row.finished, 'finished attempt')} went to a person: {share(row.rate)}."
    if row.state == "INSUFFICIENT_DATA":
        return f"{said} The raw figure is {_side(row)}, and too thin to act on."
    return f"{said} That is {_side(row)}."


def _side(row: EscalationBandRow) -> str:
    if row.reads == "LOW":
        return f"under the lower edge of its band, {percent(row.band_low)}"
    if row.reads == "HIGH":
        return f"over the upper edge of its band, {percent(row.band_high)}"
    return f"inside its band, {band(row.band_low, row.band_high)}"


def how_sure(row: EscalationBandRow) -> str:
    """How much the records say, and what would settle it."""
    bounds = interval(row.rate_low, row.rate_high)
    if row.state == "NO_DATA":
        return f"Nothing to be sure of. {counted(row.needed or 0, 'finished attempt')} would make a first reading."
    if row.state == "INSUFFICIENT_DATA":
        more = counted(row.needed or 0, "more finished attempt")
        return f"Not sure at all: {row.finished:,} of {row.min_finished:,} needed, so {more} first. 95 %: {bounds}."
    said = {
        "confirmed": f"Confirmed: the whole 95 % interval ({bounds}) is outside the band.",
        "suspected": f"Suspected: the 95 % interval ({bounds}) still reaches into the band.",
        "proven": f"Proven: the whole 95 % interval ({bounds}) is inside the band.",
        "unproven": f"Not proven: the 95 % interval ({bounds}) reaches over an edge.",
    }[row.evidence or "unproven"]
    return f"{said}{_settled_by(row)}"


def _settled_by(row: EscalationBandRow) -> str:
    if row.evidence in {"confirmed", "proven"}:
        return ""
    if row.needed is None:
        return " The rate lies on an edge: no number of attempts at this rate would settle it."
    return f" {counted(row.needed, 'more attempt')} at the same rate would settle it."


def to_do(row: EscalationBandRow) -> str:
    """The next step for whoever answers for the workload."""
    if row.state == "LOW" and row.risk_bearing:
        return (
            "The system decides what people should decide. Read the attempts that executed by themselves near or under "
            "their threshold; until they are explained, raise the threshold or make the chain ask."
        )
    if row.state == "LOW":
        return "Check that escalation is not suppressed: see below. If the work simply got easier, review the band."
    if row.state == "HIGH":
        return "People are asked more than planned. See under Recovery chains which chain escalates, and at which step."
    if row.state == "INSUFFICIENT_DATA":
        return _when_too_few(row)
    if row.state == "NO_DATA":
        return "If recoveries should have run here, check that this workload still writes its records."
    return "Nothing." if row.evidence == "proven" else "Nothing yet; look again when more attempts have finished."


def _when_too_few(row: EscalationBandRow) -> str:
    if row.is_blind and row.risk_bearing:
        return "Blind for a week on a workload that carries risk: widen the window, or review these runs by hand."
    return "Wait for more attempts, or widen the window in faultlens.toml; do not act on this rate."


def band_note(row: EscalationBandRow) -> str:
    """Whose band this is."""
    if not row.band_is_own:
        return "default band, not reviewed"
    return f"reviewed by {row.reviewed_by}" if row.reviewed_by else "own band, no reviewer named"


def beside(row: EscalationBandRow) -> dict[str, int]:
    """What is not in the rate, and what the denominator holds besides escalations; each counted apart."""
    return {
        "aborted, in the denominator": row.aborted,
        "unfinished attempts": row.unfinished,
        "outcomes outside the list": row.other_outcome,
        "runs ended by veto": row.vetoed_runs,
        "runs ended by interruption": row.interrupted_runs,
        "L0 captures": row.l0_captures,
        "unknown outcomes": row.unknown_outcomes,
        "undated attempts": row.undated_attempts,
    }
