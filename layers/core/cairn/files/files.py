"""Files of a session: requests, answers, and how a file's content is kept in parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from cairn.ground.errors import InvalidArgument

TAIL_BYTES = 32 * 1024
"""How much of a file's end is kept with its record; what is longer becomes a part."""
PART_BYTES = 256 * 1024
"""A last part shorter than this takes in what follows it, so that a file has few parts."""


PAGE_BYTES = 16_000
"""How much of a file is read at a time; a directory's overview usually fits."""


class WriteMode(StrEnum):
    """Add at the end, write over what is there from a byte offset on, or replace all."""

    APPEND = "APPEND"
    OVERWRITE = "OVERWRITE"
    TRUNCATE = "TRUNCATE"


class FileType(StrEnum):
    """The kinds of paths."""

    FILE = "FILE"
    DIRECTORY = "DIRECTORY"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileInfo:
    """A path as stat and list tell it; `size` is in bytes.

    The version rises with each write of a file; views and directories have none, and no time of creation.
    """

    path: str
    type: FileType
    size: int
    updated_at: datetime
    version: int | None = None
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class FileList:
    """Entries in the order of their paths; `next` is the path to go on after, None at the end."""

    entries: tuple[FileInfo, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A section of a file as text; `next` is the byte offset to go on from, None at the end."""

    text: str
    next: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A part of a file that matches a query; `start` and `end` are byte offsets."""

    path: str
    start: int
    end: int
    content: str
    score: float


@dataclass(frozen=True, slots=True)
class FileWrite:
    """A write: its content, its mode, and the version it expects: None for any, 0 for a file that does not exist."""

    content: bytes
    mode: WriteMode
    offset: int = 0
    if_version: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A section of a file's content that is stored by itself."""

    id: str
    size: int


@dataclass(frozen=True, slots=True)
class Body:
    """A file's content: its parts in order, then its tail."""

    parts: tuple[Part, ...] = ()
    tail: bytes = b""

    @property
    def size(self) -> int:
        """Return how many bytes the content has."""
        return sum(part.size for part in self.parts) + len(self.tail)

    def within(self, start: int, end: int) -> Iterator[tuple[int, Part]]:
        """Yield the parts that hold bytes from `start` up to `end`, each with where it begins."""
        position = 0
        for part in self.parts:
            if position < end and position + part.size > start:
                yield position, part
            position += part.size


@dataclass(frozen=True, slots=True)
class Change:
    """The effect of a write on a body: parts that stay or are new, with their content, and parts that go."""

    pieces: tuple[Part | bytes, ...]
    tail: bytes
    dropped: tuple[Part, ...]

    @property
    def size(self) -> int:
        """Return how many bytes the content then has."""
        return sum(len(each) if isinstance(each, bytes) else each.size for each in self.pieces) + len(self.tail)


def page_of(content: bytes, offset: int) -> Page:
    """Return a page of what follows a byte offset, of which at least a byte more than a page holds is given.

    InvalidArgument names `offset` where that cuts a character in two.
    """
    if content and content[0] & 0xC0 == 0x80:  # noqa: PLR2004 - a byte of UTF-8 that no character begins with
        raise InvalidArgument("offset", "must not cut a character in two")
    if len(content) <= PAGE_BYTES:
        return Page(content.decode())
    text = content[:PAGE_BYTES].decode(errors="ignore")
    return Page(text, offset + len(text.encode()))


def replaced_range(size: int, write: FileWrite) -> tuple[int, int]:
    """Return which bytes of a file of this size a write takes the place of.

    InvalidArgument names `offset` where that is negative, beyond the end, or of no use to the mode.
    """
    offset = write.offset
    if offset < 0:
        raise InvalidArgument("offset", "must be at least 0")
    match write.mode:
        case WriteMode.APPEND:
            return size, size
        case WriteMode.TRUNCATE:
            if offset:
                raise InvalidArgument("offset", "must be 0 where the file is replaced")
            return 0, size
        case WriteMode.OVERWRITE:
            if offset > size:
                raise InvalidArgument("offset", f"must not be beyond the end, at {size}")
            return offset, min(size, offset + len(write.content))


def spliced(body: Body, start: int, end: int, content: bytes, load: Callable[[Part], bytes]) -> Change:
    """Return what becomes of a body when `content` takes the place of its bytes from `start` up to `end`.

    Only parts that hold some of these bytes are loaded and made anew. InvalidArgument names `offset` where an end of
    the range cuts a character in two.
    """
    ahead = tuple(part for position, part in _placed(body.parts) if position + part.size <= start)
    behind = tuple(part for position, part in _placed(body.parts) if position >= end)
    touched = body.parts[len(ahead) : len(body.parts) - len(behind)]
    before, after = _kept(touched, start - sum(part.size for part in ahead), end - start, load)
    if not behind:
        in_tail = start - sum(part.size for part in body.parts)
        before += body.tail[: max(0, in_tail)]
        after += body.tail[max(0, in_tail + end - start) :]
    new = before + content + after
    _check_characters(new)
    if behind:
        return Change((*ahead, new, *behind) if new else (*ahead, *behind), body.tail, touched)
    if len(new) <= TAIL_BYTES:
        return Change(ahead, new, touched)
    if ahead and ahead[-1].size < PART_BYTES:
        return Change((*ahead[:-1], load(ahead[-1]) + new), b"", (ahead[-1], *touched))
    return Change((*ahead, new), b"", touched)


def _kept(touched: Sequence[Part], start: int, length: int, load: Callable[[Part], bytes]) -> tuple[bytes, bytes]:
    """Return what the touched parts hold before and after the range, which begins at `start` of the first."""
    if not touched:
        return b"", b""
    before = load(touched[0])[:start] if start else b""
    left = sum(part.size for part in touched) - start - length
    return before, load(touched[-1])[-left:] if left > 0 else b""


def _placed(parts: Sequence[Part]) -> Iterator[tuple[int, Part]]:
    position = 0
    for part in parts:
        yield position, part
        position += part.size


def _check_characters(content: bytes) -> None:
    try:
        content.decode()
    except UnicodeDecodeError:
        raise InvalidArgument("offset", "must not cut a character in two, nor may the end of what is written") from None
