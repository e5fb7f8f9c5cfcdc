"""The URL of a shared store: `ducklake:postgres:` and how to reach PostgreSQL, with the place of the data files in it.

`ducklake:postgres:dbname=traces host=db data_path=s3://bucket/traces`, or, in the other form that PostgreSQL knows,
`ducklake:postgres://user@db/traces?data_path=/mnt/traces`.
"""

from __future__ import annotations

import os
import re
import socket
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from ingest.store.configuration import configuration
from ingest.store.errors import FaultlensError

SCHEME = "ducklake:"
DATA_PATH = "data_path"
DATA_PATH_VARIABLE = "FAULTLENS_DATA_PATH"
MASK = "***"

# A key and its value, which stands in quotes where it has blanks.
_PAIR = re.compile(r"\s*([A-Za-z_]+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s'\\]|\\.)*)(?=\s|$)")
_SECRET_KEYS = frozenset({"password", "sslpassword"})
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
# PostgreSQL cuts the name of a client there.
_LONGEST_NAME = 63
_CONNECT_TIMEOUT_S = "10"


@dataclass(frozen=True)
class LakeAddress:
    """Where the catalogue of a lake is, where its files are, and how both are shown to people."""

    conninfo: str = field(repr=False)
    data_path: str | None
    shown: str
    secrets: tuple[str, ...] = field(repr=False)

    @property
    def may_be_remote(self) -> bool:
        """Whether the files can lie in an object store: the lake knows where, when nobody says."""
        return self.data_path is None or bool(_REMOTE.match(self.data_path))

    def masked(self, text: str) -> str:
        """The text without the passwords, wherever a tool below has put them."""
        for secret in self.secrets:
            text = text.replace(secret, MASK)
        return text


def lake_address(url: str) -> LakeAddress:
    """Return what the URL says, with the data path of the environment or of faultlens.toml where it names none."""
    kind, _, rest = url.removeprefix(SCHEME).partition(":")
    if kind not in {"postgres", "postgresql"}:
        raise _no_postgres(_masked_roughly(url))
    if rest.startswith("//"):
        return _from_uri(f"postgresql:{rest}")
    if rest.startswith(("postgres://", "postgresql://")):
        return _from_uri(rest)
    return _from_pairs(rest)


def _from_pairs(text: str) -> LakeAddress:
    pairs: list[tuple[str, str]] = []
    place = 0
    while place < len(text.rstrip()):
        match = _PAIR.match(text, place)
        if not match:
            raise _no_pairs(f"{SCHEME}postgres:{_masked_roughly(text)}")
        pairs.append((match[1], match[2]))
        place = match.end()
    known = dict(pairs)
    data_path = known.pop(DATA_PATH, None)
    secrets = [known[key] for key in _SECRET_KEYS if known.get(key)]
    shown = " ".join(f"{key}={MASK if key in _SECRET_KEYS else value}" for key, value in pairs)
    for key, value in _client().items():
        known.setdefault(key, _quoted(value))
    return LakeAddress(
        " ".join(f"{key}={value}" for key, value in known.items()),
        _place(None if data_path is None else _unquoted(data_path)),
        f"{SCHEME}postgres:{shown}",
        _spellings(*secrets, *(secret.strip("'") for secret in secrets), *(_unquoted(secret) for secret in secrets)),
    )


def _from_uri(text: str) -> LakeAddress:
    try:
        parts = urlsplit(text)
        password = parts.password
    except ValueError:
        raise _no_pairs(f"{SCHEME}postgres:{_masked_roughly(text)}") from None
    known = dict(parse_qsl(parts.query, keep_blank_values=True))
    data_path = known.pop(DATA_PATH, None)
    secrets = [value for value in (password, *(known.get(key) for key in _SECRET_KEYS)) if value]
    shown = {key: MASK if key in _SECRET_KEYS else value for key, value in parse_qsl(parts.query)}
    for key, value in _client().items():
        known.setdefault(key, value)
    host = parts.netloc.rpartition("@")[2]
    user = f"{parts.username}{':' + MASK if password else ''}@" if parts.username else ""
    query = urlencode(shown, safe="/:*", quote_via=quote)
    return LakeAddress(
        urlunsplit(parts._replace(query=urlencode(known, quote_via=quote))),
        _place(data_path),
        f"{SCHEME}postgres://{user}{host}{parts.path}{'?' + query if query else ''}",
        _spellings(*secrets, *(unquote(secret) for secret in secrets), *(quote(secret, safe="") for secret in secrets)),
    )


def _place(given: str | None) -> str | None:
    """The data path that holds: of the URL, else of the environment, else of faultlens.toml. A folder is absolute."""
    found = given or os.environ.get(DATA_PATH_VARIABLE) or configuration().data_path
    if not found or _REMOTE.match(found):
        return found or None
    # Other machines and later calls stand in other folders.
    return str(Path(found).expanduser().absolute())


def _client() -> dict[str, str]:
    """Who is there, for PostgreSQL's list of clients, and how long a server may take to answer."""
    name = f"faultlens process {os.getpid()} on {socket.gethostname()}"
    return {"application_name": name[:_LONGEST_NAME], "connect_timeout": _CONNECT_TIMEOUT_S}


def _quoted(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _unquoted(value: str) -> str:
    inner = value[1:-1] if value.startswith("'") else value
    return re.sub(r"\\(.)", r"\1", inner)


def _spellings(*secrets: str) -> tuple[str, ...]:
    """The longest first, so that no part of one is left beside its mask."""
    return tuple(sorted({secret for secret in secrets if secret}, key=len, reverse=True))


def _masked_roughly(text: str) -> str:
    """A URL that cannot be read, without what might be a password."""
    text = re.sub(r"(?i)(password\s*=\s*)('(?:[^'\\]|\\.)*'?|\S*)", rf"\1{MASK}", text)
    return re.sub(r"(//[^/\s:@]*:)[^@\s]*@", rf"\1{MASK}@", text)


def _no_postgres(shown: str) -> FaultlensError:
    return FaultlensError(
        f"store '{shown}': the catalogue of a shared store lies in PostgreSQL: "
        "write ducklake:postgres:dbname=… host=… data_path=…",
    )


def _no_pairs(shown: str) -> FaultlensError:
    return FaultlensError(
        f"store '{shown}' cannot be read: write ducklake:postgres:dbname=… host=… data_path=…, "
        "with a value that has blanks in single quotes",
    )
