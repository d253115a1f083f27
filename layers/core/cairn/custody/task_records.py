"""The records of tasks: each is changed under a condition, so that of two runs of one task only one goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice

from cairn.custody import layout
from cairn.custody.task import BUNDLE_LIFETIME, Task
from cairn.ground.adapters import Adapters
from cairn.ground.attributes import number, text
from cairn.ground.codec import rfc3339
from cairn.ground.damage import sound
from cairn.ground.errors import ConditionFailed, Conflict, NotFound, ResourceBusy, TransactionRefused
from cairn.ground.ids import Tenant
from cairn.ground.paging import every
from cairn.ground.table import ABSENT, AllOf, Attributes, Delete, Equals, Key, Put, Query, Scalar, Update
from cairn.vault.vault import Vault


class TaskRecords:
    """Reads and changes the tasks of tenants."""

    def __init__(self, adapters: Adapters, vault: Vault) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._vault = vault

    def every(self, tenant: Tenant, before: str = "") -> Iterator[Task]:
        """Yield the tenant's tasks, or those before one, the newest first."""
        now = int(self._adapters.clock.now().timestamp())
        query = Query(layout.tasks_pk(tenant), *layout.tasks_until(before), descending=True)
        items = every(self._adapters.table, query)
        there = (each for each in items if number(each, "expires_at", 0) > now and each["sk"] != layout.task_sk(before))
        yield from sound(self._adapters, there, partial(self._task, tenant))

    def newest(self, tenant: Tenant, most: int, before: str = "") -> list[Task]:
        """Return so many of the tenant's tasks, or of those before one, the newest first."""
        return list(islice(self.every(tenant, before), most))

    def find(self, tenant: Tenant, task_id: str) -> Task | None:
        """Return a task, None where the tenant has no such."""
        item = self._adapters.table.get(Key(layout.tasks_pk(tenant), layout.task_sk(task_id)))
        if item is None or number(item, "expires_at") <= int(self._adapters.clock.now().timestamp()):
            return None
        return self._task(tenant, item)

    def get(self, tenant: Tenant, task_id: str) -> Task:
        """Return a task; NotFound where the tenant has no such."""
        task = self.find(tenant, task_id)
        if task is None:
            raise NotFound("There is no such task")
        return task

    def add(self, task: Task) -> None:
        """Store a new task, which waits."""
        self._adapters.table.put(Put({**self._place(task), **task.attributes(), **self._sealed(task)}, ABSENT))

    def again(self, task: Task) -> None:
        """Have a task wait that failed or was interrupted; Conflict where it is another by now."""
        waits = replace(task, state="waiting", holder=self._adapters.holder(), seen=self._adapters.clock.now())
        try:
            self._update(replace(waits, what="", done=0, of=0, error="", counts={}), task.unchanged, "ended")
        except ConditionFailed as changed:
            raise Conflict("The task was changed meanwhile; look again") from changed

    def claim(self, task: Task) -> Task | None:
        """Begin a run of a task that waits, and return it; None where that is not so, or another of the tenant runs."""
        where, now = Key(layout.tasks_pk(task.tenant), layout.RUNNING), self._adapters.clock.now()
        held = self._adapters.table.get(where)
        if held is not None and self._is_running(task.tenant, held):
            return None
        begun = replace(task, state="running", run=task.run + 1, holder=self._adapters.holder(), seen=now, began=now)
        begun = replace(begun, stored_state="running", kept_until=now + BUNDLE_LIFETIME)
        turn: dict[str, Scalar] = {"pk": where.pk, "sk": where.sk, "task": task.id, "run": begun.run}
        free = ABSENT if held is None else AllOf(tuple(Equals(name, held[name]) for name in ("task", "run")))
        try:
            self._adapters.table.transact([Put(turn, free), self._change(begun, task.unchanged)])
        except TransactionRefused:
            return None
        return begun

    def beat(self, task: Task) -> None:
        """Store how far a task's run is; ResourceBusy where it is not the task's run any more."""
        change = {**task.progress(), "seen": rfc3339(self._adapters.clock.now())}
        try:
            self._adapters.table.update(Update(task.key, set=change, condition=task.held))
        except ConditionFailed as lost:
            raise taken_over() from lost

    def end(self, task: Task) -> None:
        """Store how a task's run ended, and let another task of the tenant run; ResourceBusy as in beat()."""
        now = self._adapters.clock.now()
        ended = replace(task, seen=now, ended=now)
        turn = AllOf((Equals("task", task.id), Equals("run", task.run)))
        gives_up = Delete(Key(layout.tasks_pk(task.tenant), layout.RUNNING), turn)
        try:
            self._adapters.table.transact([self._change(ended, task.held), gives_up])
        except TransactionRefused as refused:
            raise taken_over() from refused

    def stop_export(self, task: Task) -> None:
        """Have an export that runs end at its next step, and one that is done have no bundle any more."""
        if task.kind != "export" or task.stored_state not in {"running", "done"}:
            return
        stopped = replace(task, state="interrupted" if task.stored_state == "running" else "done", parts=0)
        with suppress(ConditionFailed):
            self._update(stopped, task.unchanged)

    def _task(self, tenant: Tenant, item: Attributes) -> Task:
        task = Task.of_item(item, self._vault.unseal(tenant, item))
        is_abandoned = task.is_abandoned(self._adapters.clock.now(), self._adapters.holders())
        return replace(task, state="interrupted") if is_abandoned else task

    def _is_running(self, tenant: Tenant, held: Attributes) -> bool:
        task = self.find(tenant, text(held, "task"))
        return task is not None and task.state == "running" and task.run == number(held, "run")

    def _update(self, task: Task, condition: AllOf, *gone: str) -> None:
        self._adapters.table.update(self._change(task, condition, *gone))

    def _change(self, task: Task, condition: AllOf, *gone: str) -> Update:
        changed = {**task.attributes(), **self._sealed(task)}
        absent = tuple(name for name in ("data", "blob") if name not in changed)
        kept = {name: value for name, value in changed.items() if name not in gone}
        return Update(task.key, set=kept, remove=(*absent, *gone), condition=condition)

    def _place(self, task: Task) -> dict[str, Scalar]:
        return {"pk": task.key.pk, "sk": task.key.sk}

    def _sealed(self, task: Task) -> dict[str, Scalar]:
        return self._vault.seal(task.tenant, task.key, task.content())


def taken_over() -> ResourceBusy:
    """Return the error of a run that is its task's no more."""
    return ResourceBusy("The task was taken over by another run, or stopped", {"resource": "task"})
