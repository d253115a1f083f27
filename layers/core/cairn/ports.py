"""The ports: what a service may ask of the world. Adapters live in cairn.embedded and cairn.aws.

Reads of the table are strongly consistent, reads of its index eventually. A store that throttles or fails after
its retries raises Unavailable. Items whose `expires_at` (epoch seconds) has passed may still be returned: the
caller filters, the store removes them when it likes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeAlias

from cairn.domain.attributes import check_attributes, item_bytes
from cairn.domain.ids import Digest, Tenant
from cairn.domain.jobs import Job
from cairn.domain.proposals import Proposals, Question
from cairn.domain.settings import HeuristicSettings

Scalar: TypeAlias = str | int | bytes | bool
Attributes: TypeAlias = Mapping[str, Scalar]

MAX_ITEM_BYTES = 400 * 1024
MAX_PAGE_BYTES = 1024 * 1024
MAX_TRANSACTION_WRITES = 100
MAX_TRANSACTION_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Key:
    """Where an item is: partition key and sort key, both non-empty."""

    pk: str
    sk: str


@dataclass(frozen=True, slots=True)
class Missing:
    """Holds where the item lacks this attribute; Missing("pk") holds where there is no item."""

    name: str


@dataclass(frozen=True, slots=True)
class Equals:
    """Holds where the attribute is there and has this value."""

    name: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class LessThan:
    """Holds where the attribute is there and is a smaller number."""

    name: str
    value: int


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Holds where at least one part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """Holds where every part holds."""

    parts: tuple[Condition, ...]


Condition: TypeAlias = Missing | Equals | LessThan | AnyOf | AllOf
ABSENT = Missing("pk")


@dataclass(frozen=True, slots=True)
class Put:
    """Write a whole item; it holds pk and sk, and ipk and isk if the index shall list it."""

    item: Attributes
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """Change attributes of an item, which is made if absent; an attribute is named once."""

    key: Key
    set: Attributes = field(default_factory=dict[str, Scalar])
    add: Mapping[str, int] = field(default_factory=dict[str, int])
    remove: tuple[str, ...] = ()
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove an item; an absent item counts as removed, the condition guards one that is there."""

    key: Key
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """Hold a transaction to a condition on an item it does not write."""

    key: Key
    condition: Condition


Write: TypeAlias = Put | Update | Delete | Check


def key_of(write: Write) -> Key:
    """Return which item a write is about; ValueError where a put lacks a key or holds one that is no text."""
    if not isinstance(write, Put):
        return write.key
    pk, sk = write.item.get("pk"), write.item.get("sk")
    if isinstance(pk, str) and isinstance(sk, str):
        return Key(pk, sk)
    raise ValueError("a put holds pk and sk as text")


def check_writes(writes: Sequence[Write]) -> None:
    """Raise ValueError unless these are 1 to 100 possible writes to distinct items, 400 KB each and 4 MB in all."""
    keys = {key_of(write) for write in writes}
    if len(keys) != len(writes) or not 1 <= len(writes) <= MAX_TRANSACTION_WRITES:
        raise ValueError(f"a transaction has 1-{MAX_TRANSACTION_WRITES} writes to distinct items")
    if sum(_check_write(write) for write in writes) > MAX_TRANSACTION_BYTES:
        raise ValueError(f"a transaction has at most {MAX_TRANSACTION_BYTES} bytes")


def _check_write(write: Write) -> int:
    key = key_of(write)
    check_attributes({"pk": key.pk, "sk": key.sk})
    written: Attributes = {}
    if isinstance(write, Put):
        written = write.item
    elif isinstance(write, Update):
        written = {**write.set, **write.add}
        names = [*write.set, *write.add, *write.remove]
        if len({"pk", "sk", *names}) != len(names) + 2:
            raise ValueError("an update names an attribute once, and no key")
    check_attributes(written)
    size = item_bytes(written)
    if size > MAX_ITEM_BYTES:
        raise ValueError(f"an item has at most {MAX_ITEM_BYTES} bytes")
    return size


@dataclass(frozen=True, slots=True)
class Query:
    """A range of sort keys in one partition, both ends inclusive; of the index where `index` is true.

    An index item holds its keys only: pk, sk, ipk, isk. `start` is the `next` of the page before.
    """

    pk: str
    low: str
    high: str
    descending: bool = False
    limit: int | None = None
    index: bool = False
    start: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Up to `limit` items and 1 MB; `next` continues, None at the end."""

    items: tuple[Attributes, ...]
    next: Mapping[str, str] | None = None


class Table(Protocol):
    """One table of items under (pk, sk) with one sparse index under (ipk, isk)."""

    def get(self, key: Key) -> Attributes | None:
        """Return the item, None if there is none."""
        ...

    def query(self, query: Query) -> Page:
        """Return one page of a key range, in UTF-8 byte order of the sort key."""
        ...

    def put(self, write: Put) -> None:
        """Write the item; ConditionFailed if its condition does not hold, ValueError over 400 KB."""
        ...

    def update(self, write: Update) -> Attributes:
        """Change the item and return it whole as it is afterwards; ConditionFailed as for put."""
        ...

    def delete(self, write: Delete) -> None:
        """Remove the item; ConditionFailed if one is there and its condition does not hold."""
        ...

    def transact(self, writes: Sequence[Write]) -> None:
        """Apply 1 to 100 writes to distinct items, all or none; TransactionRefused with a reason each."""
        ...


class Blobs(Protocol):
    """Immutable bytes under the SHA-256 of what is stored, per tenant."""

    def put(self, tenant: Tenant, data: bytes) -> Digest:
        """Store the bytes if they are not there and return their digest."""
        ...

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        """Return the bytes; NotFound if absent, CorruptData if they no longer match the digest."""
        ...

    def delete(self, tenant: Tenant, digest: Digest) -> None:
        """Remove the bytes; absent ones count as removed."""
        ...


@dataclass(frozen=True, slots=True)
class DataKey:
    """A 32-byte data key: in the clear for this process, wrapped for the store."""

    secret: bytes = field(repr=False)
    wrapped: bytes = field(repr=False)


class KeyRing(Protocol):
    """Makes and unwraps data keys; the tenant is bound to each as its encryption context."""

    def generate(self, tenant: Tenant) -> DataKey:
        """Return a fresh data key."""
        ...

    def unwrap(self, tenant: Tenant, wrapped: bytes) -> bytes:
        """Return the 32 secret bytes; CorruptData if they are not this tenant's or were changed."""
        ...


class Clock(Protocol):
    """Time, and waiting in it."""

    def now(self) -> datetime:
        """Return the time in UTC, aware."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class Entropy(Protocol):
    """Unpredictable bytes for ids, owners and nonces."""

    def token(self, size: int) -> bytes:
        """Return `size` random bytes."""
        ...


class FactModel(Protocol):
    """A language model that is asked for facts."""

    def propose(self, question: Question, settings: HeuristicSettings) -> Proposals:
        """Return what the model would change, within settings.timeout_ms; ModelFailed if it gave no usable answer."""
        ...


class Jobs(Protocol):
    """A queue of work for later; a job is done at least once, in no order, or can be found again in the store."""

    def send(self, jobs: Sequence[Job]) -> None:
        """Queue the jobs; Unavailable if it is not sure that all of them were taken."""
        ...


class Parallel(Protocol):
    """Runs independent calls as one round trip; the first error of theirs is raised after all have ended."""

    def __call__(self, calls: Sequence[Callable[[], object]]) -> list[object]:
        """Return the results in the order of the calls."""
        ...
