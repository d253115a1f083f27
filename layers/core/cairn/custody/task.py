"""A task: long work of an operator that goes on in the background, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias, cast, get_args

from cairn.custody import layout
from cairn.custody.scope import DataScope
from cairn.ground.adapters import Holders
from cairn.ground.attributes import moment, number, text
from cairn.ground.codec import rfc3339
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Project, Tenant, UserId, moment_of
from cairn.ground.table import AllOf, Attributes, Equals, Key, Scalar, tenant_of

TaskKind: TypeAlias = Literal["export", "erase", "reindex"]
TaskState: TypeAlias = Literal["waiting", "running", "done", "failed", "interrupted"]

LIFETIME = timedelta(days=30)
"""How long a task is told of, from its last beginning or end on."""
BUNDLE_LIFETIME = timedelta(hours=24)
"""How long an exported bundle is kept, from the beginning of its export on."""
STALE = timedelta(seconds=60)
"""How long a task that runs may tell nothing before it is taken for interrupted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task as it is stored, but for `state`, in which one that nobody is at any more is interrupted.

    `by` is the credential of who started it, `run` how often it was begun, `holder` who is at it, or is to be. `seen`
    is when that one last told how far it is: `done` of `of` things, 0 where nobody knows, of what `what` names.
    `shown` is what there was when an erasure was started. `counts` and `sha256` are what came of it: the latter is of
    an export's bundle of so many `parts`, which are there until `kept_until`.
    """

    id: str
    kind: TaskKind
    scope: DataScope
    by: str
    state: TaskState = "waiting"
    stored_state: TaskState = "waiting"
    run: int = 0
    holder: str = ""
    seen: datetime
    began: datetime | None = None
    ended: datetime | None = None
    what: str = ""
    done: int = 0
    of: int = 0
    error: str = ""
    parts: int = 0
    kept_until: datetime | None = None
    shown: Mapping[str, int] = field(default_factory=dict[str, int])
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    sha256: str = ""

    @classmethod
    def of_item(cls, item: Attributes, told: Mapping[str, Any]) -> Task:
        """Return the task that an item holds, with what its content tells; CorruptData where it holds none."""
        where = Key.of(item)
        state = _one_of(TaskState, text(item, "state"))
        optional = {name: moment(item, name) for name in ("began", "ended", "kept_until") if name in item}
        return cls(
            id=layout.task_of(where.sk),
            kind=_one_of(TaskKind, text(item, "kind")),
            scope=DataScope(tenant_of(where.pk), *_scope(told)),
            by=str(told["by"]),
            state=state,
            stored_state=state,
            run=number(item, "run"),
            holder=text(item, "holder"),
            seen=moment(item, "seen"),
            what=text(item, "what", ""),
            done=number(item, "done", 0),
            of=number(item, "of", 0),
            error=text(item, "error", ""),
            parts=number(item, "parts", 0),
            shown=dict(told["shown"]),
            counts=dict(told["counts"]),
            sha256=str(told["sha256"]),
            **optional,
        )

    @property
    def tenant(self) -> Tenant:
        """Return whose task it is."""
        return self.scope.tenant

    @property
    def key(self) -> Key:
        """Return where it is stored."""
        return Key(layout.tasks_pk(self.tenant), layout.task_sk(self.id))

    @property
    def asked(self) -> datetime:
        """Return when it was first started."""
        return moment_of(self.id)

    @property
    def held(self) -> AllOf:
        """Return the condition that this run is the task's, and goes on."""
        return AllOf((Equals("run", self.run), Equals("state", "running")))

    @property
    def unchanged(self) -> AllOf:
        """Return the condition that the task is as it was read."""
        return AllOf((Equals("run", self.run), Equals("state", self.stored_state)))

    def content(self) -> dict[str, Any]:
        """Return what is sealed of it: names, and what came of it."""
        scope = self.scope
        named = {"project": scope.project, "user": scope.user, "by": self.by}
        return {**named, "shown": dict(self.shown), "counts": dict(self.counts), "sha256": self.sha256}

    def attributes(self) -> dict[str, Scalar]:
        """Return what is stored of it in the clear."""
        moments = {"began": self.began, "ended": self.ended, "kept_until": self.kept_until}
        return {
            "kind": self.kind,
            "state": self.state,
            "run": self.run,
            "holder": self.holder,
            "seen": rfc3339(self.seen),
            **{name: rfc3339(at) for name, at in moments.items() if at is not None},
            **self.progress(),
            "error": self.error,
            "parts": self.parts,
            "expires_at": int((self.seen + LIFETIME).timestamp()),
        }

    def progress(self) -> dict[str, Scalar]:
        """Return the attributes that say how far it is."""
        return {"what": self.what, "done": self.done, "of": self.of}

    def is_abandoned(self, now: datetime, holders: Holders) -> bool:
        """Tell whether nobody is at it any more who was, or was to be."""
        if self.stored_state not in {"waiting", "running"}:
            return False
        return holders.is_gone(self.holder) or (self.stored_state == "running" and now - self.seen > STALE)

    def has_bundle(self, now: datetime) -> bool:
        """Tell whether its bundle is there to be fetched."""
        return self.state == "done" and self.parts > 0 and self.kept_until is not None and now < self.kept_until


def _scope(told: Mapping[str, Any]) -> tuple[Project | None, UserId | None]:
    project, user = told["project"], told["user"]
    return None if project is None else Project(project), None if user is None else UserId(user)


def _one_of(names: Any, value: str) -> Any:
    if value not in get_args(names):
        raise CorruptData("a stored task is none")
    return cast("object", value)
