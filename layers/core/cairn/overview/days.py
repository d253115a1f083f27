"""Count by days in UTC what changed in memory, and how much there is now: of a user, or of a project's newest logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import SessionId, UserId
from cairn.ground.ports import Clock
from cairn.log.layout import USER_OWNER
from cairn.overview.model import ChangeKind, Day, Days, Place, Totals
from cairn.overview.sessions import AT_ONCE, by_age
from cairn.overview.story import Story, refresh, told
from cairn.sessions.services import SessionServices

MOST_LOGS = 100
"""Of how many users, and sessions without one, a project's changes are counted: those with the newest entries."""
LONGEST = timedelta(seconds=5)
"""How long further logs are opened; a call has to end in its time."""
MOST_DAYS = 366
USUAL_DAYS = 90
_EPOCH = datetime.fromtimestamp(0, UTC).date()
_DAY = timedelta(days=1)


def days(services: SessionServices, where: Place, user: UserId | None, since: date | None, until: date | None) -> Days:
    """Return every day from one to another, by default the last 90 until today, and what there is in all.

    InvalidArgument where there are too many days or none, or where a user has to be named since the project has too
    many.
    """
    first, last = _range(since, until, services.adapters.clock.now().astimezone(UTC).date())
    owners, of_logs = _owners(services, where, user)
    counted = _Counted()
    for some in _in_time(services.adapters.clock, owners):
        refresh(services, where, some)
        for owner in some:
            with told(services, where, owner) as story:
                counted.add(story)
    return Days(tuple(counted.days(first, last)), counted.totals(), counted.logs, of_logs)


def _in_time(clock: Clock, owners: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield them some at a time, as long as there is time; a process that has read logs before reads them fast."""
    until = clock.now() + LONGEST
    for first in range(0, len(owners), AT_ONCE):
        if first and clock.now() > until:
            return
        yield owners[first : first + AT_ONCE]


def _range(since: date | None, until: date | None, today: date) -> tuple[date, date]:
    last = until or today
    # The calendar begins with a day 1.
    first = since or date.fromordinal(max(1, last.toordinal() - (USUAL_DAYS - 1)))
    if first > last:
        raise InvalidArgument("since", "must not be after until")
    if last - first >= MOST_DAYS * _DAY:
        raise InvalidArgument("since", f"must be at most {MOST_DAYS - 1} days before until")
    return first, last


def _owners(services: SessionServices, where: Place, user: UserId | None) -> tuple[Sequence[str], int]:
    """Return whose logs count, and how many there are."""
    if user is not None:
        return [f"{USER_OWNER}{user}"], 1
    aged = by_age(services, where)
    return [owner for _, owner in aged[:MOST_LOGS]], len(aged)


@dataclass(slots=True)
class _Counted:
    """What was counted of some logs."""

    changes: Counter[tuple[int, ChangeKind]] = field(default_factory=Counter[tuple[int, ChangeKind]])
    turns: Counter[int] = field(default_factory=Counter[int])
    sessions: set[SessionId] = field(default_factory=set[SessionId])
    logs: int = 0
    facts: int = 0
    memories: int = 0

    def add(self, story: Story) -> None:
        self.logs += 1
        story.count(self.changes)
        self.facts += story.facts()
        for each in story.logs:
            self.memories += each.log.memories
            # That across projects tells of no turns.
            self.turns.update(each.log.turns)
            self.sessions.update(each.view.sessions())

    def days(self, first: date, last: date) -> Iterator[Day]:
        for number in range((first - _EPOCH).days, (last - _EPOCH).days + 1):
            yield Day(
                day=_EPOCH + number * _DAY,
                learnt=self.changes[number, "learnt"],
                replaced=self.changes[number, "replaced"],
                forgotten=self.changes[number, "forgotten"],
                ended=self.changes[number, "ended"],
                kept=self.changes[number, "kept"],
                turns=self.turns[number],
            )

    def totals(self) -> Totals:
        return Totals(
            facts=self.facts,
            memories=self.memories,
            turns=self.turns.total(),
            conversations=len(self.sessions),
        )
