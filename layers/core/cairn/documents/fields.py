"""Fields that the tools of documents take and give."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, WithJsonSchema

from cairn.documents import model
from cairn.documents.model import Collection, Document, Hit, Owner, Place, Wanted
from cairn.documents.texts import check_path
from cairn.edge.fields import ProjectInput, UserName
from cairn.edge.validation import Rules
from cairn.ground.codec import canonical
from cairn.ground.errors import InvalidArgument, PayloadTooLarge
from cairn.ground.ids import Tenant
from cairn.ground.settings import Limits

MOST_PUT: Final = 40
MOST_READ: Final = 100
_ANY_JSON: Final = ("object", "string", "number", "boolean")
_CLOSED: Final = ConfigDict(extra="forbid", strict=True, frozen=True)

Labels: TypeAlias = Annotated[
    list[str],
    Field(
        max_length=model.MOST_LABELS,
        description="The collection: labels of any text, from the widest on, such as [notes, 2026].",
    ),
]
Key: TypeAlias = Annotated[str, Field(min_length=1, description="The document's name in its collection: any text.")]


def _check_size(value: Any, info: ValidationInfo) -> Any:
    limits = info.context.limits if isinstance(info.context, Rules) else Limits()
    if len(canonical(value)) > limits.value_bytes:
        details = {"field": "value", "limit": limits.value_bytes}
        raise PayloadTooLarge(f"value is larger than {limits.value_bytes} bytes of JSON", details)
    return value


Value: TypeAlias = Annotated[
    Any,
    AfterValidator(_check_size),
    # Spelled out, since clients refuse a field that has no type, and others one that has a list of types.
    WithJsonSchema({"anyOf": [{"type": "array", "items": {}}, *({"type": kind} for kind in (*_ANY_JSON, "null"))]}),
]
Filter: TypeAlias = Annotated[
    dict[str, Any],
    Field(
        description="Fields that the value has to have, by equality or with $eq, $ne, $gt, $gte, $lt or $lte, such as "
        '{"kind": "note", "rows": {"$gt": 2}}; an object matches if it has at least these.'
    ),
]


class OwnedInput(ProjectInput):
    """What a tool takes that is about documents: whose they are."""

    user_id: Annotated[UserName | None, Field(description="Whose documents; the project's if left out.")] = None

    def owner(self, tenant: Tenant) -> Owner:
        """Return whose documents these are, as the tenant's."""
        return Owner(tenant, self.project, self.user_id)


class Named(BaseModel):
    """Which document."""

    model_config = _CLOSED

    collection: Labels
    key: Key

    @property
    def place(self) -> Place:
        """Return where it stands."""
        return Place(tuple(self.collection), self.key)


class Written(Named):
    """A document to store or to delete."""

    value: Annotated[Value, Field(description="Any JSON, 1 MB at most; null deletes the document.")]
    index: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200)]] | Literal[False] | None,
        Field(
            description="What is searched by words and meaning: paths such as text or a.b[*].c, $ for the whole value, "
            "false for nothing; all texts of the value if left out.",
        ),
    ] = None
    ttl_seconds: Annotated[
        int | None, Field(ge=1, le=1_000_000_000, description="How long to keep it; until deleted if left out.")
    ] = None
    if_version: Annotated[
        int | None, Field(ge=0, description="Only if the document has this version now; 0: if there is none.")
    ] = None

    def wanted(self) -> Wanted:
        """Return the change that is asked for."""
        index = tuple(self.index) if isinstance(self.index, list) else self.index
        return Wanted(
            place=self.place,
            value=self.value,
            index=index,
            ttl_seconds=self.ttl_seconds,
            if_version=self.if_version,
        )


def places(named: Iterable[Named]) -> list[Place]:
    """Return where documents stand; InvalidArgument, which names the field, where one cannot."""
    return [model.check_place(each.place, f"documents[{number}]") for number, each in enumerate(named)]


def distinct(named: Iterable[Named]) -> list[Place]:
    """Return where documents stand that are each named once; InvalidArgument otherwise."""
    found = places(named)
    if len(set(found)) != len(found):
        raise InvalidArgument("documents", "must name each document once")
    return found


def checked_paths(written: Iterable[Written]) -> None:
    """Raise InvalidArgument, which names the field, where a path of an index is none."""
    for number, each in enumerate(written):
        for place, path in enumerate(each.index or ()):
            check_path(path, f"documents[{number}].index[{place}]")


def prefix(labels: list[str], where: str) -> Collection:
    """Return labels by which collections are chosen; InvalidArgument, which names the field, where there are none."""
    model.check_names(labels, where)
    return tuple(labels)


class Told(BaseModel):
    """A document."""

    collection: Annotated[list[str], Field(description="Its collection.")]
    key: Annotated[str, Field(description="Its key.")]
    value: Annotated[Value, Field(description="Its value; null where only keys were asked for.")]
    version: Annotated[int, Field(description="For if_version.")]
    created_at: Annotated[datetime, Field(description="When it was first stored.")]
    updated_at: Annotated[datetime, Field(description="When this value was stored.")]
    expires_at: Annotated[datetime | None, Field(description="Until when it is kept; null: until deleted.")]

    @classmethod
    def of(cls, document: Document) -> Self:
        """Return a document as it is told."""
        return cls.model_construct(**_told(document))


class Found(Told):
    """A document that a search found."""

    score: Annotated[
        float | None,
        Field(description="How likely it is the answer, of all that match; null where it is not searched by words."),
    ]

    @classmethod
    def of_hit(cls, hit: Hit, *, keys_only: bool) -> Self:
        """Return a hit as it is told."""
        told = _told(hit.document)
        return cls.model_construct(**told | ({"value": None} if keys_only else {}), score=hit.score)


def _told(document: Document) -> dict[str, Any]:
    return {
        "collection": list(document.place.collection),
        "key": document.place.key,
        "value": document.value,
        "version": document.version,
        "created_at": document.created_at,
        "updated_at": document.updated_at,
        "expires_at": document.expires_at,
    }
