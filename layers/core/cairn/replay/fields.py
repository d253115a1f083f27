"""What replaying a receipt answers, as its tool gives it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field

from cairn.calls.receipts import Kept
from cairn.edge.explained import is_absent
from cairn.ground.ids import moment_of
from cairn.replay.model import Replayed, Since, What

_MOST_WORDS = 200
"""How many characters of a question are listed."""


class ReceiptLine(BaseModel):
    """A question to memory."""

    receipt: Annotated[
        str,
        Field(description="By which it is answered again; the call's id alone where the caller was given the rest."),
    ]
    call: Annotated[str, Field(description="The id of the call.")]
    at: Annotated[datetime, Field(description="When.")]
    tool: Annotated[str, Field(description="The tool that answered.")]
    turn_id: Annotated[str | None, Field(description="The turn for which it was asked, where that was told.")]
    user_id: Annotated[str | None, Field(description="The user for whom, likewise.")]
    words: Annotated[str, Field(description="What was asked, its first 200 characters; empty at a session's begin.")]

    @classmethod
    def of(cls, kept: Kept) -> Self:
        """Return what is told of it."""
        given = {**kept.asked.names, **kept.asked.arguments}
        return cls(
            receipt=kept.receipt.text(),
            call=kept.receipt.call,
            at=moment_of(kept.receipt.call),
            tool=kept.asked.tool,
            turn_id=given.get("turn_id") or None,
            user_id=given.get("user_id"),
            words=kept.asked.words[:_MOST_WORDS],
        )


class ReceiptList(BaseModel):
    """Questions to memory."""

    receipts: Annotated[list[ReceiptLine], Field(description="The newest first.")]
    cursor: Annotated[str | None, Field(description="Where the list goes on, null at its end.")]


class SinceLine(BaseModel):
    """Something that became since of what was answered, or that took something out of the project's memory."""

    what: Annotated[What, Field(description="How it ended.")]
    at: Annotated[datetime, Field(description="When.")]
    id: Annotated[
        str | None, Field(description="Of the fact or memory, or the turn; null for an erasure and a branch.")
    ]
    by: Annotated[str | None, Field(description="What took its place.", exclude_if=is_absent)] = None
    project: Annotated[str | None, Field(description="Of an erasure or a branch: it.", exclude_if=is_absent)] = None
    session_id: Annotated[str | None, Field(description="The session.", exclude_if=is_absent)] = None
    user_id: Annotated[str | None, Field(description="The user.", exclude_if=is_absent)] = None

    @classmethod
    def of(cls, since: Since) -> Self:
        """Return what is told of it."""
        about = since.about
        whose = {"project": about.project, "session_id": about.session_id, "user_id": about.user_id}
        return cls(what=since.what, at=since.at, id=since.id, by=since.by, **whose)


class Change(BaseModel):
    """A version or setting that is another by now."""

    then: Annotated[Any, Field(description="What it was.")]
    now: Annotated[Any, Field(description="What it is.")]


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
        Field(description="The arguments; null where they were erased, have expired, or nothing was asked."),
    ]
    cut: Annotated[bool, Field(description="They were too long, and what memory is searched for of them is kept.")]
    answer: Annotated[
        dict[str, Any] | None,
        Field(description="The answer, of memory as it was then; null without arguments, or without their branch."),
    ]
    explained: Annotated[dict[str, Any] | None, Field(description="The same with ranks and signals.")]
    identical: Annotated[
        bool | None,
        Field(description="The answer is bit for bit the one given then; null where nothing tells, or asked is cut."),
    ]
    proven: Annotated[
        bool, Field(description="Memory is read exactly as far as the call read it, and not by its time alone.")
    ]
    positions: Annotated[
        dict[str, str], Field(description="The newest entry of each log, and the turns, that are read.")
    ]
    versions: Annotated[dict[str, str], Field(description="Release, weights and embedding model that answered then.")]
    settings: Annotated[dict[str, Any], Field(description="The settings then that were not the usual ones.")]
    changed: Annotated[
        dict[str, Change], Field(description="Which of these versions and settings are others by now; null: none.")
    ]
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
            cut=replayed.is_cut,
            answer=_plain(replayed.answer),
            explained=_plain(replayed.explained),
            identical=replayed.is_identical,
            proven=replayed.is_proven,
            # The tenant's own name is no news to it.
            positions={name.partition("#")[2]: position for name, position in replayed.positions.items() if position},
            versions=dict(replayed.versions),
            settings=dict(replayed.settings),
            changed={name: Change(then=then, now=now) for name, (then, now) in replayed.changed.items()},
            since=[SinceLine.of(each) for each in replayed.since],
        )


def _plain(told: Any) -> dict[str, Any] | None:
    return None if told is None else dict(told)
