"""A progress bar with rate and remaining time, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def progress(paths: Sequence[str]) -> Iterator[Callable[[str, int], None] | None]:
    """A function that is told of every finished file and its bytes; None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(total=_bytes_of(paths), unit="B", unit_scale=True, file=sys.stderr, leave=False) as bar:

        def advance(path: str, size: int) -> None:
            bar.set_postfix_str(Path(path).name, refresh=False)
            bar.update(size)

        yield advance


def _bytes_of(paths: Sequence[str]) -> int | None:
    """The size of the given files, None where it cannot be told beforehand."""
    total = 0
    for path in map(Path, paths):
        if path.is_file():
            total += path.stat().st_size
        elif path.is_dir():
            total += sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        else:
            return None
    return total
