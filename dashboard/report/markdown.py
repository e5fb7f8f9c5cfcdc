"""A report as Markdown: the source of truth.

Recorded text stands in code spans, in `<code>` of entities, or in indented blocks: nothing in it is markup, and no
line of it can be mistaken for one of the markers between which people write.
"""

from __future__ import annotations

import unicodedata

from dashboard.report.document import (
    ABSENT,
    Anchor,
    Block,
    Cell,
    Document,
    Drawing,
    Entry,
    Human,
    Link,
    Listing,
    Paragraph,
    Piece,
    Raw,
    Recorded,
    Table,
)  # fmt: skip
from dashboard.report.human import begin, end

GENERATED = "<!-- generated: facts from the records; made anew each time. Write between the human markers only. -->"


def markdown(document: Document) -> str:
    """The report as Markdown."""
    lines = [GENERATED, "", f"# {document.kind}: {literal(document.title)}"]
    for section in document.sections:
        lines += ["", f"## {section.title}"]
        for block in section.blocks:
            drawn = _block(block)
            lines += ["", *drawn] if drawn else []
    return "\n".join(lines) + "\n"


def _block(block: Block) -> list[str]:
    if isinstance(block, Paragraph):
        return [_cell(block.pieces)]
    if isinstance(block, Listing):
        return [f"- {_cell(item)}" for item in block.items]
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Raw):
        return [f"    {line}" for line in visible(block.shown, keep_lines=True).split("\n")]
    return _human(block) if isinstance(block, Human) else _without(block)


def _without(_drawing: Drawing) -> list[str]:
    return []


def _table(table: Table) -> list[str]:
    return [
        f"| {' | '.join(table.header)} |",
        f"|{'---|' * len(table.header)}",
        *(f"| {' | '.join(map(_cell, row))} |" for row in table.rows),
    ]


def _human(human: Human) -> list[str]:
    lines = [line for entry in human.entries for line in _entry(entry)]
    kept = human.kept or ("" if human.entries else f"**{human.todo}**")
    return [*lines, begin(human.key), *kept.split("\n"), end(human.key)]


def _entry(entry: Entry) -> list[str]:
    said = [f"> {prose(line)}" for line in visible(entry.text, keep_lines=True).split("\n")]
    about = f", at {literal(entry.about)}" if entry.about else ""
    return [*said, ">", f"> — {prose(visible(entry.author))}, {entry.at}{about}", ""]


def _cell(cell: Cell) -> str:
    return "".join(map(_piece, cell))


def _piece(piece: Piece) -> str:
    if isinstance(piece, Recorded):
        return literal(piece.shown)
    if isinstance(piece, Link):
        return f"[{literal(piece.text) if piece.is_recorded else piece.text}]({piece.to})"
    return f'<a id="{piece.name}"></a>' if isinstance(piece, Anchor) else piece.text


def literal(text: str) -> str:
    """Recorded text that Markdown shows as it is: a code span, or entities where a span could be broken out of."""
    shown = visible(text).strip()
    if not shown:
        return ABSENT
    if any(mark in shown for mark in "`|\\"):
        return f"<code>{prose(shown)}</code>"
    return f"`{shown}`"


def prose(text: str) -> str:
    """Text whose every mark of punctuation that Markdown could read is an entity."""
    return "".join(f"&#{ord(mark)};" if mark in "&<>[]()!*_`|#\\~$@\"'{}" or _links(text, at) else mark
                   for at, mark in enumerate(text))  # fmt: skip


def _links(text: str, at: int) -> bool:
    """Whether this mark makes an address that a reader would turn into a link."""
    return text.startswith("://", at) or (text[at] == "." and text[max(0, at - 3) : at].lower() == "www")


def visible(text: str, *, keep_lines: bool = False) -> str:
    """The text without characters that hide or reorder others; on one line unless lines are kept."""
    unified = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    kept = unified if keep_lines else " ".join(unified.split())
    return "".join(
        mark if mark == "\n" or unicodedata.category(mark)[0] != "C" else "\ufffd" for mark in kept.expandtabs(4)
    )
