"""The state that a bundle leads to, as digests: what an export compares to leave out what its base has.

A line of it is the first half of the SHA-256 of a record's key, and of the record. So a bundle names what went since
its base without telling what that was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias

from cairn.custody.admission import content_as_imported
from cairn.custody.records import Record
from cairn.custody.scope import parts_of
from cairn.custody.spilled_map import SpilledMap
from cairn.ground.codec import canonical

Line: TypeAlias = tuple[bytes, bytes]

DIGEST_BYTES = 16
_ENDS = frozenset({"until", "expires_at"})


@dataclass(frozen=True, slots=True)
class State:
    """Which records there are, and the SHA-256 of all lines."""

    name: str
    held: SpilledMap


@dataclass(frozen=True, slots=True)
class Increment:
    """A state, the name of that of its base, and what this had in the place of what changed or went."""

    state: State
    base: str
    was: SpilledMap


def line_of(record: Record) -> Line:
    """Return the line of a record as an import stores it, so that it is the same here and where that comes to.

    Of an archived session it is without its pointer, which each store makes anew.
    """
    partition, sort = record["partition"], record["attributes"].get("id") if "archived" in record else record["sort"]
    told = {**record, "sort": sort}
    if "content" in record:
        told["content"] = content_as_imported(parts_of(f"#{partition}")[0], record["sort"], record["content"])
    return _digest([partition, sort]), _digest(told)


def since(base: SpilledMap | None, records: Iterable[Record], state: SpilledMap) -> Iterator[Record]:
    """Yield the records that a base has not, and add all to the state.

    Those that end some day are always yielded: a store may have removed them by then.
    """
    for record in records:
        key, digest = line_of(record)
        state.add(key, digest)
        if base is None or base.get(key) != digest or not _ENDS.isdisjoint(record["attributes"]):
            yield record


def _digest(value: object) -> bytes:
    return sha256(canonical(value)).digest()[:DIGEST_BYTES]
