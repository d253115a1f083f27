"""Fields that the tools of item logs take and give: which log, items, positions and revisions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from cairn.edge.fields import ProjectInput, UserName, named
from cairn.ground.ids import Tenant
from cairn.items import model
from cairn.items.listing import Shelf
from cairn.items.model import ItemId, Log, LogName, OperationId

_NAME_SCHEMA: Final[dict[str, Any]] = {"minLength": 1, "maxLength": model.MAX_NAME_CHARACTERS}
_KINDS: Final = ("object", "string", "number", "boolean", "null")
# Spelled out, since clients refuse a field that has no type, and others one that has a list of types.
_ANY_JSON: Final = WithJsonSchema({"anyOf": [{"type": "array", "items": {}}, *({"type": kind} for kind in _KINDS)]})

Json: TypeAlias = Annotated[Any, _ANY_JSON]
"""Any JSON value."""
LogField: TypeAlias = Annotated[
    LogName,
    named(model.log_name),
    Field(description="The log's name, such as thread-1.", json_schema_extra=_NAME_SCHEMA),
]
Prefix: TypeAlias = Annotated[str, named(model.log_prefix), Field(description="What the names of the logs begin with.")]
ItemName: TypeAlias = Annotated[
    ItemId,
    named(model.item_id),
    Field(description="The item's id: no other item of the log has it.", json_schema_extra=_NAME_SCHEMA),
]
OperationName: TypeAlias = Annotated[
    OperationId,
    named(model.operation_id),
    Field(
        description="This call's id; keep it to try again.",
        json_schema_extra={"minLength": 1, "maxLength": model.MAX_OPERATION_CHARACTERS},
    ),
]
ExpectedRevision: TypeAlias = Annotated[
    int | None, Field(ge=0, description="Only if the log has this revision now; 0: if there is none.")
]
Revision: TypeAlias = Annotated[
    int, Field(description="The log's revision, which rises with every change; 0: there is no such log.")
]
Count: TypeAlias = Annotated[int, Field(description="How many items the log has.")]
Position: TypeAlias = Annotated[int, Field(le=10**15)]
When: TypeAlias = Annotated[datetime, Field(description="In UTC.")]


class ShelfInput(ProjectInput):
    """What a tool takes that is about logs: without a user, the project's own."""

    user_id: Annotated[UserName | None, Field(description="Whose log; the project's, if nobody is named.")] = None

    def shelf(self, tenant: Tenant) -> Shelf:
        """Return where the logs stand, as the tenant's."""
        return Shelf(tenant, self.project, self.user_id)


class LogInput(ShelfInput):
    """What a tool takes that is about one log."""

    log: LogField

    def place(self, tenant: Tenant) -> Log:
        """Return the log this is about, as the tenant's."""
        return Log(tenant, self.project, self.user_id, self.log)


class GivenItem(BaseModel):
    """An item to append."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    id: ItemName | None = None
    data: Annotated[Json, Field(description="Any JSON.")]


class ItemLine(BaseModel):
    """An item of a log."""

    position: Annotated[int, Field(description="Its place: positions rise, with gaps, and are never used again.")]
    id: Annotated[str, Field(description="Its id.")]
    at: Annotated[datetime, Field(description="When it was appended, in UTC.")]
    data: Annotated[Json, Field(description="What was appended.")]

    @classmethod
    def of(cls, item: model.Item) -> ItemLine:
        """Return the line of a stored item."""
        return cls(position=item.position, id=item.id, at=item.at, data=item.data)


class LogLine(BaseModel):
    """A log."""

    log: Annotated[str, Field(description="Its name.")]
    revision: Revision
    count: Count
    created_at: When
    updated_at: When
    state: Annotated[Json, Field(description="Its state, where with_state asks for it and it has one.")] = None

    @classmethod
    def of(cls, found: model.LogInfo) -> LogLine:
        """Return the line of a log."""
        return cls(
            log=found.name,
            revision=found.revision,
            count=found.count,
            created_at=found.created_at,
            updated_at=found.updated_at,
            state=found.state,
        )
