"""Records of the audit log: who called which tool on what, and how that ended. They hold no values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast

from cairn.calls import layout
from cairn.ground import codec
from cairn.ground.attributes import number, text
from cairn.ground.ids import Tenant, moment_of
from cairn.ground.session import Session, Subject
from cairn.ground.table import Attributes, Key

ADMITTED: Final = "admitted"
"""The outcome of a call that was let in; one that fails then has a second record, which says how it ended."""
DONE: Final = "done"
"""The outcome of an operator's command that ended well: the second record of it."""
UNRECORDED: Final = "unrecorded"
"""The outcome of a record that stands for reads whose own records came too late: how many, from when to when."""
ERASE: Final = "cairn erase"
AFTER_GRACE: Final = "erasure after its grace time"
ERASING: Final = frozenset({ERASE, AFTER_GRACE, "cairn plan apply (erase)", "task erase"})
"""What erases, by its name on record; what only has that wait for its grace time has other names."""
OPERATOR: Final = "operator"
"""The credential of an operator's command, which shows none to Cairn."""
TAG: Final = "tag"
UNITS: Final = "units"
"""What a process's calls for the tenant used since the record it wrote before, by tool; not in every record."""
SETTLED = timedelta(minutes=5)
"""How old a record is when no call that began before it can still write one, whatever the clocks of processes say."""
END: Final = "#end"
"""What follows a call's id in the sort key of its end."""
_SUBJECT = ("project", "session_id", "turn_id", "namespace", "key", "user_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRecord:
    """The start or the end of a call; `arguments` are the sizes in bytes, only an end has `duration_ms`.

    `shown` is its subject with names masked, where that is what is stored. `number` counts the day's records of its
    `writer`; those of older releases have none.
    """

    id: str
    tenant: Tenant
    tool: str
    credential: str
    request_id: str
    arguments: Mapping[str, int] = field(default_factory=dict[str, int])
    subject: Subject = field(default_factory=Subject)
    shown: Subject | None = None
    outcome: str = ADMITTED
    duration_ms: int | None = None
    ends: bool = False
    is_listed: bool = True
    """Whether it is one of its session's calls."""
    writer: str = ""
    number: int = 0

    @classmethod
    def of(cls, tenant: Tenant, item: Attributes) -> AuditRecord:
        """Return the record that is stored as this item; CorruptData where it is none."""
        texts = {name: text(item, name) for name in _SUBJECT if name in item}
        sk = Key.of(item).sk
        return cls(
            id=sk.removesuffix(END),
            tenant=tenant,
            tool=text(item, "tool"),
            credential=text(item, "credential"),
            request_id=text(item, "request_id"),
            arguments=json.loads(text(item, "arguments")),
            subject=Subject(**cast("dict[str, Any]", texts)),
            outcome=text(item, "outcome"),
            duration_ms=number(item, "duration_ms") if "duration_ms" in item else None,
            ends=sk.endswith(END),
            writer=text(item, "writer") if "writer" in item else "",
            number=number(item, "number", 0),
        )

    @property
    def at(self) -> datetime:
        """Return when the call began, to the millisecond."""
        return moment_of(self.id)

    @property
    def day(self) -> str:
        """Return the day of the record's partition."""
        return day_of(self.at)

    @property
    def sk(self) -> str:
        """Return the record's sort key: an end's comes right after its call's."""
        return self.id + END if self.ends else self.id

    def ended(self, outcome: str, now: datetime) -> AuditRecord:
        """Return the record of how the call ended."""
        return replace(self, outcome=outcome, duration_ms=(now - self.at) // timedelta(milliseconds=1), ends=True)

    def item(self, retention: timedelta) -> Attributes:
        """Return the record as it is stored, without its tag; a session's records are in the index too."""
        subject = self.shown or self.subject
        found = {
            "pk": layout.audit_day_pk(self.tenant, self.day),
            "sk": self.sk,
            "tool": self.tool,
            "credential": self.credential,
            "request_id": self.request_id,
            "arguments": codec.canonical(self.arguments).decode(),
            "outcome": self.outcome,
            "duration_ms": self.duration_ms,
            "project": subject.project,
            "session_id": subject.session_id,
            "turn_id": subject.turn_id,
            "namespace": subject.namespace,
            "key": subject.key,
            "user_id": subject.user_id,
            "expires_at": int((self.at + retention).timestamp()),
            "writer": self.writer or None,
            "number": self.number or None,
        }
        about = self.subject
        if self.is_listed and about.project is not None and about.session_id is not None:
            found["ipk"] = layout.calls_pk(Session(self.tenant, about.project, about.session_id))
            found["isk"] = HistoryEntry.of(self).text()
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """A call as the index lists it, all of it in the sort key."""

    id: str
    tool: str
    outcome: str
    sent_bytes: int
    credential: str
    turn_id: str

    @classmethod
    def of(cls, record: AuditRecord) -> HistoryEntry:
        """Return the entry of a record."""
        return cls(
            id=record.id,
            tool=record.tool,
            outcome=record.outcome,
            sent_bytes=sum(record.arguments.values()),
            credential=record.credential,
            turn_id=(record.shown or record.subject).turn_id or "",
        )

    @classmethod
    def parse(cls, text: str) -> HistoryEntry:
        """Return the entry in a sort key."""
        call_id, tool, outcome, sent_bytes, credential, turn_id = text.split("#", 5)
        return cls(
            id=call_id,
            tool=tool,
            outcome=outcome,
            sent_bytes=int(sent_bytes),
            credential=credential,
            turn_id=turn_id,
        )

    def text(self) -> str:
        """Return the sort key: by time, with what may hold a # last."""
        parts = (self.id, self.tool, self.outcome, str(self.sent_bytes), self.credential, self.turn_id)
        return "#".join(parts)


def day_of(moment: datetime) -> str:
    """Return the day of a moment in UTC, yyyy-mm-dd."""
    return moment.astimezone(UTC).date().isoformat()


def month_of(day: str) -> str:
    """Return the month of a day, yyyy-mm."""
    return day[: len("yyyy-mm")]


def began_at(sk: str) -> datetime:
    """Return when the call began whose start or end is on record at this sort key."""
    return moment_of(sk.removesuffix(END))


def message_of(item: Attributes) -> bytes:
    """Return what a record's tag is made of: everything stored but the tag."""
    return codec.canonical({name: value for name, value in item.items() if name != TAG})
