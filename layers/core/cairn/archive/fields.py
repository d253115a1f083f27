"""Fields that the tools of the session archive take and return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self, TypeAlias

from pydantic import BaseModel, Field, ValidationInfo, model_validator

from cairn.archive import model as archive
from cairn.archive.card import MemoryCard
from cairn.archive.model import MAX_TAG_CHARACTERS, MAX_TAGS, Deposit
from cairn.edge.fields import NamedInput, ProjectName, SessionName, named, with_defaults
from cairn.ground.ids import Digest

_POINTER = "^cascade://[0-9a-f]{64}$"

PointerInput: TypeAlias = Annotated[
    Digest,
    named(archive.parse_pointer),
    Field(description="The pointer that archiving gave.", json_schema_extra={"pattern": _POINTER}),
]
Pointer: TypeAlias = Annotated[
    str, Field(pattern=_POINTER, description="cascade:// and the SHA-256 of what is stored.")
]
Tag: TypeAlias = Annotated[str, Field(pattern=rf"^[A-Za-z0-9_-]{{1,{MAX_TAG_CHARACTERS}}}$")]


class DepositFields(NamedInput):
    """A session to archive."""

    session_id: SessionName
    tags: Annotated[list[Tag], Field(max_length=MAX_TAGS, description="Labels to find it by.")] = []  # noqa: RUF012 - pydantic copies it
    session: Annotated[
        dict[str, Any] | None,
        Field(description="An exported session; without it, the one recorded in the project."),
    ] = None
    project: ProjectName | None = None

    @classmethod
    def takes_bound(cls, given: Mapping[str, Any], bound: Mapping[str, str]) -> bool:
        """Tell that of a recorded session, and of a user's own; what else is handed in is in no project's name."""
        return given.get("session") is None or "user_id" in bound

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, data: object, info: ValidationInfo) -> object:
        return with_defaults(data, info)

    def deposit(self) -> Deposit:
        """Return what the archive takes."""
        tags = tuple(dict.fromkeys(self.tags))
        return Deposit(session_id=self.session_id, tags=tags, session=self.session, project=self.project)


class Card(BaseModel):
    """The session at a glance, from what is archived of it alone."""

    session_id: Annotated[str, Field(description="The session.")]
    title: Annotated[str, Field(description="The first line of its summary, or else its id.")]
    summary: Annotated[str, Field(description="How its summary begins.")]
    tags: Annotated[list[str], Field(description="The labels it was archived under in this call.")]
    tool_name: Annotated[str | None, Field(description="The tool that made it.")]
    success: Annotated[bool | None, Field(description="Whether it went well.")]
    timestamp: Annotated[str | None, Field(description="When it was, as it says itself.")]

    @classmethod
    def of(cls, card: MemoryCard) -> Self:
        """Return the card as the tools show it."""
        return cls.model_validate(card, from_attributes=True)
