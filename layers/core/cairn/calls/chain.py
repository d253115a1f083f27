"""The hash chain over the audit log: each digest names all records of a period and the digest before it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypeAlias

from cairn.ground.attributes import number
from cairn.ground.table import Attributes, Key

FindingKind: TypeAlias = Literal["changed", "missing", "reordered", "added"]
FoundIn: TypeAlias = Literal["record", "digest", "day", "count"]


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A position in the log: a day and a sort key in it. The start of a log lies before all its records."""

    day: str = ""
    sk: str = ""

    def low(self, day: str) -> str:
        """Return the smallest sort key after this position in a day's partition, where it is its day or a later one."""
        return f"{self.sk} " if day == self.day else "0"


@dataclass(frozen=True, slots=True)
class SealedRecord:
    """A record as its digest names it: its position, its tag, when it may expire (epoch seconds), writer and number."""

    position: Position
    tag: str
    expires_at: int
    writer: str = ""
    number: int = 0

    @classmethod
    def of(cls, day: str, item: Attributes) -> SealedRecord:
        """Return the name of a stored record."""
        where, by = Position(day, Key.of(item).sk), str(item.get("writer", ""))
        return cls(where, str(item.get("tag")), number(item, "expires_at", 0), by, number(item, "number", 0))


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A stored record: its tag, and whether that is the tag of its content under the tenant's key."""

    tag: str
    genuine: bool


@dataclass(frozen=True, slots=True)
class AuditDigest:
    """Names all records behind the last digest's, up to its own last; `previous` is that digest's blob, or empty.

    `used` is what they say that calls used, and what the process that sealed them had not told otherwise; those of
    older releases say nothing.
    """

    number: int
    previous: str
    since: Position
    records: Sequence[SealedRecord]
    used: str = ""

    @property
    def until(self) -> Position:
        """Return where its last record is."""
        return self.records[-1].position

    def days(self) -> Sequence[str]:
        """Return every day on which its records may be, those without any too."""
        first, last = (
            date.fromisoformat(self.since.day or self.records[0].position.day),
            date.fromisoformat(self.until.day),
        )
        return [(first + timedelta(days=number)).isoformat() for number in range((last - first).days + 1)]

    def document(self) -> Mapping[str, Any]:
        """Return it as JSON data."""
        return {
            "number": self.number,
            "previous": self.previous,
            "since": [self.since.day, self.since.sk],
            "records": [[each.position.day, each.position.sk, each.tag, each.expires_at] for each in self.records],
            "numbers": [[each.writer, each.number] for each in self.records],
            "used": self.used,
        }

    @classmethod
    def parse(cls, document: Any) -> AuditDigest:
        """Return the digest that document() was made of."""
        listed = document["records"]
        # Older releases wrote no numbers.
        numbers: list[Any] = document.get("numbers") or [["", 0]] * len(listed)
        records = [
            SealedRecord(Position(day, sk), tag, end, writer, number)
            for (day, sk, tag, end), (writer, number) in zip(listed, numbers, strict=True)
        ]
        used = str(document.get("used", ""))
        return cls(document["number"], document["previous"], Position(*document["since"]), records, used)


@dataclass(frozen=True, slots=True)
class Finding:
    """A record, a digest, a day's item or a writer's count that is wrong, and what is wrong with it."""

    kind: FindingKind
    what: FoundIn
    name: str


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of verifying the whole log; `head`, the newest digest's blob, identifies this state of it."""

    digests: int
    records: int
    unsealed: int
    head: str
    findings: Sequence[Finding]


def compared(
    sealed: Sequence[SealedRecord], stored: Mapping[Position, StoredRecord], now: datetime
) -> Sequence[Finding]:
    """Return how stored records differ from those that were sealed; what has expired may be gone."""
    known = {each.position: each for each in sealed}
    tags = {each.tag for each in sealed}
    found = [_difference(position, each, known.get(position), tags) for position, each in stored.items()]
    gone = [each for each in sealed if each.position not in stored and each.expires_at > now.timestamp()]
    missing = [Finding("missing", "record", each.position.sk) for each in gone]
    return [*filter(None, found), *missing]


def _difference(
    position: Position, stored: StoredRecord, sealed: SealedRecord | None, tags: Collection[str]
) -> Finding | None:
    if sealed is None:
        return Finding("added", "record", position.sk)
    if stored.tag != sealed.tag:
        return Finding("reordered" if stored.tag in tags else "changed", "record", position.sk)
    return None if stored.genuine else Finding("changed", "record", position.sk)
