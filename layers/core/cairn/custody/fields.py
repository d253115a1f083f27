"""Fields of the tools by which an operator's long work is started and watched."""

from __future__ import annotations

import base64
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from cairn.custody.holdings import Holdings
from cairn.custody.scope import DataScope
from cairn.custody.task import Task, TaskKind, TaskState
from cairn.edge.fields import ProjectName, UserName
from cairn.ground.ids import Tenant

TaskId: TypeAlias = Annotated[str, Field(pattern=r"^[0-9A-HJKMNP-TV-Z]{26}$", description="The task's id.")]
When: TypeAlias = Annotated[datetime | None, Field(description="In UTC; null where that was not yet.")]


class ScopeInput(BaseModel):
    """Whose data: a tenant's, narrowed to a project, to a user, or to both. No header or key stands in for either."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    project: Annotated[ProjectName | None, Field(description="Only of this project.")] = None
    user_id: Annotated[UserName | None, Field(description="Only of this user.")] = None

    def scope(self, tenant: Tenant) -> DataScope:
        """Return whose data is meant, as the tenant's."""
        return DataScope(tenant, self.project, self.user_id)


class Surveyed(BaseModel):
    """What there is, as far as an export takes it and an erasure removes it."""

    sessions: Annotated[int, Field(description="Conversations; of a user those that are theirs alone.")]
    shared_sessions: Annotated[int, Field(description="Those in which the user spoke beside others.")]
    turns: Annotated[int, Field(description="Turns; of a user their own, in both.")]
    facts: Annotated[int, Field(description="Facts that were learnt, ended ones too.")]
    memories: Annotated[int, Field(description="What was kept with remember, forgotten too.")]
    archived: Annotated[int, Field(description="Archived conversations.")]
    files: Annotated[int, Field(description="Files that agents keep beside their conversations.")]
    values: Annotated[int, Field(description="Keys of key-value memory, which are of the whole tenant alone.")]
    items: Annotated[int, Field(description="Items of item logs.")]
    documents: Annotated[int, Field(description="Documents.")]
    log_items: Annotated[int, Field(description="Items of memory logs.")]
    blobs: Annotated[int, Field(description="Large texts and indexes.")]
    bytes: Annotated[int, Field(description="What all these items and blobs take.")]
    digest: Annotated[
        str, Field(description="Stands for whose data it is and the counts of what people have; to erase takes it.")
    ]

    @classmethod
    def of(cls, found: Holdings, scope: DataScope) -> Self:
        """Return what was counted."""
        return cls(**asdict(found), digest=found.digest(scope))


class StartTaskInput(ScopeInput):
    """What to do with whose data; or which task to start again."""

    kind: Annotated[TaskKind | None, Field(description="What to do; left out to start task_id again.")] = None
    digest: Annotated[
        str | None, Field(max_length=64, description="To erase: as memory_survey told it with what would go.")
    ] = None
    task_id: Annotated[
        TaskId | None, Field(description="A task that failed or was interrupted, to start again as it was.")
    ] = None


class TaskStarted(BaseModel):
    """The task."""

    task_id: Annotated[str, Field(description="By which memory_list_tasks tells of it.")]


class ListTasksInput(BaseModel):
    """Which page of tasks."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    cursor: Annotated[TaskId | None, Field(description="Go on here: the cursor of the answer before.")] = None
    limit: Annotated[int, Field(ge=1, le=100, description="The most to list.")] = 20


class TaskProgressLine(BaseModel):
    """How far a task is."""

    what: Annotated[str, Field(description="What is gone through.")]
    done: Annotated[int, Field(description="How much of it is done.")]
    of: Annotated[int | None, Field(description="Of how much, null where nobody knows.")]


class TaskLine(BaseModel):
    """A task."""

    task_id: Annotated[str, Field(description="Its id.")]
    kind: Annotated[TaskKind, Field(description="What it does.")]
    project: Annotated[str | None, Field(description="Of which project alone.")]
    user_id: Annotated[str | None, Field(description="Of which user alone.")]
    by: Annotated[str, Field(description="The id of the key that started it.")]
    state: Annotated[
        TaskState,
        Field(
            description="interrupted: the process that was at it ended, or told nothing for a minute. Like one that "
            "failed it can be started again."
        ),
    ]
    asked: Annotated[datetime, Field(description="When it was first started, in UTC.")]
    began: When
    ended: When
    progress: Annotated[
        TaskProgressLine | None, Field(description="How far it is or got; null before it began, and once it is done.")
    ]
    shown: Annotated[
        dict[str, int], Field(description="To erase: what there was when it was started, as memory_survey counts.")
    ]
    counts: Annotated[
        dict[str, int],
        Field(
            description="What came of its last run: what was exported or indexed; to erase, what that run removed, and "
            "as left what a recount found then."
        ),
    ]
    sha256: Annotated[str | None, Field(description="Of an export: the SHA-256 of the bundle.")]
    parts: Annotated[
        int, Field(description="In how many parts memory_get_export gives the bundle; 0 where it is gone.")
    ]
    kept_until: When
    error: Annotated[str | None, Field(description="The code of the error with which it ended.")]

    @classmethod
    def of(cls, task: Task, now: datetime) -> Self:
        """Return what is told of a task."""
        is_kept = task.has_bundle(now)
        progress = TaskProgressLine(what=task.what, done=task.done, of=task.of or None) if task.what else None
        return cls(
            task_id=task.id,
            kind=task.kind,
            project=task.scope.project,
            user_id=task.scope.user,
            by=task.by,
            state=task.state,
            asked=task.asked,
            began=task.began,
            ended=task.ended,
            progress=progress,
            shown=dict(task.shown),
            counts=dict(task.counts),
            sha256=task.sha256 or None,
            parts=task.parts if is_kept else 0,
            kept_until=task.kept_until if is_kept else None,
            error=task.error or None,
        )


class TaskList(BaseModel):
    """Tasks, the newest first."""

    tasks: Annotated[list[TaskLine], Field(description="The tasks.")]
    cursor: Annotated[str | None, Field(description="Where the list goes on, null at its end.")]

    @classmethod
    def of(cls, tasks: list[Task], limit: int, now: datetime) -> Self:
        """Return a page of tasks, of which one more than the limit tells that the list goes on."""
        page = tasks[:limit]
        return cls(tasks=[TaskLine.of(each, now) for each in page], cursor=page[-1].id if len(tasks) > limit else None)


class GetExportInput(BaseModel):
    """Which part of which bundle."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    task_id: TaskId
    part: Annotated[int, Field(ge=1, le=999_999, description="Which part of the bundle; the first is 1.")] = 1


class ExportPart(BaseModel):
    """A part of a bundle; all of them in their order, decoded, are the file that `cairn import` takes."""

    part: Annotated[int, Field(description="Which part.")]
    of: Annotated[int, Field(description="How many parts there are.")]
    bytes: Annotated[int, Field(description="How long the whole bundle is.")]
    sha256: Annotated[str, Field(description="The SHA-256 of the whole bundle.")]
    data: Annotated[str, Field(description="The part, in base64.")]

    @classmethod
    def of_task(cls, task: Task, part: int, data: bytes) -> Self:
        """Return a part of a task's bundle."""
        told = base64.b64encode(data).decode()
        return cls(part=part, of=task.parts, bytes=task.counts["bytes"], sha256=task.sha256, data=told)
