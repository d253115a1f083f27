"""The fields tools share: whose session, and items within the limits. What they accept, agents read in the schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeAlias, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    model_validator,
)

from cairn.edge.items import Item, SaidItems, sizes_of
from cairn.edge.validation import Rules, refused
from cairn.ground import ids
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.session import ResponseItem, Session
from cairn.ground.trust import TrustName

Name = TypeVar("Name")

_DEFAULT_NAME = "default"
_ID_SCHEMA: dict[str, Any] = {"minLength": 1, "maxLength": ids.MAX_ID_CHARACTERS}


def named(make: Callable[[str], Name]) -> AfterValidator:
    """Return the validator that lets `make` turn text into a name, and says what its InvalidArgument says."""
    return AfterValidator(refusing(make))


def refusing(make: Callable[[str], Name]) -> Callable[[str], Name]:
    """Return `make` with its InvalidArgument as the error that pydantic reports under the field."""

    def check(value: str) -> Name:
        try:
            return make(value)
        except InvalidArgument as error:
            raise refused("".join(cast("dict[str, str]", error.details["fields"]).values())) from None

    return check


TrustTold: TypeAlias = Annotated[TrustName, Field(description="Whose word it goes by, as the door saw it come in.")]
LeastTrust: TypeAlias = Annotated[TrustName, Field(description="Only what goes by this word or a more trusted one.")]
ProjectName: TypeAlias = Annotated[
    Project,
    named(ids.project_or_branch),
    Field(
        description="Letters, digits, _, . and -, such as owner/repo.",
        json_schema_extra={**_ID_SCHEMA, "pattern": "^[A-Za-z0-9_.-]+([/@][A-Za-z0-9_.-]+)*$"},
    ),
]
SessionName: TypeAlias = Annotated[
    SessionId,
    named(ids.session_id),
    Field(description="The conversation's id: any that it keeps and no other has.", json_schema_extra=_ID_SCHEMA),
]
TurnName: TypeAlias = Annotated[
    TurnId,
    named(ids.turn_id),
    Field(description="This turn's id; keep it to try again.", json_schema_extra=_ID_SCHEMA),
]
UserName: TypeAlias = Annotated[
    UserId,
    named(ids.user_id),
    Field(description="Who is speaking; facts about them outlast the session.", json_schema_extra=_ID_SCHEMA),
]


def with_defaults(data: object, info: ValidationInfo) -> object:
    """Return arguments with the names that they lack of project and session, where the settings are lenient."""
    if not isinstance(data, dict) or not (isinstance(info.context, Rules) and info.context.lenient):
        return cast("object", data)
    given = cast("dict[str, Any]", data)
    known = {**info.context.bound, **info.context.names, **given}
    missing = {name for name in ("project", "session_id") if not str(known.get(name) or "").strip()}
    return {**given, **dict.fromkeys(missing, _DEFAULT_NAME)}


class NamedInput(BaseModel):
    """What a tool takes that knows projects, sessions or users: one left out is what request or key names.

    No field but the declared ones, no type in place of another.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _take_names(cls, data: object, info: ValidationInfo) -> object:
        if not isinstance(data, dict) or not isinstance(info.context, Rules):
            return cast("object", data)
        given = cast("dict[str, Any]", data)
        names = {**(info.context.bound if cls.takes_bound(given, info.context.bound) else {}), **info.context.names}
        return {name: names[name] for name in names if name in cls.model_fields} | given

    @classmethod
    def takes_bound(cls, given: Mapping[str, Any], bound: Mapping[str, str]) -> bool:
        """Tell whether a field that is left out of these arguments may be the one that the caller's key is bound to."""
        del given, bound
        return True


class ProjectInput(NamedInput):
    """What every tool takes that is about something in a project."""

    project: ProjectName

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, data: object, info: ValidationInfo) -> object:
        return with_defaults(data, info)


class SessionInput(ProjectInput):
    """What every tool about a session takes."""

    session_id: SessionName

    def session(self, tenant: Tenant) -> Session:
        """Return the session this is about, as the tenant's."""
        return Session(tenant, self.project, self.session_id)


class CurrentInputFields(SessionInput):
    """What a tool takes that needs the user's message, which clients may also name `current_input_text`."""

    current_input: Annotated[SaidItems, Field(description="What the user just said.")]

    @model_validator(mode="before")
    @classmethod
    def _take_text(cls, data: object) -> object:
        if not isinstance(data, dict) or "current_input_text" not in data:
            return cast("object", data)
        given = cast("dict[str, Any]", data)
        rest = {name: value for name, value in given.items() if name != "current_input_text"}
        if given["current_input_text"] is None:
            return rest
        if rest.get("current_input") is not None:
            raise refused("must not be given beside current_input", "current_input_text")
        return {**rest, "current_input": given["current_input_text"]}


def history(
    items: list[Item] | None, current: list[Item], start: int | None, count: int | None
) -> tuple[ResponseItem, ...]:
    """Return the items of a conversation that come before or after its current input.

    The slice [start, start + count) is the current input, clamped to the conversation as it was sent: count defaults to
    the number of current items, start to the slice at the end. Without a slice a trailing run equal to `current` is
    left out.
    """
    items = items or []
    if start is None and count is None:
        ends_with_current = items[-len(current) :] == current
        return tuple(items[: -len(current)] if ends_with_current else items)
    sizes = sizes_of(items)
    size = min(max(len(sizes_of(current)) if count is None else count, 0), len(sizes))
    first = min(max(len(sizes) - size if start is None else start, 0), len(sizes))
    before, within = sum(sizes[:first]), sum(sizes[first : first + size])
    return (*items[:before], *items[before + within :])
