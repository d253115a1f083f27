"""Jobs of the queue: what each one names, and its JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, TypeAlias, cast

from cairn.ground import codec, ids
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, Tenant

VERSION = 1
DUE_SHARDS = 16
"""How many partitions of the index share the due sessions, so that many writers and runs do not meet in one."""


@dataclass(frozen=True, slots=True)
class MaintainShard:
    """Maintain the sessions of one shard of the due index."""

    kind: ClassVar[str] = "maintain_shard"
    delay_seconds: ClassVar[int] = 0

    shard: int

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> MaintainShard:
        """Return the job that was recorded, InvalidArgument where there is no such shard."""
        shard = record.get("shard")
        if type(shard) is not int or not 0 <= shard < DUE_SHARDS:
            raise InvalidArgument("shard", f"must be 0 to {DUE_SHARDS - 1}")
        return cls(shard)


@dataclass(frozen=True, slots=True)
class IndexLog:
    """Put the tail of an owner's memory log into segments, or with `rebuild` make all its segments again."""

    kind: ClassVar[str] = "index_log"
    delay_seconds: ClassVar[int] = 0

    tenant: Tenant
    project: Project
    owner: str
    rebuild: bool = False

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> IndexLog:
        """Return the job that was recorded, InvalidArgument where it names no log."""
        owner, rebuild = _text(record, "owner"), record.get("rebuild")
        if not isinstance(rebuild, bool):
            raise InvalidArgument("rebuild", "must be true or false")
        return cls(_tenant(record), ids.project(_text(record, "project")), owner, rebuild)


@dataclass(frozen=True, slots=True)
class EmbedLog:
    """Store vectors with the newest entries of an owner's memory logs, across projects too, that have none yet."""

    kind: ClassVar[str] = "embed_log"
    delay_seconds: ClassVar[int] = 1
    """It is sent beside the commit that it is about, and is to see what that wrote."""

    tenant: Tenant
    project: Project
    owner: str

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> EmbedLog:
        """Return the job that was recorded, InvalidArgument where it names no log."""
        return cls(_tenant(record), ids.project(_text(record, "project")), _text(record, "owner"))


@dataclass(frozen=True, slots=True)
class SealAudit:
    """Seal the settled records of a tenant's audit log."""

    kind: ClassVar[str] = "seal_audit"
    delay_seconds: ClassVar[int] = 0

    tenant: Tenant

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> SealAudit:
        """Return the job that was recorded, InvalidArgument where it names no tenant."""
        return cls(_tenant(record))


@dataclass(frozen=True, slots=True)
class RunTask:
    """Run a task that an operator started; it may take long, and is sent on one machine alone."""

    kind: ClassVar[str] = "run_task"
    delay_seconds: ClassVar[int] = 0

    tenant: Tenant
    task_id: str

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> RunTask:
        """Return the job that was recorded, InvalidArgument where it names no task."""
        return cls(_tenant(record), _text(record, "task_id"))


Job: TypeAlias = MaintainShard | IndexLog | EmbedLog | SealAudit | RunTask
KINDS: tuple[type[Job], ...] = (MaintainShard, IndexLog, EmbedLog, SealAudit, RunTask)


def encoded(job: Job) -> str:
    """Return the job as JSON with its kind and the version of its form."""
    return codec.canonical({**asdict(job), "job": job.kind, "version": VERSION}).decode()


def decoded(text: str) -> Job:
    """Return the job that was encoded; InvalidArgument names what is wrong with anything else."""
    record = _record(text)
    if record.get("version") != VERSION:
        raise InvalidArgument("version", f"must be {VERSION}")
    for kind in KINDS:
        if kind.kind == record.get("job"):
            return kind.from_record(record)
    raise InvalidArgument("job", "is of no known kind")


def _tenant(record: Mapping[str, Any]) -> Tenant:
    try:
        return ids.tenant(_text(record, "tenant"))
    except ValueError as error:
        raise InvalidArgument("tenant", str(error)) from error


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value:
        raise InvalidArgument(name, "must be text")
    return value


def _record(text: str) -> Mapping[str, Any]:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise InvalidArgument("job", "must be a JSON object")
    return cast("dict[str, Any]", record)
