"""The fields of the tools for keys and policies: what they answer, operators read in the schema."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, get_args

from pydantic import BaseModel, ConfigDict, Field

from cairn.access.api_keys import KEY_ID, Credential, KeyState, Scope
from cairn.access.policy import ContextType, GovernedTool, InForce, OnSensitive, Permission, PolicyOrigin, Right

KeyId = Annotated[str, Field(pattern=f"^{KEY_ID.pattern}$", description="The id that memory_list_keys tells.")]
Own = Annotated[bool, Field(description="It is the key of this call.")]


class KeysInput(BaseModel):
    """What every tool for keys takes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class KeyLine(BaseModel):
    """An API key, without its text, which is stored nowhere."""

    id: Annotated[str, Field(description="Its id, which opens nothing.")]
    projects: Annotated[list[str], Field(description="The projects it opens; * stands for whole segments.")]
    scopes: Annotated[list[Scope], Field(description="What it may do.")]
    users: Annotated[list[str], Field(description="Whom it speaks for; none: whomever its calls name.")]
    policy: Annotated[str | None, Field(description="The policy it names, null for none.")]
    created_at: Annotated[datetime, Field(description="When it was made, in UTC.")]
    expires_at: Annotated[datetime | None, Field(description="When its time is over, in UTC; null for never.")]
    ends_at: Annotated[
        datetime | None, Field(description="When it stops or stopped opening anything, in UTC; null for never.")
    ]
    state: Annotated[KeyState, Field(description="ending: it was rotated and works until ends_at; ended: no more.")]
    own: Own

    @classmethod
    def of(cls, credential: Credential, now: datetime, caller: str) -> KeyLine:
        """Return what is told of a key to the caller that shows this credential."""
        grant = credential.grant
        return cls(
            id=credential.id,
            projects=list(grant.projects),
            scopes=list(grant.scopes),
            users=list(grant.users),
            policy=grant.policy,
            created_at=credential.created_at,
            expires_at=credential.expires_at,
            ends_at=credential.ends_at,
            state=credential.state(now),
            own=credential.id == caller,
        )


class KeyList(BaseModel):
    """API keys."""

    keys: Annotated[list[KeyLine], Field(description="All of the tenant's, ended ones too, the oldest first.")]


class NewKey(BaseModel):
    """A new key."""

    key: Annotated[str, Field(description="The key itself. It is not stored and cannot be shown again.")]
    made: Annotated[KeyLine, Field(description="What it opens.")]


class RotatedKey(NewKey):
    """A new key in the place of another."""

    replaced: Annotated[KeyLine, Field(description="The key before, with when it ends; whether it made this call.")]


class RevokedKey(BaseModel):
    """A key that opens nothing any more."""

    key_id: Annotated[str, Field(description="Its id.")]
    own: Own
    message: Annotated[str, Field(description="The same in words.")]


class ToolPermission(BaseModel):
    """What a tool may do."""

    tool: Annotated[GovernedTool, Field(description="The tool.")]
    operations: Annotated[list[Right], Field(description="Without any, it may do nothing.")]
    namespaces: Annotated[list[str], Field(description="Where; * stands for whole segments.")]
    context_types: Annotated[list[ContextType], Field(description="What getContext may tell.")]
    max_ttl_seconds: Annotated[int | None, Field(description="How long a value may live, null for any time.")]
    on_sensitive: Annotated[OnSensitive, Field(description="Of a value with personal data or a secret.")]

    @classmethod
    def of(cls, tool: GovernedTool, permission: Permission) -> ToolPermission:
        """Return what is told of a permission."""
        return cls(
            tool=tool,
            operations=sorted(permission.rights),
            namespaces=list(permission.namespaces),
            context_types=[each for each in get_args(ContextType) if each in permission.context_types],
            max_ttl_seconds=permission.max_ttl_seconds,
            on_sensitive=permission.on_sensitive,
        )


class PolicyLine(BaseModel):
    """A policy."""

    name: Annotated[
        str | None, Field(description="Null is the deployment's own, for keys that name none and speak for anyone.")
    ]
    origin: Annotated[
        PolicyOrigin, Field(description="none: nothing that can be read has such a policy, so it permits nothing.")
    ]
    version: Annotated[int | None, Field(description="Of the stored document, its version; null for any other.")]
    tools: Annotated[list[ToolPermission], Field(description="What each tool may do under it.")]
    keys: Annotated[list[str], Field(description="The tenant's keys that it holds for, without those that have ended.")]

    @classmethod
    def of(cls, name: str | None, policies: InForce, keys: list[str]) -> PolicyLine:
        """Return what is told of a policy that holds for these keys."""
        origin = policies.origin_of(name)
        governed: tuple[GovernedTool, ...] = get_args(GovernedTool)
        return cls(
            name=name,
            origin=origin,
            version=policies.version if origin == "stored" else None,
            tools=[ToolPermission.of(each, policies.book.permission(name, each)) for each in governed],
            keys=keys,
        )


class PolicyList(BaseModel):
    """Policies."""

    policies: Annotated[list[PolicyLine], Field(description="The deployment's own first, then by name.")]
