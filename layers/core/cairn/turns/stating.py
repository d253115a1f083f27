"""Turn what a user states into facts: each statement one of its own, or in the place of what it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from cairn.facts.facts import (
    SAID,
    Candidate,
    Fact,
    Outdated,
    digest,
    identity,
    is_said,
    normalise,
    outdated,
    retraction,
)
from cairn.facts.kinds import is_of_user
from cairn.facts.told import Asked, Request
from cairn.facts.values import tells_of_another
from cairn.ground.ports import Reader
from cairn.ground.tiers import Tier
from cairn.language.terms import terms
from cairn.statements.heads import likely
from cairn.statements.linking import OUTDATES, PERHAPS, SURE, Judge, Link, Saying, links
from cairn.statements.reading import CHANGES, LASTS, Statement, statements
from cairn.turns.telling import Words

Nearness = Callable[[Sequence[str]], Sequence[Mapping[str, float]]]
"""Returns the cosines of each text with each fact that is held, by id; of none where there are no vectors."""
_KEY_DIGITS = 8
_BY_WORDS = 0.5
"""How likely a change has to be where there are no vectors."""
_OF_PERSONS = frozenset({"identity", "attribute", "relation", "possession", "event"})
"""Kinds of statements that are of a project where they are not of a person."""
_FEW = 4
"""Up to how many words of content a correction says nothing without what it corrects."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What follows from statements: claims to merge, and the endings of facts that they outdate."""

    claims: list[Candidate] = field(default_factory=list[Candidate])
    endings: list[Candidate] = field(default_factory=list[Candidate])


def state(  # noqa: PLR0913, PLR0917 - a turn, what was found in it, what is believed, and two ways of reading
    words: Words,
    found: Sequence[Candidate],
    others: Sequence[Candidate],
    held: Sequence[Fact],
    nearness: Nearness,
    reader: Reader | None = None,
) -> tuple[Stated, tuple[Candidate, ...]]:
    """Return what a turn's words state beside what rules `found`, and that, with what it outdates.

    What memory is asked to do states nothing, nor what it is told is wrong. Out of the same words models may have read
    `others`. `held` is believed of this user. Without a `reader` sentences are read by their words alone.
    """
    said = statements(words.kept, reader)
    if not said:
        return Stated(), tuple(found)
    void = [normalise(each) for request in words.requests for each in _void(request)]
    said = [each for each in said if not any(sentence in normalise(each.unit.said) for sentence in void)]
    changing = [each.unit.said for each in said if _may_change(each)] if held else []
    cosines = dict(zip(changing, nearness(changing) if changing else (), strict=True))
    judge = None if reader is None else reader.judge
    stating = _Stating(found, others, sorted(held, key=lambda fact: (fact.recorded_at, fact.id)), cosines, judge)
    for each in said:
        stating.add(each)
    return stating.stated, tuple(stating.found)


def _void(request: Request) -> Iterator[str]:
    """Yield the sentences that state nothing: a request, and what it says is wrong."""
    yield request.sentence.said
    if request.asked is Asked.WRONG and request.before is not None:
        yield request.before.said


class _Change(NamedTuple):
    """A fact that a statement outdates, how likely it does, and how likely it has to be for that fact to end."""

    old: Fact
    likelihood: float
    enough: float

    @property
    def is_sure(self) -> bool:
        """Tell whether it no longer holds."""
        return self.likelihood >= self.enough

    @property
    def outdated(self) -> tuple[Outdated, ...]:
        """Return the sentences that are outdated with it."""
        return outdated(self.old, self.likelihood)


class _Stating:
    """Goes through the statements of a turn."""

    def __init__(
        self,
        found: Sequence[Candidate],
        others: Sequence[Candidate],
        held: Sequence[Fact],
        cosines: Mapping[str, Mapping[str, float]],
        judge: Judge | None,
    ) -> None:
        """Take the `cosines` of each text that may change something with each fact that is held, by its id."""
        self.stated = Stated()
        self.found = list(found)
        self._others = others
        self._held = list(held)
        self._cosines = cosines
        self._judge = judge

    def add(self, statement: Statement) -> None:
        """Take in one statement; one that hardly lasts only where it changes something."""
        changes = self._changes(statement) if _may_change(statement) else []
        ended = [each.old for each in changes if each.is_sure]
        if likely(statement.lasts) < LASTS and not ended:
            return
        self._held = [fact for fact in self._held if fact not in ended]
        read = [each for each in (*self.found, *self._others) if _is_of(each, statement)]
        if read:
            self._outdate([each for each in read if not each.retracts], changes)
        # What a rule read out of a sentence is all that it says of the user, not of others.
        if tells_of_another(statement.unit.said) if read else changes or not _only_corrects(statement):
            self.stated.claims.append(self._claim(statement, changes))

    def _changes(self, statement: Statement) -> list[_Change]:
        """Return what a statement changes of what is held: the likeliest, and what else it surely does."""
        text = statement.unit.said
        cosines = self._cosines.get(text, {})
        sayings = [Saying(fact.source.quote or fact.value, cosines.get(fact.id)) for fact in self._held]
        found = links(text, statement.lasts, statement.changes, sayings, self._judge)
        changes = [self._change(each, has_vectors=bool(cosines)) for each in found if each.likelihood >= PERHAPS]
        return [*changes[:1], *(each for each in changes[1:] if each.is_sure)]

    def _change(self, link: Link, *, has_vectors: bool) -> _Change:
        old = self._held[link.number]
        enough = OUTDATES if is_said(old) else SURE
        return _Change(old, link.likelihood, enough if has_vectors else _BY_WORDS)

    def _outdate(self, claims: Sequence[Candidate], changes: Sequence[_Change]) -> None:
        """Let what a rule read outdate other facts."""
        read = {identity(claim) for claim in claims}
        others = [each for each in changes if identity(each.old) not in read]
        if not claims or not others:
            return
        first = replace(claims[0], outdates=_outdated(others))
        self.found = [first if each is claims[0] else each for each in self.found]
        self.stated.endings.extend(retraction(each.old) for each in others if each.is_sure)

    def _claim(self, statement: Statement, changes: Sequence[_Change]) -> Candidate:
        """Return a statement as a claim, in the place of the first that it surely outdates and that is kept alike."""
        own = claim = replace(_claim(statement), outdates=_outdated(changes))
        for old in (each.old for each in changes if each.is_sure):
            takes = replace(own, fact_id=old.fact_id, key=old.key, tier=old.tier)
            if claim is own and is_of_user(takes) == is_of_user(old):
                claim = takes
            else:
                self.stated.endings.append(retraction(old))
        return claim


def _may_change(statement: Statement) -> bool:
    return likely(statement.changes) >= CHANGES


def _outdated(changes: Sequence[_Change]) -> tuple[Outdated, ...]:
    return tuple(sentence for each in changes for sentence in each.outdated)


def _claim(statement: Statement) -> Candidate:
    """Return a statement as a claim of its own."""
    said, kind = statement.unit.said, statement.kind
    if statement.of_project and kind in _OF_PERSONS:
        kind = "project"
    return Candidate(
        fact_id=f"{SAID}{kind}",
        key=digest(said)[:_KEY_DIGITS],
        value=said,
        confidence=round(likely(statement.lasts), 2),
        tier=Tier.L0,
        event_id=statement.event_id,
        quote=said,
    )


def _is_of(found: Candidate, statement: Statement) -> bool:
    """Tell whether something was read out of a statement, by a rule or a model."""
    return found.event_id == statement.event_id and normalise(found.quote) in normalise(statement.unit.said)


def _only_corrects(statement: Statement) -> bool:
    """Tell whether a statement says nothing without what it corrects: "Sorry, I meant Barnaby."."""
    return statement.corrects and len(set(terms(statement.unit.said))) <= _FEW
