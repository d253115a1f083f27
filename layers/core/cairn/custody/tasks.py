"""Tasks of operators: export, erase and reindex, which go on in the background of a process and outlive a page.

A task is a record and a job. The job's run holds the record under conditions, so that a run that was taken for dead
can do no harm; whatever was done before it is done again, as each of these commands may be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Protocol

from cairn.custody.bundle_zip import ATTEMPTS, write_bundle
from cairn.custody.bundles import Bundles
from cairn.custody.erase_user import EraseUser
from cairn.custody.holdings import Holdings, count
from cairn.custody.kept_bundles import KeptBundles, PartStream
from cairn.custody.scope import DataScope, parts_of
from cairn.custody.task import Task, TaskKind
from cairn.custody.task_progress import EVERY, TaskProgress
from cairn.custody.task_records import TaskRecords
from cairn.ground.codec import rfc3339
from cairn.ground.errors import (
    CairnError,
    Conflict,
    InternalError,
    InvalidArgument,
    ResourceBusy,
    StoreError,
    Unavailable,
)
from cairn.ground.ids import Tenant, time_ordered_id
from cairn.ground.jobs import RunTask
from cairn.ground.session import Subject
from cairn.recall.indexing import Indexed, reindex
from cairn.sessions.services import SessionServices

if TYPE_CHECKING:
    from cairn.calls.journal import Journal
    from cairn.ground.ports import Inventory
    from cairn.plans.planning import Plans

_RANDOM_BYTES = 10


class TaskServices(SessionServices, Protocol):
    """The services that tasks ask for."""

    @property
    def journal(self) -> Journal:
        """Return what puts on record what is done."""
        ...

    @property
    def inventory(self) -> Inventory:
        """Return the way to all that a tenant has."""
        ...

    @property
    def plans(self) -> Plans:
        """Return what has erasures wait."""
        ...


@dataclass(slots=True)
class _Run:
    """One run of a task, and what has come of it."""

    progress: TaskProgress
    counts: Mapping[str, int]
    sha256: str = ""
    parts: int = 0

    @property
    def task(self) -> Task:
        return replace(self.progress.task, counts=self.counts, sha256=self.sha256, parts=self.parts)


class Tasks:
    """Starts tasks, runs them and tells of them."""

    def __init__(self, services: TaskServices) -> None:
        """Hold no state of its own."""
        self._services = services
        self._adapters = services.adapters
        self.records = TaskRecords(services.adapters, services.vault)
        self.bundles = KeptBundles(services.adapters, services.vault)
        self._work: Mapping[TaskKind, Callable[[_Run], None]] = {
            "export": self._export,
            "erase": self._erase,
            "reindex": self._reindex,
        }

    def start(self, kind: TaskKind, scope: DataScope, by: str, digest: str | None = None) -> str:
        """Have a task done as soon as no other of the tenant is, and return its id.

        To erase takes a user, and the digest of what there is of them: InvalidArgument without, Conflict where it is
        another by now.
        """
        shown = asdict(self._shown(scope, digest)) if kind == "erase" else {}
        now = self._adapters.clock.now()
        name = time_ordered_id(now, self._adapters.entropy.token(_RANDOM_BYTES))
        holder = self._adapters.holder()
        self.records.add(Task(id=name, kind=kind, scope=scope, by=by, holder=holder, seen=now, shown=shown))
        self._adapters.jobs.send([RunTask(scope.tenant, name)])
        return name

    def start_again(self, tenant: Tenant, task_id: str) -> str:
        """Have a task done again that failed or was interrupted; Conflict for another, NotFound where there is none."""
        task = self.records.get(tenant, task_id)
        if task.state not in {"failed", "interrupted"}:
            raise Conflict(f"The task is {task.state}: only one that failed or was interrupted is started again")
        self.records.again(task)
        self._adapters.jobs.send([RunTask(tenant, task_id)])
        return task_id

    def run(self, tenant: Tenant, task_id: str) -> Mapping[str, int]:
        """Do a task that waits, once no other of the tenant runs, and return what came of it; else do nothing."""
        while (task := self.records.find(tenant, task_id)) is not None and task.state == "waiting":
            begun = self.records.claim(task)
            if begun is not None:
                return self._run(begun)
            if self._adapters.is_ending():
                break
            self._adapters.clock.sleep(EVERY.total_seconds())
        return {}

    def _run(self, task: Task) -> Mapping[str, int]:
        run = _Run(TaskProgress(self._adapters, self.records, task), {})
        outcome = InternalError.code
        about = Subject(project=task.scope.project, user_id=task.scope.user)
        try:
            with self._services.journal.command(task.tenant, self._named(task), about, by=task.by):
                self._work[task.kind](run)
            outcome = ""
        except CairnError as error:
            outcome = error.code
            raise
        finally:
            if outcome:
                self._fail(run, outcome)
        self.records.end(replace(run.task, state="done", what="", done=0, of=0))
        return run.counts

    def _named(self, task: Task) -> str:
        """Return what a task is on record as: an erasure that waits is none yet."""
        return f"task {task.kind}{' --grace' if task.kind == 'erase' and self._grace(task.tenant) else ''}"

    def _grace(self, tenant: Tenant) -> timedelta:
        return timedelta(days=self._services.settings.memory_for(tenant).erasure_grace_days)

    def _fail(self, run: _Run, code: str) -> None:
        """Record that a run failed, as far as that can be; whatever it kept of a bundle goes."""
        state = "interrupted" if run.progress.was_stopped else "failed"
        with suppress(CairnError, StoreError):
            self.bundles.remove(run.task.tenant, run.task.id, run.task.run)
            self.records.end(replace(run.task, state=state, error=code, parts=0))

    def _shown(self, scope: DataScope, digest: str | None) -> Holdings:
        """Return what there is of a user, if that is what the digest stands for."""
        if scope.user is None:
            raise InvalidArgument("user_id", "is required to erase: `cairn erase --tenant` erases a whole tenant")
        if digest is None:
            raise InvalidArgument("digest", "is required to erase: memory_survey tells it with what would go")
        found = count(self._services, self._services.inventory, scope)
        if digest != found.digest(scope):
            raise Conflict("This is not what there is of the user any more; look at it again and erase that")
        return found

    def _export(self, run: _Run) -> None:
        """Keep a bundle, begun anew where too much changed meanwhile."""
        for left in reversed(range(ATTEMPTS)):
            self.bundles.remove(run.task.tenant, run.task.id)
            try:
                self._bundle(run)
            except Unavailable:
                if not left or run.progress.was_stopped:
                    raise
            else:
                return

    def _bundle(self, run: _Run) -> None:
        task, progress = run.task, run.progress
        bundles = Bundles(self._adapters, self._services.inventory, self._services.vault)
        stream = PartStream(partial(self.bundles.keep, task))
        records = progress.each(bundles.export(task.scope, progress.told))
        items = write_bundle(stream, task.scope, records, rfc3339(self._adapters.clock.now()))
        stream.finish()
        run.counts, run.sha256, run.parts = {"items": items, "bytes": stream.size}, stream.sha256, stream.parts

    def _erase(self, run: _Run) -> None:
        """Erase a user, or have that wait for its grace time; ResourceBusy where a recount found something left."""
        progress, scope = run.progress, run.task.scope
        if grace := self._grace(scope.tenant):
            from cairn.custody.planned_erasure import plan_to_erase  # noqa: PLC0415 - it knows the services of tasks

            self._services.plans.make(plan_to_erase(scope)).at_once(grace)
            run.counts = {"waiting": 1}
            return
        erase = EraseUser(self._services, self._services.inventory, progress.told, progress.pause)
        done = erase.run(scope)
        run.counts = asdict(done)
        if done.left:
            raise ResourceBusy(f"{done.left} items are left: something wrote meanwhile. Start the task again")

    def _reindex(self, run: _Run) -> None:
        scope, told = run.task.scope, run.progress.told
        wanted = partial(_is_of, scope)
        done = list(reindex(self._services.indexer, self._services.inventory, scope.tenant, wanted=wanted, told=told))
        total = sum(done, Indexed())
        run.counts = {"logs": len(done), "entries": total.entries, "bytes": total.bytes}


def _is_of(scope: DataScope, pk: str) -> bool:
    """Tell whether a log is one of the scope, or of its user, in the project if one is named."""
    return scope.has_log(pk) if scope.user is not None else scope.project in {None, parts_of(pk)[1]}
