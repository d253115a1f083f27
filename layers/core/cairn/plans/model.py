"""A plan: what a command would change and why, what it found there, and how far it has come."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Literal, TypeAlias, cast, get_args

from cairn.ground.attributes import moment, number, text
from cairn.ground.codec import canonical, rfc3339
from cairn.ground.errors import CorruptData, InvalidArgument
from cairn.ground.ids import Digest, Project, SessionId, Tenant, UserId, moment_of
from cairn.ground.session import NO_SESSION, Session
from cairn.ground.table import AllOf, Attributes, Check, Equals, Key, Scalar, tenant_of
from cairn.plans import layout

PlanKind: TypeAlias = Literal["forget", "erase", "import", "policy", "key", "maintenance"]
PlanState: TypeAlias = Literal["planned", "waiting", "applying", "applied", "undoing", "undone", "final"]

UNDO = timedelta(days=30)
"""For how long what was applied can be taken back."""
KEPT = timedelta(days=60)
"""For how long a plan is kept after its last change."""
SHOWN = "shown"
"""Under what name `done` has what is told once, as it is done, and never stored."""
_DIGITS = 16
_SEALED = ("project", "user", "what", "says", "why", "before", "done")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a plan would change, as it is now: in words, how much of what, and what stands for exactly that.

    `before` is what is needed to put it back.
    """

    says: str
    counts: Mapping[str, int]
    exactly: object
    before: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def digest(self) -> str:
        """Return what tells this from anything else that could be found."""
        return sha256(canonical(self.exactly)).hexdigest()[:_DIGITS]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A plan as it is stored.

    `what` is what its kind has to know to do it, `says` the same in words, `before` and `done` what to know to take it
    back. It is about the user and the project that it names, or else about all of the tenant's. `version` counts its
    states. `until` is when a plan that waits is carried out, and until when one that was applied can be taken back.
    """

    tenant: Tenant
    id: str = ""
    kind: PlanKind
    project: Project | None = None
    user: UserId | None = None
    what: Mapping[str, Any] = field(default_factory=dict[str, Any])
    says: str = ""
    why: str = ""
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    digest: str = ""
    before: Mapping[str, Any] = field(default_factory=dict[str, Any])
    done: Mapping[str, Any] = field(default_factory=dict[str, Any])
    state: PlanState = "planned"
    version: int = 1
    until: datetime | None = None
    blob: Digest | None = None

    @classmethod
    def of_item(cls, item: Attributes, told: Mapping[str, Any]) -> Plan:
        """Return the plan that an item holds, with what its content tells; CorruptData where it holds none."""
        where = Key.of(item)
        kind, state = text(item, "kind"), text(item, "state")
        if kind not in get_args(PlanKind) or state not in get_args(PlanState):
            raise CorruptData("a stored plan is none")
        return cls(
            tenant=tenant_of(where.pk),
            id=layout.plan_of(where.sk),
            kind=cast("PlanKind", kind),
            state=cast("PlanState", state),
            version=number(item, "version"),
            counts=json.loads(text(item, "counts")),
            digest=text(item, "digest"),
            until=moment(item, "until") if "until" in item else None,
            **{name: told[name] for name in _SEALED if name in told},
        )

    @property
    def key(self) -> Key:
        """Return where it is stored."""
        return Key(layout.plans_pk(self.tenant), layout.plan_sk(self.id))

    @property
    def made(self) -> datetime:
        """Return when it was made."""
        return moment_of(self.id)

    def session(self, session_id: SessionId = NO_SESSION) -> Session:
        """Return a session of the project that it is about; InvalidArgument where it is about all."""
        if self.project is None:
            raise InvalidArgument("project", "must be named")
        return Session(self.tenant, self.project, session_id)

    @property
    def unchanged(self) -> AllOf:
        """Return the condition that it is as it was read."""
        return AllOf((Equals("version", self.version), Equals("state", self.state)))

    @property
    def is_as_read(self) -> list[Check]:
        """Return what is checked with what the plan changes, so that a run does nothing once another has gone on."""
        return [Check(self.key, self.unchanged)]

    @property
    def is_of_whole_tenant(self) -> bool:
        """Tell whether it erases a tenant: then nothing of it is sealed, as it outlives the keys."""
        return self.kind == "erase" and self.user is None and self.project is None

    @property
    def words(self) -> str:
        """Return what it changes, in words; nothing where it is final and names nobody any more."""
        whole = self.is_of_whole_tenant and self.state != "final"
        return "erase all that the tenant has" if whole else self.says

    def can_be_undone(self, now: datetime) -> bool:
        """Tell whether it may be taken back still, or that was begun; of an import also what came of it so far."""
        in_time = self.until is None or now < self.until
        is_begun = self.state == "undoing" or (self.state == "applying" and self.kind == "import")
        return is_begun or (self.state in {"waiting", "applied"} and in_time)

    def erases(self, now: datetime, grace: timedelta) -> bool:
        """Tell whether all that it names is erased once it is applied now, and does not wait for its grace time."""
        if self.state == "waiting":
            return self.until is not None and self.until <= now
        at_once = self.state == "planned" and grace <= timedelta(0)
        return self.kind == "erase" and (at_once or self.state in {"applying", "final"})

    def content(self) -> dict[str, Any]:
        """Return what is sealed of it: names, words and what was there."""
        if self.is_of_whole_tenant:
            return {}
        done = {name: value for name, value in self.done.items() if name != SHOWN}
        return {**{name: getattr(self, name) for name in _SEALED}, "done": done}

    def attributes(self, now: datetime) -> dict[str, Scalar]:
        """Return what is stored of it in the clear; one that waits, or is under way after that, is listed as due."""
        times: dict[str, Scalar] = {}
        if self.until is not None:
            times = {"until": rfc3339(self.until)}
            if self.kind == "erase" and self.state in {"waiting", "applying"}:
                times |= {"ipk": layout.waiting_pk(), "isk": rfc3339(self.until)}
        if self.state not in {"waiting", "applying", "undoing"}:
            times["expires_at"] = int((now + KEPT).timestamp())
        return {
            "kind": self.kind,
            "state": self.state,
            "version": self.version,
            "counts": canonical(dict(self.counts)).decode(),
            "digest": self.digest,
            **times,
        }
