"""What the operations take, as the service's model has it: fields that it does not name are passed over."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from cairn.edge.validation import refused
from cairn_agentcore.names import project_of, user_of

ALPHANUMERIC: Final = r"^[a-zA-Z0-9][a-zA-Z0-9-_]*$"
METADATA_TEXT: Final = r"^[a-zA-Z0-9\s._:/=+@-]*$"


def _seconds(value: object) -> object:
    """Return a time as seconds since 1970, which is how it stands on the wire; a text is one with its zone."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            raise ValueError("must be a time with its zone, or seconds since 1970")
        return moment.timestamp()
    return value


Seconds: TypeAlias = Annotated[float, BeforeValidator(_seconds), Field(ge=0, le=253_402_300_799, allow_inf_nan=False)]
ClientToken: TypeAlias = Annotated[str | None, Field(max_length=4096)]
Token: TypeAlias = Annotated[str, Field(max_length=4096)]
MemoryId: TypeAlias = Annotated[str, Field(max_length=256)]
ActorId: TypeAlias = Annotated[str, Field(min_length=1, max_length=255)]
SessionId: TypeAlias = Annotated[str, Field(min_length=1, max_length=100)]
EventId: TypeAlias = Annotated[str, Field(pattern="^[0-9]+#[a-fA-F0-9]+$", max_length=64)]
MetadataKey: TypeAlias = Annotated[str, Field(min_length=1, max_length=128, pattern=METADATA_TEXT)]
MaxResults: TypeAlias = Annotated[int, Field(ge=1, le=100)]


class Shape(BaseModel):
    """A structure of the service's model."""

    model_config = ConfigDict(extra="ignore", frozen=True, alias_generator=to_camel, validate_by_name=False)


class Union(Shape):
    """A structure of which exactly one member is there."""

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        if len(self.model_fields_set) != 1:
            raise refused("must have exactly one member that is known here")
        return self


class OfMemory(Shape):
    """What names a memory."""

    memory_id: MemoryId

    @property
    def project(self) -> str:
        """Return the project that the memory is; InvalidArgument where the id is none."""
        return project_of(self.memory_id)


class OfActor(OfMemory):
    """What names an actor in a memory."""

    actor_id: ActorId

    @property
    def user(self) -> str:
        """Return the user that the actor is."""
        return user_of(self.actor_id)


class OfSession(OfActor):
    """What names a session of an actor."""

    session_id: SessionId


class OfEvent(OfSession):
    """What names an event."""

    event_id: EventId


class Text(Union):
    """What was said."""

    text: Annotated[str | None, Field(min_length=1, max_length=100_000)] = None


class Conversational(Shape):
    """What somebody said."""

    content: Text
    role: Literal["ASSISTANT", "USER", "TOOL", "OTHER"]


class JsonData(Shape):
    """A JSON value."""

    content: Any


class Payload(Union):
    """A part of an event."""

    conversational: Conversational | None = None
    blob: Any = None
    json_data: Annotated[JsonData | None, Field(alias="json")] = None


class MetadataValue(Union):
    """The value of a key of an event's metadata."""

    string_value: Annotated[str | None, Field(max_length=256, pattern=METADATA_TEXT)] = None


class Branch(Shape):
    """A branch of a session's events, and at which event it leaves another."""

    name: Annotated[str, Field(min_length=1, max_length=100, pattern=ALPHANUMERIC)]
    root_event_id: EventId | None = None


class CreateEventInput(OfActor):
    """An event to keep."""

    session_id: SessionId | None = None
    event_timestamp: Seconds
    payload: Annotated[list[Payload], Field(max_length=100)]
    branch: Branch | None = None
    client_token: ClientToken = None
    metadata: Annotated[dict[MetadataKey, MetadataValue] | None, Field(max_length=15)] = None
    extraction_mode: Literal["SKIP"] | None = None


class BranchFilter(Shape):
    """Events of one branch, and of those that it left where wanted."""

    name: Annotated[str, Field(min_length=1, max_length=100, pattern=ALPHANUMERIC)]
    include_parent_branches: bool = False


class MetadataName(Union):
    """The key that a filter is about."""

    metadata_key: MetadataKey | None = None


class MetadataOperand(Union):
    """The value that a filter compares with."""

    metadata_value: MetadataValue | None = None


class MetadataFilter(Shape):
    """What an event's metadata must be like."""

    left: MetadataName
    operator: Literal["EQUALS_TO", "EXISTS", "NOT_EXISTS"]
    right: MetadataOperand | None = None

    @model_validator(mode="after")
    def _compares(self) -> Self:
        if self.operator == "EQUALS_TO" and self.right is None:
            raise refused("is required to compare with", ".right")
        return self


class IngestPayload(Union):
    """A part of what is to be learnt from."""

    conversational: Conversational | None = None
    json_data: Annotated[JsonData | None, Field(alias="json")] = None


class Inline(Shape):
    """What is to be learnt from, in the request."""

    payload: Annotated[list[IngestPayload], Field(min_length=1, max_length=100)]


class Source(Union):
    """Where that stands."""

    inline: Inline | None = None


class IngestDataInput(OfActor):
    """What to learn from, without an event."""

    session_id: SessionId | None = None
    source: Source
    content_timestamp: Seconds
    client_token: ClientToken = None


class EventFilter(Shape):
    """Which events are wanted."""

    branch: BranchFilter | None = None
    event_metadata: Annotated[list[MetadataFilter], Field(max_length=5)] = []


class ListEventsInput(OfSession):
    """Which events to list."""

    include_payloads: bool = True
    filter: EventFilter = EventFilter()
    max_results: MaxResults = 20
    next_token: Token | None = None


class SessionFilter(Shape):
    """Which sessions are wanted."""

    event_filter: Literal["HAS_EVENTS"] | None = None


class ListSessionsInput(OfActor):
    """Which sessions to list."""

    max_results: MaxResults = 20
    next_token: Token | None = None
    filter: SessionFilter = SessionFilter()


class ListActorsInput(OfMemory):
    """Which actors to list."""

    max_results: MaxResults = 20
    next_token: Token | None = None


class ListMemoriesInput(Shape):
    """Which memories to list."""

    max_results: MaxResults = 10
    next_token: Token | None = None


class GetMemoryInput(OfMemory):
    """Which memory to tell of."""


class ExtractionJobsInput(OfMemory):
    """Of which memory jobs are wanted."""
