"""Documents as values: whose they are, where they stand, what is known of one, and what a call asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from cairn.documents import layout
from cairn.ground import attributes
from cairn.ground.codec import rfc3339
from cairn.ground.errors import CorruptData, InvalidArgument
from cairn.ground.ids import Digest, Project, Tenant, UserId
from cairn.ground.table import KEY_BYTES, Attributes, Key, Scalar

Collection: TypeAlias = tuple[str, ...]
Index: TypeAlias = tuple[str, ...] | Literal[False] | None
"""What of a document is searched by words and meaning: paths into its value, nothing, or all of it where it is None."""
MOST_LABELS: Final = 10
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose documents they are: a user's in a project or, without a user, the project's own."""

    tenant: Tenant
    project: Project
    user: UserId | None = None

    @property
    def pk(self) -> str:
        """Return the partition of the documents."""
        return layout.owner_pk(self.tenant, self.project, self.user)


def owner_of(pk: str) -> Owner:
    """Return whose partition of documents this is; CorruptData where it is nobody's."""
    match pk.split("#", 3):
        case [tenant, "d", project, "p:"]:
            return Owner(Tenant(tenant), Project(project))
        case [tenant, "d", project, owner] if owner.startswith("u:"):
            return Owner(Tenant(tenant), Project(project), UserId(owner.removeprefix("u:")))
        case _:
            raise CorruptData("a partition is no documents'")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document stands among its owner's."""

    collection: Collection
    key: str

    @property
    def sk(self) -> str:
        """Return its sort key."""
        return layout.document_sk(self.collection, self.key)


def check_names(names: Sequence[str], where: str) -> None:
    """Raise InvalidArgument where labels or a key, at this place of the arguments, are none."""
    if len(names) > MOST_LABELS:
        raise InvalidArgument(where, f"must be at most {MOST_LABELS} labels")
    if any(not name or _FORBIDDEN.search(name) for name in names):
        raise InvalidArgument(where, "must not be empty, nor hold control characters or lone surrogates")


def check_place(place: Place, where: str) -> Place:
    """Return a place where a document may stand; InvalidArgument otherwise, which names the field."""
    check_names(place.collection, f"{where}.collection")
    check_names([place.key], f"{where}.key")
    limit = KEY_BYTES["sk"]
    if (size := len(place.sk.encode())) > limit:
        longest = "key" if len(place.key) > sum(map(len, place.collection)) else "collection"
        raise InvalidArgument(f"{where}.{longest}", f"is too long: with its labels a key takes {size} of {limit} bytes")
    return place


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What an item says of a document in the clear; from `until` on it is not there, and not if it was `removed`.

    `prior` is the version under whose condition it was written, `size` what it counts in bytes, `indexed` whether any
    of it is searched by words, and `blob` has the content of a large one.
    """

    version: int
    size: int = 0
    created_at: datetime | None = None
    updated_at: datetime | None = None
    until: datetime | None = None
    blob: Digest | None = None
    prior: int | None = None
    indexed: bool = False
    removed: bool = False

    @classmethod
    def of(cls, item: Attributes) -> Held:
        """Return what an item says; CorruptData where it is no document's."""
        blob = item.get("blob")
        return cls(
            version=attributes.number(item, "version"),
            size=attributes.number(item, "size", 0),
            created_at=_moment(item, "created_at"),
            updated_at=_moment(item, "updated_at"),
            until=_moment(item, "until"),
            blob=Digest(blob) if isinstance(blob, str) else None,
            prior=attributes.number(item, "prior") if "prior" in item else None,
            indexed=attributes.flag(item, "indexed"),
            removed="expires_at" in item,
        )

    def attributes(self) -> dict[str, Scalar]:
        """Return what an item keeps of a document that is there."""
        moments = {"created_at": self.created_at, "updated_at": self.updated_at, "until": self.until}
        kept: dict[str, Scalar] = {"version": self.version, "size": self.size}
        kept |= {name: rfc3339(moment) for name, moment in moments.items() if moment is not None}
        others: Mapping[str, Scalar | None] = {"blob": self.blob, "prior": self.prior, "indexed": self.indexed or None}
        return kept | {name: value for name, value in others.items() if value is not None}

    def is_there(self, now: datetime) -> bool:
        """Tell whether the document can be read now."""
        return not self.removed and (self.until is None or now < self.until)


def _moment(item: Attributes, name: str) -> datetime | None:
    return attributes.moment(item, name) if name in item else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A change that a call asks for: a document's new value, or that it goes, where `value` is None."""

    place: Place
    value: Any = None
    index: Index = None
    ttl_seconds: int | None = None
    if_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document as it is read; `size` is what it counts in bytes."""

    place: Place
    value: Any
    version: int
    size: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that a search found; without a score where it is not searched by words, or nothing was asked."""

    document: Document
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """A search: in a collection and all below it, by a question, a filter on values, or neither."""

    collection: Collection = ()
    query: str = ""
    filter: Mapping[str, Any] = field(default_factory=dict[str, Any])
    limit: int = 10
    offset: int = 0


@dataclass(frozen=True, slots=True)
class HitPage:
    """What a search found, and whether there is more behind it."""

    hits: tuple[Hit, ...]
    more: bool


USAGE: Final = ("documents", "size", "changes", "plain")


@dataclass(frozen=True, slots=True)
class Usage:
    """What an owner's documents count: how many, their bytes, and how often what is searched by words was changed.

    `plain` are not searched by words.
    """

    documents: int = 0
    size: int = 0
    changes: int = 0
    plain: int = 0

    @classmethod
    def of(cls, item: Attributes | None) -> Usage:
        """Return what a counter says, nothing where there is none."""
        held = item or {}
        return cls(*(attributes.number(held, name, 0) for name in USAGE))


def key_at(owner: Owner, place: Place) -> Key:
    """Return where a document is stored."""
    return Key(owner.pk, place.sk)
