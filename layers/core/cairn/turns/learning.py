"""Decide what a turn changes in what is believed, in its project and across projects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cairn.facts.facts import (
    Candidate,
    Changes,
    Fact,
    Recording,
    State,
    heeded,
    identity,
    merge,
    normalise,
    outdated,
    outdating,
)
from cairn.facts.kinds import alone, is_of_user
from cairn.facts.lessons import Refusal


@dataclass(frozen=True, slots=True)
class Believed:
    """What a log says that is believed: by the session alone, and by all of them together."""

    own: Sequence[Fact] = ()
    everywhere: Sequence[Fact] = ()

    @property
    def elsewhere(self) -> list[Fact]:
        """Return what other sessions believe."""
        own = {fact.id for fact in self.own}
        return [fact for fact in self.everywhere if fact.id not in own]


@dataclass(frozen=True, slots=True)
class Learned:
    """The changes in the log of the project, and in that across projects; how many beliefs they end.

    `lessons` says of each lesson, in order, which fact is now believed, or why none is.
    """

    here: Changes
    across: Changes = field(default_factory=Changes)
    superseded: int = 0
    lessons: tuple[str | Refusal, ...] = ()

    @property
    def added(self) -> tuple[Fact, ...]:
        """Return the new facts."""
        return (*self.here.added, *self.across.added)


def learned_here(
    believed: Believed, proposed: Sequence[Candidate], found: Sequence[Candidate], recording: Recording
) -> Learned:
    """Return what changes where all that is said stays in the project."""
    changes = _merged(believed, proposed, found, recording)
    return Learned(changes, superseded=_ended(believed, changes, changes))


def learned(
    believed: Believed,
    across: Believed,
    proposed: Sequence[Candidate],
    found: Sequence[Candidate],
    recording: Recording,
) -> Learned:
    """Return what changes where statements that hold of the user everywhere go across projects.

    A project may hold such facts from before: what ends one ends it there, and in every project.
    """
    held = [fact for fact in believed.everywhere if is_of_user(fact)]
    there = _merged(across, _of_user(proposed), _of_user(found), recording, held)
    added = {identity(fact): fact for fact in there.added}
    here = _merged(believed, _of_project(proposed), _of_project(found), recording)
    moved = [fact for fact in believed.own if is_of_user(fact) and identity(fact) in added]
    over = (
        replace(fact, state=State.SUPERSEDED, valid_to=recording.now, superseded_by=added[identity(fact)].id)
        for fact in moved
    )
    here = replace(here, superseded=(*here.superseded, *over))
    everywhere = Changes(added=(*here.added, *there.added))
    superseded = _ended(believed, here, everywhere) + _ended(across, there, there)
    ended = [fact for fact in here.deleted if is_of_user(fact) and identity(fact) not in added]
    return Learned(here, replace(there, deleted=(*there.deleted, *ended)), superseded)


def _merged(
    believed: Believed,
    proposed: Sequence[Candidate],
    found: Sequence[Candidate],
    recording: Recording,
    besides: Sequence[Fact] = (),
) -> Changes:
    """Merge statements into beliefs. What a rule finds goes after what a model proposes, and so wins.

    What takes the place of a pinned belief, here or `besides`, is pinned as well, whichever session it was of.
    A retraction found by rule is recorded against other sessions' beliefs too, but where the turn also says what holds
    instead. A new value only outdates those: a view that shows several sessions takes the latest. So nothing is heard
    about what any of them believes on a higher word.
    """
    held = [*believed.own, *believed.everywhere, *besides]
    proposed, found = (heeded(said, held, recording.trust) for said in (proposed, found))
    changes, elsewhere = merge(believed.own, [*proposed, *found], recording), believed.elsewhere
    # Most turns teach nothing, and need not go through all that is believed.
    pins = {identity(fact): fact.pinned for fact in (*besides, *believed.everywhere)} if changes.added else {}
    added = (_outdating(fact, elsewhere) for fact in changes.added)
    added = (recording.pinning(fact, pinned=pins.get(identity(fact), fact.pinned)) for fact in added)
    changes = replace(changes, added=tuple(added))
    claimed = {identity(fact) for fact in changes.added}
    retractions = [candidate for candidate in found if candidate.retracts and identity(candidate) not in claimed]
    ended = merge(elsewhere, retractions, recording).deleted
    return replace(changes, deleted=(*changes.deleted, *ended))


def _outdating(fact: Fact, elsewhere: Sequence[Fact]) -> Fact:
    """Return a new fact that outdates what other sessions heard of the same."""
    olds = (
        old for old in elsewhere if identity(old) == identity(fact) and normalise(old.value) != normalise(fact.value)
    )
    return outdating(fact, (each for old in olds for each in outdated(old)))


def _ended(believed: Believed, changes: Changes, added: Changes) -> int:
    """Return how many beliefs these changes end, or outdate by what is added."""
    values = {identity(fact): fact.value for fact in added.added}
    outdated = [fact for fact in believed.elsewhere if values.get(identity(fact), fact.value) != fact.value]
    return len(changes.superseded) + len(changes.deleted) + len(outdated)


def _of_user(candidates: Sequence[Candidate]) -> list[Candidate]:
    return [alone(candidate) for candidate in candidates if is_of_user(candidate)]


def _of_project(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return what is said of the project alone, and what ends facts that it holds from before."""
    return [candidate for candidate in candidates if candidate.retracts or not is_of_user(candidate)]
