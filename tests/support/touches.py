"""What each function does to the stores: its calls of the ports, each as the requests that AWS shows to IAM."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from cairn.ground.adapters import Adapters
from cairn.ground.ids import Digest, Tenant
from cairn.ground.jobs import Job
from cairn.ground.table import Attributes, Check, Delete, Key, Page, Put, Query, Update, Write, key_of
from cairn.vault.data_key import DataKey
from support.iam import Request

_FOUND: Final = "found"
_TABLE: Final = "MemoryTable.Arn"
_INDEX: Final = f"{_TABLE}/index/sparse"
_ACTIONS: Final[Mapping[type[Write], str]] = {
    Put: "dynamodb:PutItem",
    Update: "dynamodb:UpdateItem",
    Delete: "dynamodb:DeleteItem",
    Check: "dynamodb:ConditionCheckItem",
}


@dataclass(frozen=True, slots=True, order=True)
class Touch:
    """One action on what a resource is called, and on the partition or encryption context of `about`."""

    action: str
    resource: str
    about: str = ""

    def requests(self) -> Iterator[Request]:
        """Yield what IAM is asked: the call itself, and what the service that is called asks of the key."""
        match self.resource.partition("/")[0]:
            case "MemoryTable.Arn":
                yield Request(self.action, self.resource, {"dynamodb:LeadingKeys": [self.about]})
                yield _of_the_key("Decrypt", "dynamodb", "dynamodb:tableName", "MemoryTable")
            case "MemoryBucket.Arn":
                yield Request(self.action, self.resource, {})
                if self.action == "s3:GetObject":
                    yield Request("s3:ListBucket", "MemoryBucket.Arn", {})
                if self.about == _FOUND:
                    yield _of_the_key("Decrypt", "s3", "s3:arn", "MemoryBucket.Arn")
                if self.action == "s3:PutObject":
                    yield _of_the_key("GenerateDataKey", "s3", "s3:arn", "MemoryBucket.Arn")
            case "MemoryKey.Arn":
                context = {"kms:EncryptionContextKeys": ["tenant"], "kms:EncryptionContext:tenant": [self.about]}
                yield Request(self.action, self.resource, context)
            case "JobQueue.Arn":
                yield Request(self.action, self.resource, {})
                yield _of_the_key("Decrypt", "sqs", "sqs:arn", "JobQueue.Arn")
                yield _of_the_key("GenerateDataKey", "sqs", "sqs:arn", "JobQueue.Arn")
            case _:
                yield Request(self.action, self.resource, {})


def _of_the_key(action: str, service: str, context: str, name: str) -> Request:
    via = {"kms:ViaService": [f"{service}.AWS::Region.amazonaws.com"], f"kms:EncryptionContext:aws:{context}": [name]}
    return Request(f"kms:{action}", "MemoryKey.Arn", via)


@dataclass
class Touches:
    """Who touched what; `function` is whoever calls at the moment."""

    of: dict[str, set[Touch]] = field(default_factory=lambda: defaultdict(set))
    function: str = ""

    def note(self, action: str, resource: str, about: str = "") -> None:
        """Keep one touch of the function that calls."""
        self.of[self.function].add(Touch(action, resource, about))

    def watching(self, adapters: Adapters) -> Adapters:
        """Return the adapters with their calls noted."""
        return replace(
            adapters,
            table=_Table(adapters.table, self),
            blobs=_Blobs(adapters.blobs, self),
            keys=_Keys(adapters.keys, self),
            jobs=_Jobs(adapters.jobs, self),
        )


@dataclass(frozen=True, slots=True)
class _Table:
    table: Any
    touches: Touches

    def get(self, key: Key) -> Attributes | None:
        self.touches.note("dynamodb:GetItem", _TABLE, key.pk)
        return self.table.get(key)

    def query(self, query: Query) -> Page:
        self.touches.note("dynamodb:Query", _INDEX if query.index else _TABLE, query.pk)
        return self.table.query(query)

    def put(self, write: Put) -> None:
        self._write(write)
        self.table.put(write)

    def update(self, write: Update) -> Attributes:
        self._write(write)
        return self.table.update(write)

    def delete(self, write: Delete) -> None:
        self._write(write)
        self.table.delete(write)

    def transact(self, writes: Sequence[Write]) -> None:
        for write in writes:
            self._write(write)
        self.table.transact(writes)

    def _write(self, write: Write) -> None:
        self.touches.note(_ACTIONS[type(write)], _TABLE, key_of(write).pk)


@dataclass(frozen=True, slots=True)
class _Blobs:
    blobs: Any
    touches: Touches

    def put(self, tenant: Tenant, data: bytes) -> Digest:
        self.touches.note("s3:PutObject", _blob(tenant, Digest("0" * 64)))
        return self.blobs.put(tenant, data)

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        self.touches.note("s3:GetObject", _blob(tenant, digest))
        found = self.blobs.get(tenant, digest)
        self.touches.note("s3:GetObject", _blob(tenant, digest), _FOUND)
        return found

    def get_part(self, tenant: Tenant, digest: Digest, start: int, length: int) -> bytes:
        self.touches.note("s3:GetObject", _blob(tenant, digest))
        found = self.blobs.get_part(tenant, digest, start, length)
        self.touches.note("s3:GetObject", _blob(tenant, digest), _FOUND)
        return found

    def delete(self, tenant: Tenant, digest: Digest) -> None:
        self.touches.note("s3:DeleteObject", _blob(tenant, digest))
        self.blobs.delete(tenant, digest)


@dataclass(frozen=True, slots=True)
class _Keys:
    keys: Any
    touches: Touches

    def generate(self, tenant: Tenant) -> DataKey:
        self.touches.note("kms:GenerateDataKey", "MemoryKey.Arn", tenant)
        return self.keys.generate(tenant)

    def unwrap(self, tenant: Tenant, wrapped: bytes) -> bytes:
        self.touches.note("kms:Decrypt", "MemoryKey.Arn", tenant)
        return self.keys.unwrap(tenant, wrapped)


@dataclass(frozen=True, slots=True)
class _Jobs:
    jobs: Any
    touches: Touches

    def send(self, jobs: Sequence[Job]) -> None:
        if jobs:
            self.touches.note("sqs:SendMessage", "JobQueue.Arn")
        self.jobs.send(jobs)


@dataclass(frozen=True, slots=True)
class WatchedSandbox:
    """A sandbox whose calls are noted."""

    sandbox: Any
    touches: Touches

    def invoke(self, tool: str, arguments: Mapping[str, object], request_id: str) -> Mapping[str, object]:
        self.touches.note("lambda:InvokeFunction", "SandboxFunction.Arn")
        return self.sandbox.invoke(tool, arguments, request_id)


def _blob(tenant: Tenant, digest: Digest) -> str:
    return f"MemoryBucket.Arn/blobs/{tenant}/{digest[:2]}/{digest}"
