"""Make an API key of the caller's tenant."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from cairn.access.api_keys import MOST_DAYS, MOST_USERS, Grant, Scope, project_pattern
from cairn.access.fields import KeyLine, NewKey
from cairn.edge.fields import UserName
from cairn.tool.call import Call
from cairn.tool.tool import tool

_MOST_PATTERNS = 64


class CreateKey(BaseModel):
    """What the key opens, and for how long."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    projects: Annotated[
        list[str],
        Field(min_length=1, max_length=_MOST_PATTERNS, description="* stands for whole segments: team.* or owner/*."),
    ] = ["*"]
    scopes: Annotated[list[Scope], Field(min_length=1, description="None that this call's key lacks.")] = [
        "read",
        "write",
    ]
    users: Annotated[
        list[UserName],
        Field(
            max_length=MOST_USERS, description="Whom the key speaks for, and nobody else; none: whomever calls name."
        ),
    ] = []
    policy: Annotated[str | None, Field(description="Its policy, of those that memory_list_policies tells.")] = None
    days: Annotated[int | None, Field(ge=1, le=MOST_DAYS, description="How long it lasts; for ever without.")] = None

    def grant(self) -> Grant:
        """Return what the key opens; InvalidArgument for what no key can open."""
        return Grant(
            tuple(map(project_pattern, self.projects)),
            tuple(dict.fromkeys(self.scopes)),
            self.policy,
            tuple(dict.fromkeys(self.users)),
        )


@tool(
    title="Create an API key",
    example={"projects": ["garden"], "scopes": ["read"], "users": ["ada"], "days": 90},
    grants=("credentials:add", "policy:read"),
    idempotent=False,
    for_operators=True,
)
def memory_create_key(request: CreateKey, call: Call) -> NewKey:
    """Call to make an API key of the tenant, bound to projects and users if told; the answer alone ever shows it.

    It gets no scope that this call's key lacks, and no policy that may permit more; without a policy it gets this
    key's own, if that names one. It may last longer.
    """
    from cairn.access.own_keys import OwnKeys  # noqa: PLC0415 - loaded when it is first called

    services, caller = call.services, call.caller
    lifetime = None if request.days is None else timedelta(days=request.days)
    own = OwnKeys(services.credentials, services.policies, caller)
    issued = own.create(request.grant(), lifetime)
    made = KeyLine.of(issued.credential, services.adapters.clock.now(), caller.credential)
    return NewKey(key=issued.text, made=made)


handler = memory_create_key.handler
