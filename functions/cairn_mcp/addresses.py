"""The URIs of resources: `cairn://`, what it is, then names, each percent-encoded: a project's slashes are `%2F`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast, get_args
from urllib.parse import parse_qsl, quote, unquote, urlsplit

Kind: TypeAlias = Literal["sessions", "files", "known"]

SESSION: Final = "cairn://sessions/{project}/{session_id}"
FILE: Final = "cairn://files/{project}/{session_id}/{+path}"
KNOWN: Final = "cairn://known/{project}"
KNOWN_OF: Final = "cairn://known/{project}/{user}"
_NAMES: Final = {"sessions": (2, 2), "files": (2, 40), "known": (1, 2)}
"""How many names an address of a kind has, at least and at most; a file's path is up to 32 of them."""
_GOES_ON: Final = {"sessions": "before", "files": "offset"}
"""What the query of an address may say of where it goes on."""


@dataclass(frozen=True, slots=True)
class Address:
    """A resource: its kind and its names in the order of its URI; `at` is where it goes on, 0 for its beginning."""

    kind: Kind
    project: str
    names: tuple[str, ...] = ()
    at: int = 0

    @property
    def uri(self) -> str:
        """Return it as a URI."""
        named = "/".join(quote(each, safe="") for each in (self.project, *self.names))
        return f"cairn://{self.kind}/{named}{f'?{_GOES_ON[self.kind]}={self.at}' if self.at else ''}"


def parsed(uri: str) -> Address | None:
    """Return the address that a URI is, None where it is none."""
    try:
        parts = urlsplit(uri)
        names = [unquote(each, errors="strict") for each in parts.path.removeprefix("/").split("/")]
        query = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
        at = int(query.pop(_GOES_ON.get(parts.netloc, ""), "0"))
    except ValueError:
        return None
    if parts.scheme != "cairn" or parts.netloc not in get_args(Kind) or parts.fragment or query or at < 0:
        return None
    fewest, most = _NAMES[parts.netloc]
    return Address(cast("Kind", parts.netloc), names[0], tuple(names[1:]), at) if fewest <= len(names) <= most else None
