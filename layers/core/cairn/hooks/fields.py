"""What the door of hooks takes and gives."""

from __future__ import annotations

from typing import Annotated, Any, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, model_validator

from cairn.edge.fields import SessionInput, UserName
from cairn.edge.validation import Rules, refused
from cairn.hooks.dialects import DIALECTS
from cairn.hooks.folders import project_of


def _known(agent: str) -> str:
    if agent not in DIALECTS:
        raise refused(f"must be one of {', '.join(DIALECTS)}")
    return agent


class HookInput(SessionInput):
    """An event of an agent. Its session is the event's, its project that of its folder, where neither is named."""

    agent: Annotated[
        str, AfterValidator(_known), Field(description="Whose event it is.", json_schema_extra={"enum": [*DIALECTS]})
    ]
    event: Annotated[dict[str, Any], Field(description="The event, as the agent gives it to its hooks.")]
    user_id: UserName | None = None

    @model_validator(mode="before")
    @classmethod
    def _take_event(cls, data: object, info: ValidationInfo) -> object:
        given = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
        agent, event = given.get("agent"), given.get("event")
        if not isinstance(agent, str) or agent not in DIALECTS or not isinstance(event, dict):
            return cast("object", data)
        hook = DIALECTS[agent].read(cast("dict[str, Any]", event))
        known = {**info.context.bound, **info.context.names} if isinstance(info.context, Rules) else {}
        told = {"session_id": hook.session, "project": project_of(hook.folder)}
        return {name: value for name, value in told.items() if value and name not in known} | given


class HookAnswer(BaseModel):
    """What the agent takes: fields that are its own."""

    model_config = ConfigDict(extra="allow")
