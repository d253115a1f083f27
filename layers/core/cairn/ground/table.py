"""Keys, items, conditions, writes and ranges of the table, the limits that every store enforces, and capacity units.

Sizes, limits and units are DynamoDB's: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from cairn.ground.errors import CorruptData, Refusal, TransactionRefused
from cairn.ground.ids import Tenant

Scalar: TypeAlias = str | int | bytes | bool
Attributes: TypeAlias = Mapping[str, Scalar]

MAX_ITEM_BYTES = 400 * 1024
MAX_PAGE_BYTES = 1024 * 1024
MAX_TRANSACTION_WRITES = 100
MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
KEY_BYTES = {"pk": 2048, "sk": 1024, "ipk": 2048, "isk": 1024}
RESERVED_NAME = "_rid"
DAMAGED = "_damaged"
"""The one attribute beside its key of a row that a store cannot decode: the row's bytes. No write may build on it."""
_INTEGER_LIMIT = 10**38
READ_UNIT_BYTES = 4096
WRITE_UNIT_BYTES = 1024
IN_TRANSACTION = 2
"""How many units a transaction takes for each of a write."""
REQUEST_MARK_BYTES = len(RESERVED_NAME) + 16
"""What the DynamoDB adapter adds to items that it writes under a condition, and is counted for all: its mark."""


@dataclass(frozen=True, slots=True)
class Key:
    """The place of an item: partition key and sort key, both non-empty."""

    pk: str
    sk: str

    @classmethod
    def of(cls, item: Attributes) -> Key:
        """Return where a stored item is; CorruptData where it does not say."""
        pk, sk = item.get("pk"), item.get("sk")
        if not isinstance(pk, str) or not isinstance(sk, str):
            raise CorruptData("a stored item has no key")
        return cls(pk, sk)


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


FORMAT = 1
"""The format of what this program stores, raised by each change that earlier programs would misread, such as a newer
dictionary in ground/codec.py.

A store, or a data key in it, that names no format has the first one.
"""
Condition: TypeAlias = Missing | Equals | LessThan | AnyOf | AllOf
ABSENT = Missing("pk")


@dataclass(frozen=True, slots=True)
class Put:
    """Write a whole item; it holds pk and sk, and ipk and isk if the index shall list it.

    A `late` one, which has no condition, may be on disk only when the group of calls ends that it is made in. A `brief`
    one is given up soon where others hold the store; one that is both shares what becomes of the group's next write,
    which alone tells of it. `beside` is another item, which a store writes in the same
    transaction if that costs it nothing, and otherwise not at all.
    """

    item: Attributes
    condition: Condition | None = None
    late: bool = False
    beside: Attributes | None = None
    brief: bool = False


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


def conditions_lost(writes: Sequence[Write], refused: TransactionRefused) -> dict[Key, Refusal]:
    """Return which items of a refused transaction were not as its conditions had them."""
    reasons = zip(writes, refused.reasons, strict=False)
    return {key_of(write): why for write, why in reasons if why is not None and why.code == "condition"}


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


def item_bytes(item: Mapping[str, Scalar]) -> int:
    """Return how many bytes the names and values of an item count; ValueError where text is not valid Unicode."""
    size = 0
    for name, value in item.items():  # a loop and no sum(): each item is asked several times
        # What is ASCII, as most is, need not be encoded to be counted.
        size += len(name) if name.isascii() else len(name.encode())
        if isinstance(value, str):
            size += len(value) if value.isascii() else len(value.encode())
        else:
            size += _value_bytes(value)
    return size


def check_attributes(item: Mapping[str, Scalar]) -> None:
    """Raise ValueError where a name is empty or reserved, a key is no text of its size, or a number is too long."""
    if "" in item or RESERVED_NAME in item:
        raise ValueError(f'an attribute is not named "" or "{RESERVED_NAME}"')
    for name, limit in KEY_BYTES.items():
        value = item.get(name, "-")
        if not isinstance(value, str) or not 1 <= len(value.encode()) <= limit:
            raise ValueError(f"{name} must be text of 1-{limit} bytes")
    if any(abs(value) >= _INTEGER_LIMIT for value in item.values() if isinstance(value, int)):
        raise ValueError("a number has at most 38 digits")


def _value_bytes(value: bool | int | bytes) -> int:  # noqa: FBT001 - a value of an item
    if isinstance(value, bool):
        return 1
    if isinstance(value, int):
        significant = len(str(abs(value)).rstrip("0"))
        return (significant + 1) // 2 + 1 + (value < 0)
    return len(value)


def tenant_of(pk: str) -> Tenant:
    """Return whose partition this is."""
    return Tenant(pk.split("#", 1)[0])


def prefix_range(prefix: str) -> tuple[str, str]:
    """Return the inclusive range of all sort keys that begin with the prefix."""
    return prefix, prefix + "\U0010ffff"


def stored_bytes(item: Attributes | None) -> int:
    """Return what an item counts, 0 where there is none."""
    return item_bytes(item) + REQUEST_MARK_BYTES if item else 0


def read_units(size: int, *, index: bool = False) -> float:
    """Return the units of a read of so many bytes: consistent, or of the index, which is read eventually at half."""
    return max(1, -(-size // READ_UNIT_BYTES)) / (2 if index else 1)


def write_units(before: Attributes | None, after: Attributes | None) -> int:
    """Return the units of a write by the larger of what it finds and leaves, those of the index not among them."""
    return max(1, -(-max(stored_bytes(before), stored_bytes(after)) // WRITE_UNIT_BYTES))


def index_units(before: Attributes | None, after: Attributes | None) -> int:
    """Return what a change costs in the index: one unit to take an entry out, one to put one in."""
    entries = [tuple(item[name] for name in ("ipk", "isk") if name in item) for item in (before or {}, after or {})]
    return sum(map(bool, entries)) if entries[0] != entries[1] else 0


def changed_units(before: Attributes | None, after: Attributes | None, *, times: int = 1) -> int:
    """Return all units of a write that was done, on its own or, twice as many times, in a transaction."""
    return times * write_units(before, after) + index_units(before, after)


def refused_units(write: Write, found: Attributes | None, *, times: int = 1) -> int:
    """Return the units of a write that was refused: it is paid for as well, and changes no index."""
    return times * write_units(found, write.item if isinstance(write, Put) else None)
