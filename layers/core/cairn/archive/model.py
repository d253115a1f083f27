"""The session archive's values: what is stored of a session, its pointer, and its entry in the index.

An entry of the index is readable: pointer, labels, session id, the tool's name and times. All else is in the blob.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from cairn.archive.card import MemoryCard
from cairn.ground import codec, ids
from cairn.ground.attributes import moment, number, text
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Digest, Project, SessionId, UserId
from cairn.ground.table import Attributes, Scalar

SCHEMA_VERSION = "0.1.0"
KEPT_FIELDS = ("session_id", "timestamp", "tool_name", "success", "summary", "tags")
"""What survives of a session at its top level, whatever else it was handed in with."""
RAW_ACKNOWLEDGEMENT = "I understand that this may hold secrets and personal data"
MAX_TAGS = 32
MAX_TAG_CHARACTERS = 64
_TAG = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_TAG_CHARACTERS}}}")
_TOOL_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_SCHEME = "cascade://"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deposit:
    """A session to archive: as the caller exported it, or else as recorded in the project.

    `user` is whom a caller bound to users archives it for, and who alone of them will find it.
    """

    session_id: SessionId
    tags: tuple[str, ...] = ()
    session: Mapping[str, Any] | None = None
    project: Project | None = None
    user: UserId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The index entry of an archived session; `key_number` says which data key opens the session."""

    id: str
    digest: Digest
    key_number: int
    session_id: SessionId
    tags: tuple[str, ...]
    created_at: datetime
    tool_name: str | None = None
    user: UserId | None = None
    schema_version: str = SCHEMA_VERSION

    def attributes(self) -> dict[str, Scalar]:
        """Return the attributes of an item; tags hold no comma."""
        named = {"source_tool": self.tool_name, "user_id": self.user}
        return {
            "id": self.id,
            "content_hash": self.digest,
            "blob_kid": self.key_number,
            "source_session_id": self.session_id,
            "tags": ",".join(self.tags),
            "created_at": codec.rfc3339(self.created_at),
            "schema_version": self.schema_version,
            **{name: value for name, value in named.items() if value is not None},
        }

    @classmethod
    def of(cls, item: Attributes) -> Entry:
        """Return the entry that an item holds; CorruptData where it holds none."""
        return cls(
            id=text(item, "id"),
            digest=Digest(text(item, "content_hash")),
            key_number=number(item, "blob_kid"),
            session_id=SessionId(text(item, "source_session_id")),
            tags=tuple(filter(None, text(item, "tags").split(","))),
            created_at=moment(item, "created_at"),
            tool_name=text(item, "source_tool") if "source_tool" in item else None,
            user=UserId(text(item, "user_id")) if "user_id" in item else None,
            schema_version=text(item, "schema_version"),
        )

    def tagged(self, tags: tuple[str, ...]) -> Entry:
        """Return the entry with these tags beside its own; InvalidArgument where that makes too many."""
        together = tuple(dict.fromkeys([*self.tags, *tags]))
        if len(together) > MAX_TAGS:
            raise InvalidArgument("tags", f"must be at most {MAX_TAGS} with those the session is archived under")
        return replace(self, tags=together)

    def is_of(self, users: Collection[UserId]) -> bool:
        """Tell whether it was archived for one of these users; without any, whosoever it is."""
        return not users or self.user in users

    def matches(self, text: str, tags: Sequence[str]) -> bool:
        """Tell whether a tag holds each of `tags`, and a tag, the session id or the tool's name the text.

        Letters count alike in either case, and no character stands for another.
        """
        own = [tag.casefold() for tag in self.tags]
        named = [*own, self.session_id.casefold(), (self.tool_name or "").casefold()]
        return all(any(tag.casefold() in each for each in own) for tag in tags) and any(
            text.casefold() in each for each in named
        )


@dataclass(frozen=True, slots=True)
class Receipt:
    """Confirms that a session is archived and indexed, and describes it by its card."""

    digest: Digest
    card: MemoryCard


def pointer(digest: Digest) -> str:
    """Return the pointer to stored bytes of this digest."""
    return f"{_SCHEME}{digest}"


def parse_pointer(text: str) -> Digest:
    """Return the digest that a pointer names, InvalidArgument where the text is no pointer."""
    try:
        return ids.digest(text.removeprefix(_SCHEME) if text.startswith(_SCHEME) else "")
    except ValueError:
        raise InvalidArgument("pointer", f"must be {_SCHEME} and 64 lower-case hexadecimal digits") from None


def is_tag(text: str) -> bool:
    """Tell whether the text may be a tag: 1-64 letters, digits, `_` and `-`."""
    return _TAG.fullmatch(text) is not None


def kept_fields(session: Mapping[str, Any], session_id: SessionId) -> dict[str, Any]:
    """Return what is archived of a session, in one order; InvalidArgument where it says that it is another one."""
    if session.get("session_id", session_id) != session_id:
        raise InvalidArgument("session.session_id", "must be the session_id of the call")
    named = {**session, "session_id": session_id}
    return {name: named[name] for name in KEPT_FIELDS if name in named}


def tool_name(session: Mapping[str, Any]) -> str | None:
    """Return the name of the tool that made the session, None where it names none or something else there."""
    name = session.get("tool_name")
    return name if isinstance(name, str) and _TOOL_NAME.fullmatch(name) else None


def pack(session: Mapping[str, Any], user: UserId | None = None) -> bytes:
    """Return the bytes of a kept session, its schema's version and its user; equal sessions of one give equal bytes."""
    whose = {} if user is None else {"user": user}
    return codec.canonical({"schema_version": SCHEMA_VERSION, "session": session, **whose})


def unpack(plain: bytes) -> dict[str, Any]:
    """Return the session in the bytes, of whichever version."""
    session: dict[str, Any] = json.loads(plain)["session"]
    return session
