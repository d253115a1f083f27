"""The fields of memory_tell_health: what it tells, programs read in the schema."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import BaseModel, Field

from cairn.upkeep.health import RecalledBy, Status

if TYPE_CHECKING:  # what serves all tools loads them with the first call
    from cairn.calls.unsealed import Unsealed
    from cairn.upkeep.condition import Condition
    from cairn.vault.data_key import WrappedKey


class RecallHealth(BaseModel):
    """What recall goes by."""

    by: Annotated[RecalledBy, Field(description="hybrid: by words and meaning; text: by words alone.")]
    embedder: Annotated[str | None, Field(description="The embedding model, null where texts are not embedded.")]
    loaded: Annotated[
        bool | None,
        Field(description="Whether this process has loaded it, which it does with the first text; null elsewhere."),
    ]


class SealingHealth(BaseModel):
    """How far the audit log is sealed."""

    sealed_until: Annotated[datetime | None, Field(description="When its newest sealed record was made, in UTC.")]
    oldest_unsealed: Annotated[datetime | None, Field(description="When the oldest that waits was made, in UTC.")]
    unsealed: Annotated[int, Field(description="How many records wait, of those that are five minutes old.")]
    more: Annotated[bool, Field(description="There may be more: 500 at most are counted.")]

    @classmethod
    def of(cls, found: Unsealed) -> Self:
        """Return what is told of it."""
        return cls(
            sealed_until=found.sealed_until,
            oldest_unsealed=found.oldest,
            unsealed=found.records,
            more=found.more,
        )


class DataKeyHealth(BaseModel):
    """The newest data key."""

    number: Annotated[int, Field(description="Its number.")]
    made_at: Annotated[datetime | None, Field(description="When it was made, in UTC, null if that was not noted.")]

    @classmethod
    def of(cls, key: WrappedKey) -> Self:
        """Return what is told of it."""
        return cls(number=key.number, made_at=key.created_at)


class ServiceHealth(BaseModel):
    """How well the service is."""

    status: Annotated[Status, Field(description="degraded: it answers, and reasons say what is wrong.")]
    reasons: Annotated[
        list[str], Field(description="writes_fail: the disk takes no writes; damage_met: stored data is damaged.")
    ]
    version: Annotated[str, Field(description="Of Cairn.")]
    runs_on: Annotated[Literal["this machine", "AWS"], Field(description="Where the store is.")]
    stores: Annotated[
        dict[str, bool],
        Field(description="Whether table, blobs and key answer, and on one machine whether writes are taken."),
    ]
    recall: Annotated[RecallHealth, Field(description="What recall goes by.")]
    sealing: Annotated[
        SealingHealth | None,
        Field(description="The tenant's audit log; null for a key to certain projects or users, or if unreadable."),
    ]
    data_key: Annotated[DataKeyHealth | None, Field(description="The tenant's newest data key; null likewise.")]
    jobs_waiting: Annotated[
        int | None,
        Field(description="How many jobs of the tenant wait in this process; null likewise, and in AWS."),
    ]

    @classmethod
    def of(cls, found: Condition, recall: RecallHealth, version: str, *, own_disk: bool) -> Self:
        """Return what is told of a service."""
        log, key, jobs = (found.own.unsealed, found.own.key, found.own.jobs) if found.own else (None, None, None)
        return cls(
            status=found.status,
            reasons=list(found.reasons),
            version=version,
            runs_on="this machine" if own_disk else "AWS",
            stores=dict(found.stores),
            recall=recall,
            sealing=None if log is None else SealingHealth.of(log),
            data_key=None if key is None else DataKeyHealth.of(key),
            jobs_waiting=jobs,
        )
