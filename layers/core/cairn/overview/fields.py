"""The fields of the tools that list: what they accept and give, agents read in the schema."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from cairn.edge.explained import is_absent
from cairn.edge.fields import NamedInput, ProjectName, TrustTold, UserName
from cairn.facts.facts import subject
from cairn.ground.ids import Tenant
from cairn.log.memories import MemoryType
from cairn.overview.model import (
    BelievedFact,
    Change,
    ChangeKind,
    Day,
    KeptMemory,
    ListedSession,
    ListedUser,
    Place,
    StoredItem,
    Totals,
)

Cursor = Annotated[str, Field(max_length=256, description="Go on here: the cursor of the answer before.")]
Most = Annotated[int, Field(ge=1, le=100, description="The most to list.")]
Next = Annotated[str | None, Field(description="Where the list goes on, null at its end.")]
When = Annotated[datetime, Field(description="In UTC.")]


def _day(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise ValueError("must be a day, such as 2026-03-01") from None


DayInput: TypeAlias = Annotated[date, BeforeValidator(_day), WithJsonSchema({"type": "string", "format": "date"})]
"""A day of the calendar."""


class ListInput(NamedInput):
    """What every list takes."""

    cursor: Cursor = ""
    limit: Most = 20


class ProjectInput(NamedInput):
    """What is listed of a project takes."""

    project: ProjectName

    def place(self, tenant: Tenant) -> Place:
        """Return the project as the tenant's."""
        return Place(tenant, self.project)


class OfProjectInput(ProjectInput):
    """What a list of a project takes."""

    cursor: Cursor = ""
    limit: Most = 20


class OfUserInput(ProjectInput):
    """What a list takes of which a user may be named."""

    user_id: UserName | None = None


class Projects(BaseModel):
    """Projects."""

    projects: Annotated[list[str], Field(description="Their names, in order.")]
    cursor: Next


class UserLine(BaseModel):
    """A user."""

    user_id: Annotated[str, Field(description="Who.")]
    newest: Annotated[datetime, Field(description="When something was last stored in their memory, in UTC.")]

    @classmethod
    def of(cls, user: ListedUser) -> UserLine:
        """Return what is told of a user."""
        return cls(user_id=user.user_id, newest=user.newest)


class Users(BaseModel):
    """Users of a project."""

    users: Annotated[list[UserLine], Field(description="In the order of their names.")]
    cursor: Next


class SessionLine(BaseModel):
    """A conversation."""

    session_id: Annotated[str, Field(description="Its id.")]
    users: Annotated[list[str], Field(description="Who spoke in it; nobody where no user was named.")]
    begun: Annotated[datetime, Field(description="When its first turn was stored, in UTC.")]
    newest: Annotated[datetime, Field(description="When its newest turn was, in UTC.")]
    turns: Annotated[int, Field(description="How many turns it has; of a list for a user, how many are theirs.")]
    opening: Annotated[str, Field(description="How it began, up to 80 characters.")]

    @classmethod
    def of(cls, listed: ListedSession) -> SessionLine:
        """Return what is told of a conversation."""
        return cls(
            session_id=listed.session_id,
            users=list(listed.users),
            begun=listed.begun,
            newest=listed.newest,
            turns=listed.turns,
            opening=listed.opening,
        )


class Sessions(BaseModel):
    """Conversations."""

    sessions: Annotated[list[SessionLine], Field(description="The newest first.")]
    cursor: Next


class ItemLine(BaseModel):
    """An item of a conversation."""

    id: Annotated[str, Field(description="Its id.")]
    turn: Annotated[int, Field(description="The number of its turn.")]
    turn_id: Annotated[str, Field(description="The id of its turn.")]
    user_id: Annotated[str | None, Field(description="Who spoke.")]
    at: Annotated[datetime, Field(description="When it was stored, in UTC.")]
    item: Annotated[dict[str, Any], Field(description="The item as it was sent.")]

    @classmethod
    def of(cls, stored: StoredItem) -> ItemLine:
        """Return what is told of an item."""
        return cls(
            id=stored.id,
            turn=stored.turn,
            turn_id=stored.turn_id,
            user_id=stored.user_id,
            at=stored.at,
            item=dict(stored.item),
        )


class ItemList(BaseModel):
    """Items of a conversation."""

    items: Annotated[list[ItemLine], Field(description="In the order in which they were said.")]
    cursor: Annotated[int | None, Field(description="Where the list goes on, null at its end.")]
    told: Annotated[
        dict[str, list[str]] | None,
        Field(
            description="With told: by turn, the facts and events that memory told the agent through its hooks.",
            exclude_if=is_absent,
        ),
    ] = None


class KnownFact(BaseModel):
    """A fact that is believed."""

    id: Annotated[str, Field(description="Forget it by this id.")]
    about: Annotated[str, Field(description="What it is about.")]
    value: Annotated[str, Field(description="What is believed.")]
    since: Annotated[datetime, Field(description="Since when, in UTC.")]
    last_said: Annotated[
        datetime, Field(description="When it was last noted, in UTC; said again, what holds everywhere need not be.")
    ]
    session_id: Annotated[str, Field(description="The conversation that taught it, empty if of another project.")]
    turn_id: Annotated[str, Field(description="The turn that did, empty where a person corrected it since.")]
    quote: Annotated[str, Field(description="What was said there, or the correction.")]
    confidence: Annotated[float, Field(description="How sure it is.")]
    everywhere: Annotated[bool, Field(description="It holds in all projects of the user.")]
    pinned: Annotated[bool, Field(description="It stands in every context of the user.")]
    trust: TrustTold

    @classmethod
    def of(cls, believed: BelievedFact) -> KnownFact:
        """Return what is told of a fact."""
        fact = believed.fact
        return cls(
            id=fact.id,
            about=subject(fact),
            value=fact.value,
            since=fact.valid_from,
            last_said=fact.last_seen,
            session_id=believed.session_id,
            turn_id=fact.source.turn_id,
            quote=fact.source.quote,
            confidence=fact.confidence,
            everywhere=believed.everywhere,
            pinned=fact.pinned,
            trust=fact.trust.told,
        )


class KnownMemory(BaseModel):
    """A memory that an agent kept."""

    id: Annotated[str, Field(description="Forget it by this id.")]
    type: Annotated[MemoryType, Field(description="What kind of thing it is.")]
    content: Annotated[str, Field(description="What it says.")]
    since: Annotated[datetime, Field(description="When it was kept, in UTC.")]
    session_id: Annotated[
        str, Field(description="The conversation in which it was, empty if of another project or none.")
    ]
    confidence: Annotated[float, Field(description="How sure whoever kept it was.")]
    everywhere: Annotated[bool, Field(description="It is kept for all projects of the user.")]
    trust: TrustTold

    @classmethod
    def of(cls, kept: KeptMemory) -> KnownMemory:
        """Return what is told of a memory."""
        memory = kept.memory
        return cls(
            id=memory.id,
            type=memory.type,
            content=memory.content,
            since=memory.recorded_at,
            session_id=kept.session_id,
            confidence=memory.confidence,
            everywhere=kept.everywhere,
            trust=memory.trust.told,
        )


class KnownOfUser(BaseModel):
    """What is known of a user."""

    facts: Annotated[list[KnownFact], Field(description="What is believed now, the latest first.")]
    memories: Annotated[list[KnownMemory], Field(description="What was kept for them, the latest first.")]
    more: Annotated[int, Field(description="How many more there are.")]


class ChangeLine(BaseModel):
    """A change of what is known of a user."""

    at: Annotated[datetime, Field(description="When, in UTC.")]
    kind: Annotated[
        ChangeKind,
        Field(
            description="learnt, or replaced where another value was believed; forgotten by request; ended by what was "
            "said since or by age; kept by remember."
        ),
    ]
    id: Annotated[str, Field(description="The id of the fact or memory.")]
    about: Annotated[str, Field(description="What the fact is about, or what kind of memory it is.")]
    value: Annotated[str, Field(description="What it says.")]
    was: Annotated[str | None, Field(description="The value that it replaced, null where it replaced none.")]
    quote: Annotated[str, Field(description="What was said that taught it, or why it was kept.")]
    session_id: Annotated[
        str, Field(description="The conversation that made the change, empty if of another project or none.")
    ]
    turn_id: Annotated[str, Field(description="The turn that taught it, empty if none did or the change is its end.")]
    by: Annotated[str | None, Field(description="The id of what has taken its place since, null where nothing has.")]
    reason: Annotated[str | None, Field(description="Why it was forgotten, or holds again, where that was said.")]
    everywhere: Annotated[bool, Field(description="It is of what holds in all projects of the user.")]
    believed: Annotated[bool, Field(description="It is what is believed or kept now.")]

    @classmethod
    def of(cls, change: Change) -> ChangeLine:
        """Return what is told of a change."""
        return cls(
            at=change.at,
            kind=change.kind,
            id=change.id,
            about=change.about,
            value=change.value,
            was=change.was,
            quote=change.quote,
            session_id=change.session_id,
            turn_id=change.turn_id,
            by=change.by,
            reason=change.reason,
            everywhere=change.everywhere,
            believed=change.believed,
        )


class ChangeList(BaseModel):
    """Changes of what is known of a user."""

    changes: Annotated[list[ChangeLine], Field(description="The newest first.")]
    cursor: Next


class DayLine(BaseModel):
    """How much changed on a day."""

    day: Annotated[date, Field(description="The day, in UTC.")]
    learnt: Annotated[int, Field(description="How many facts were learnt.")]
    replaced: Annotated[int, Field(description="How many took the place of another value.")]
    forgotten: Annotated[int, Field(description="How many facts and memories were forgotten by request.")]
    ended: Annotated[int, Field(description="How many were ended by what was said since, or by age.")]
    kept: Annotated[int, Field(description="How many memories were kept.")]
    turns: Annotated[int, Field(description="How many turns were stored.")]

    @classmethod
    def of(cls, day: Day) -> DayLine:
        """Return what is told of a day."""
        return cls(
            day=day.day,
            learnt=day.learnt,
            replaced=day.replaced,
            forgotten=day.forgotten,
            ended=day.ended,
            kept=day.kept,
            turns=day.turns,
        )


class TotalLine(BaseModel):
    """How much there is."""

    facts: Annotated[int, Field(description="How many facts are believed.")]
    memories: Annotated[int, Field(description="How many memories are kept.")]
    turns: Annotated[int, Field(description="How many turns are stored.")]
    conversations: Annotated[int, Field(description="How many conversations they are of.")]

    @classmethod
    def of(cls, totals: Totals) -> TotalLine:
        """Return what is told of what there is."""
        return cls(facts=totals.facts, memories=totals.memories, turns=totals.turns, conversations=totals.conversations)


class ChangesByDay(BaseModel):
    """How much changed on each day, and how much there is."""

    days: Annotated[list[DayLine], Field(description="Every day, the first one first.")]
    now: Annotated[TotalLine, Field(description="What there is now.")]
    logs: Annotated[
        int,
        Field(
            description="Of how many logs this tells, those that were written to last: each user has one, each "
            "conversation of no user, and the project."
        ),
    ]
    of_logs: Annotated[int, Field(description="How many logs there are, of the user or of the project.")]


Order = Annotated[Literal["oldest", "newest"], Field(description="Begin with the oldest, or go back from the newest.")]
