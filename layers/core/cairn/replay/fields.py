"""What replaying a receipt answers, as its tool gives it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field

from cairn.edge.explained import is_absent
from cairn.replay.model import Replayed, Since, What


class SinceLine(BaseModel):
    """Something that became since of what was answered, or that took something out of the project's memory."""

    what: Annotated[What, Field(description="How it ended.")]
    at: Annotated[datetime, Field(description="When.")]
    id: Annotated[str | None, Field(description="Of the fact or memory, or the turn; null for an erasure.")]
    by: Annotated[str | None, Field(description="What took its place.", exclude_if=is_absent)] = None
    project: Annotated[str | None, Field(description="Of an erasure: the project.", exclude_if=is_absent)] = None
    session_id: Annotated[str | None, Field(description="The session.", exclude_if=is_absent)] = None
    user_id: Annotated[str | None, Field(description="The user.", exclude_if=is_absent)] = None

    @classmethod
    def of(cls, since: Since) -> Self:
        """Return what is told of it."""
        about = since.about
        whose = {"project": about.project, "session_id": about.session_id, "user_id": about.user_id}
        return cls(what=since.what, at=since.at, id=since.id, by=since.by, **whose)


class ReplayAnswer(BaseModel):
    """What was asked, what was answered, and why."""

    call: Annotated[str, Field(description="The id of the call.")]
    tool: Annotated[str, Field(description="The tool that was called.")]
    at: Annotated[datetime, Field(description="When.")]
    project: Annotated[str | None, Field(description="In which project.")]
    session_id: Annotated[str | None, Field(description="In which session.")]
    user_id: Annotated[str | None, Field(description="For which user.")]
    asked: Annotated[
        dict[str, Any] | None,
        Field(description="The arguments; null where they were erased, have expired, or were too long."),
    ]
    answer: Annotated[dict[str, Any] | None, Field(description="The answer, of memory as it was then.")]
    explained: Annotated[dict[str, Any] | None, Field(description="The same with ranks and signals.")]
    identical: Annotated[
        bool | None, Field(description="The answer is bit for bit the one given then; null without a whole receipt.")
    ]
    proven: Annotated[
        bool, Field(description="Memory is read exactly as far as the call read it, and not by its time alone.")
    ]
    positions: Annotated[
        dict[str, str], Field(description="The newest entry of each log, and the turns, that are read.")
    ]
    versions: Annotated[dict[str, str], Field(description="Release, weights and embedding model that answered then.")]
    settings: Annotated[dict[str, Any], Field(description="The settings then that were not the usual ones.")]
    changed: Annotated[list[str], Field(description="Which of these versions and settings are others by now.")]
    since: Annotated[list[SinceLine], Field(description="What ended since, or was taken out of memory.")]

    @classmethod
    def of(cls, replayed: Replayed) -> Self:
        """Return what is told of a replay."""
        about = replayed.about
        return cls(
            call=replayed.call,
            tool=replayed.tool,
            at=replayed.at,
            project=about.project,
            session_id=about.session_id,
            user_id=about.user_id,
            asked=_plain(replayed.asked),
            answer=_plain(replayed.answer),
            explained=_plain(replayed.explained),
            identical=replayed.is_identical,
            proven=replayed.is_proven,
            # The tenant's own name is no news to it.
            positions={name.partition("#")[2]: position for name, position in replayed.positions.items() if position},
            versions=dict(replayed.versions),
            settings=dict(replayed.settings),
            changed=list(replayed.other_versions),
            since=[SinceLine.of(each) for each in replayed.since],
        )


def _plain(told: Any) -> dict[str, Any] | None:
    return None if told is None else dict(told)
