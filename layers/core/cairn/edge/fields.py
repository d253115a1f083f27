"""The fields tools share: whose session, and items within the limits. What they accept, agents read in the schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Self, TypeAlias, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    model_validator,
)
from pydantic_core import PydanticCustomError

from cairn.conversation.items import message
from cairn.edge.validation import Rules, field_name
from cairn.ground import ids
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.session import ResponseItem, Session
from cairn.ground.settings import Limits

Name = TypeVar("Name")

_DEFAULT_NAME = "default"
_TEXT_FIELDS = ("content", "output", "arguments", "summary")
_ID_SCHEMA: dict[str, Any] = {"minLength": 1, "maxLength": ids.MAX_ID_CHARACTERS}
_ITEM = dict[str, Any]


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


def refused(problem: str, path: str = "") -> PydanticCustomError:
    """Return the error that names the field at `path`, below the one being validated, and its problem."""
    return PydanticCustomError("refused", "{problem}", {"problem": problem, "path": path})


def _limits(info: ValidationInfo) -> Limits:
    return info.context.limits if isinstance(info.context, Rules) else Limits()


def _as_items(value: object) -> object:
    if isinstance(value, str) and value.strip():
        return [message("user", value)]
    if isinstance(value, dict):
        item = cast("dict[str, Any]", value)
        return [item if "role" in item or "type" in item else {"role": "user", **item}]
    return value


def _not_empty(items: list[_ITEM]) -> list[_ITEM]:
    if not items:
        raise refused("must not be empty")
    return items


def _check_items(items: list[_ITEM], info: ValidationInfo) -> list[_ITEM]:
    limits = _limits(info)
    if len(items) > limits.list_items:
        raise refused(f"must hold at most {limits.list_items} items, not {len(items)}")
    for index, item in enumerate(items):
        path = field_name("", index)
        for name in ("type", "role"):
            if not isinstance(item.get(name, ""), str):
                raise refused("must be a string", field_name(path, name))
        for where, text in _texts(path, item):
            if len(text) > limits.text_bytes or len(text.encode()) > limits.text_bytes:
                raise refused(f"must be at most {limits.text_bytes} bytes of text", where)
    return items


def _texts(path: str, item: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in _TEXT_FIELDS:
        value, where = item.get(name), field_name(path, name)
        if isinstance(value, str):
            yield where, value
        elif isinstance(value, list):
            for index, part in enumerate(cast("list[object]", value)):
                yield from _part_text(field_name(where, index), part)
        elif name == "content" and value is not None:
            raise refused("must be text or a list of content parts", where)


def _part_text(path: str, part: object) -> Iterator[tuple[str, str]]:
    if isinstance(part, str):
        yield path, part
        return
    if not isinstance(part, dict):
        raise refused("must be an object", path)
    text, where = cast("dict[str, Any]", part).get("text"), field_name(path, "text")
    if isinstance(text, str):
        yield where, text
    elif text is not None:
        raise refused("must be a string", where)


Items: TypeAlias = Annotated[list[_ITEM], AfterValidator(_check_items)]
"""Response items: type, role, content and whatever else the client's SDK sends; unknown fields are kept."""

_CurrentInput: TypeAlias = Annotated[
    Items,
    AfterValidator(_not_empty),
    BeforeValidator(_as_items, json_schema_input_type=Items | _ITEM | str),
]

ProjectName: TypeAlias = Annotated[
    Project,
    named(ids.project),
    Field(
        description="The project: letters, digits, _, . and -.",
        json_schema_extra={**_ID_SCHEMA, "pattern": "^[A-Za-z0-9_.-]+$"},
    ),
]
SessionName: TypeAlias = Annotated[
    SessionId,
    named(ids.session_id),
    Field(description="The conversation; the same for all its turns.", json_schema_extra=_ID_SCHEMA),
]
TurnName: TypeAlias = Annotated[
    TurnId,
    named(ids.turn_id),
    Field(description="This turn; use the same id when you try again.", json_schema_extra=_ID_SCHEMA),
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
    known = {**info.context.names, **given}
    missing = {name for name in ("project", "session_id") if not str(known.get(name) or "").strip()}
    return {**given, **dict.fromkeys(missing, _DEFAULT_NAME)}


class NamedInput(BaseModel):
    """What a tool takes that knows projects, sessions or users: an argument left out is the one its request names.

    No field but the declared ones, no type in place of another.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _take_names(cls, data: object, info: ValidationInfo) -> object:
        if not isinstance(data, dict) or not isinstance(info.context, Rules):
            return cast("object", data)
        names = info.context.names
        return {name: names[name] for name in names if name in cls.model_fields} | cast("dict[str, Any]", data)


class SessionInput(NamedInput):
    """What every tool about a session takes."""

    project: ProjectName
    session_id: SessionName

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, data: object, info: ValidationInfo) -> object:
        return with_defaults(data, info)

    def session(self, tenant: Tenant) -> Session:
        """Return the session this is about, as the tenant's."""
        return Session(tenant, self.project, self.session_id)


class CurrentInputFields(SessionInput):
    """What a tool takes that needs the user's message: as items, or as text under either name."""

    current_input: Annotated[
        _CurrentInput | None, Field(description="What the user just said: a list of items, one item, or plain text.")
    ] = None
    current_input_text: Annotated[
        str | None, Field(description="What the user just said as plain text, instead of current_input.")
    ] = None

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if self.current_input is not None and self.current_input_text is not None:
            raise refused("must not be given beside current_input", "current_input_text")
        if self.current_input is None and not (self.current_input_text or "").strip():
            raise refused("is required", "current_input")
        return self

    def current(self) -> list[_ITEM]:
        """Return the user's message as items."""
        return self.current_input or [message("user", self.current_input_text or "")]


def history(
    items: list[_ITEM] | None, current: list[_ITEM], start: int | None, count: int | None
) -> tuple[ResponseItem, ...]:
    """Return the items of a conversation that come before or after its current input.

    The slice [start, start + count) is the current input, clamped to the conversation: count defaults to the number
    of current items, start to the slice at the end. Without a slice a trailing run equal to `current` is left out.
    """
    items = items or []
    if start is None and count is None:
        ends_with_current = items[-len(current) :] == current
        return tuple(items[: -len(current)] if ends_with_current else items)
    size = min(max(len(current) if count is None else count, 0), len(items))
    first = min(max(len(items) - size if start is None else start, 0), len(items))
    return tuple(items[:first] + items[first + size :])
