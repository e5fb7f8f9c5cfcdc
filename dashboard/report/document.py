"""What a report is made of, before it is Markdown or HTML.

Words are the product's own. Whatever came out of a record is `Recorded`, whatever a person wrote is `Human`:
a renderer cannot take one for the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ingest.store.masking import mask

ABSENT = "–"


@dataclass(frozen=True, slots=True)
class Words:
    """The product's own words."""

    text: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """Text out of a record: shown literally, never read as markup. It is masked before it is cut."""

    text: str
    longest: int = 300

    @property
    def shown(self) -> str:
        """The text, at most so long."""
        return _cut(self.text, self.longest)


@dataclass(frozen=True, slots=True)
class Link:
    """A link within the report, or to a page beside it."""

    text: str
    to: str
    is_recorded: bool = False


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place that a link leads to."""

    name: str


Piece = Words | Recorded | Link | Anchor
Cell = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph of facts."""

    pieces: Cell


@dataclass(frozen=True, slots=True)
class Listing:
    """Facts one below the other."""

    items: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Facts in rows."""

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Raw:
    """A record as it is stored, line by line."""

    text: str
    longest: int = 4_000

    @property
    def shown(self) -> str:
        """The text, at most so long."""
        return _cut(self.text, self.longest)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart as SVG without any outside reference; `alt` says what it shows. Markdown leaves it away."""

    svg: str
    alt: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What one person wrote, with name and time."""

    author: str
    at: str
    text: str
    about: str | None = None


@dataclass(frozen=True, slots=True)
class Human:
    """A place for people's own words: those of the store, then a region of the file that is kept as it was edited."""

    key: str
    ask: str
    entries: tuple[Entry, ...] = ()
    kept: str | None = None

    @property
    def todo(self) -> str:
        """What stands here as long as nobody wrote anything."""
        return f"TODO: {self.ask}"

    @property
    def is_missing(self) -> bool:
        """Whether nobody wrote anything, neither in the store nor in the file."""
        return not self.entries and not self.kept


Block = Paragraph | Listing | Table | Raw | Drawing | Human


@dataclass(frozen=True, slots=True)
class Section:
    """A section with its heading."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A report: title and sections."""

    kind: str
    title: str
    sections: tuple[Section, ...]

    def humans(self) -> list[Human]:
        """The places for people's words, in order."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Human)]

    def with_kept(self, kept: dict[str, str]) -> Document:
        """The report with what people wrote into an earlier file of it."""

        def change(block: Block) -> Block:
            return replace(block, kept=kept.get(block.key)) if isinstance(block, Human) else block

        return _mapped(self, change)


def _mapped(document: Document, change: Callable[[Block], Block]) -> Document:
    sections = (replace(s, blocks=tuple(change(block) for block in s.blocks)) for s in document.sections)
    return replace(document, sections=tuple(sections))


class Redaction:
    """Masks the secrets in everything recorded, and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def text(self, text: str) -> str:
        """The text with its secrets masked."""
        shown, found = mask(text)
        self.count += found
        return shown

    def document(self, document: Document) -> Document:
        """The report with the secrets of its recorded text masked."""
        return _mapped(replace(document, title=self.text(document.title)), self._block)

    def _block(self, block: Block) -> Block:
        if isinstance(block, Paragraph):
            return Paragraph(self._cell(block.pieces))
        if isinstance(block, Listing):
            return Listing(tuple(self._cell(item) for item in block.items))
        if isinstance(block, Table):
            return Table(block.header, tuple(tuple(self._cell(cell) for cell in row) for row in block.rows))
        if isinstance(block, Raw):
            return replace(block, text=self.text(block.text))
        return block

    def _cell(self, cell: Cell) -> Cell:
        return tuple(self._piece(piece) for piece in cell)

    def _piece(self, piece: Piece) -> Piece:
        if isinstance(piece, Recorded):
            return replace(piece, text=self.text(piece.text))
        if isinstance(piece, Link) and piece.is_recorded:
            return replace(piece, text=self.text(piece.text))
        return piece


def words(text: str) -> Cell:
    """A cell of the product's own words."""
    return (Words(text),)


def recorded(value: object, *, longest: int = 300) -> Cell:
    """A cell of recorded text; absent is a dash."""
    if value is None or value == "":
        return words(ABSENT)
    if isinstance(value, bool):
        return words("yes" if value else "no")
    return (Recorded(str(value), longest),)


def joined(cells: Iterable[Cell], between: str = ", ") -> Cell:
    """Cells after one another, as one."""
    pieces: list[Piece] = []
    for cell in cells:
        if pieces:
            pieces.append(Words(between))
        pieces += cell
    return tuple(pieces) or words(ABSENT)


def fields(values: Sequence[tuple[str, Cell]]) -> Table:
    """Named facts, one a row."""
    return Table(("Field", "Value"), tuple((words(name), cell) for name, cell in values))


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 7]}… (cut)"
