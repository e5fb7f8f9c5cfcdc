"""A report as one HTML file: no script, no outside reference, everything recorded or written by people escaped."""

from __future__ import annotations

from html import escape
from pathlib import Path

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
from dashboard.report.markdown import visible

STYLE = Path(__file__).with_name("report.css")
# Even if an escape were missed, nothing may be fetched or run.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'none'; base-uri 'none'; form-action 'none'"


def html(document: Document) -> str:
    """The report as a page that opens from disk."""
    title = _shown(document.title)
    inside = "\n".join(_section(number, s.title, s.blocks) for number, s in enumerate(document.sections, 1))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="faultlens">
<title>{escape(document.kind)}: {title}</title>
<style>
{STYLE.read_text(encoding="utf-8").strip()}
</style>
</head>
<body>
<header><p class="kind">{escape(document.kind)}</p><h1>{title}</h1></header>
<nav aria-label="Sections"><ol>
{_contents(document)}
</ol></nav>
<main>
{inside}
</main>
</body>
</html>
"""


def _contents(document: Document) -> str:
    return "\n".join(
        f'<li><a href="#s{number}">{escape(section.title)}</a></li>'
        for number, section in enumerate(document.sections, 1)
    )


def _section(number: int, title: str, blocks: tuple[Block, ...]) -> str:
    inside = "\n".join(map(_block, blocks))
    return f'<section id="s{number}">\n<h2>{escape(title)}</h2>\n{inside}\n</section>'


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return f"<p>{_cell(block.pieces)}</p>"
    if isinstance(block, Listing):
        return f"<ul>{''.join(f'<li>{_cell(item)}</li>' for item in block.items)}</ul>"
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Raw):
        return f"<pre>{escape(visible(block.shown, keep_lines=True))}</pre>"
    return _human(block) if isinstance(block, Human) else _figure(block)


def _figure(drawing: Drawing) -> str:
    return f"<figure>{drawing.svg}<figcaption>{escape(drawing.alt)}</figcaption></figure>"


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.header)
    rows = "\n".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table></div>'


def _human(human: Human) -> str:
    entries = "".join(map(_entry, human.entries))
    kept = f'<div class="said">{escape(visible(human.kept, keep_lines=True))}</div>' if human.kept else ""
    todo = f'<p class="todo">{escape(human.todo)}</p>' if human.is_missing else ""
    inside = f'<p class="by">Written by people</p>{entries}{kept}{todo}'
    return f'<aside class="human" aria-label="Written by people">{inside}</aside>'


def _entry(entry: Entry) -> str:
    about = f", at {_shown(entry.about)}" if entry.about else ""
    text = escape(visible(entry.text, keep_lines=True))
    return f'<div class="said">{text}</div><p class="by">{_shown(entry.author)}, {escape(entry.at)}{about}</p>'


def _cell(cell: Cell) -> str:
    return "".join(map(_piece, cell))


def _piece(piece: Piece) -> str:
    if isinstance(piece, Recorded):
        return f"<code>{_shown(piece.shown)}</code>"
    if isinstance(piece, Link):
        inside = f"<code>{_shown(piece.text)}</code>" if piece.is_recorded else escape(piece.text)
        return f'<a href="{escape(piece.to)}">{inside}</a>'
    return f'<a id="{escape(piece.name)}"></a>' if isinstance(piece, Anchor) else escape(piece.text)


def _shown(text: str) -> str:
    return escape(visible(text).strip()) or ABSENT
