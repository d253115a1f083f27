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
from cairn.statements.linking import OUTDATES, PERHAPS, SURE, Judge, Saying, link
from cairn.statements.reading import CHANGES, Statement, statements
from cairn.turns.telling import Words

Nearness = Callable[[str], Mapping[str, float]]
"""Returns the cosine of a text with each fact that is held, by id; of none where there are no vectors."""
_KEY_DIGITS = 8
_BY_WORDS = 0.7
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
    judge = None if reader is None else reader.judge
    stating = _Stating(found, others, sorted(held, key=lambda fact: (fact.recorded_at, fact.id)), nearness, judge)
    void = [normalise(each) for request in words.requests for each in _void(request)]
    for each in said:
        if not any(sentence in normalise(each.unit.said) for sentence in void):
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
        nearness: Nearness,
        judge: Judge | None,
    ) -> None:
        self.stated = Stated()
        self.found = list(found)
        self._others = others
        self._held = list(held)
        self._nearness = nearness
        self._judge = judge

    def add(self, statement: Statement) -> None:
        """Take in one statement."""
        read = [each for each in (*self.found, *self._others) if _is_of(each, statement)]
        change = self._change(statement) if likely(statement.changes) >= CHANGES else None
        if change and change.is_sure:
            self._held.remove(change.old)
        if read:
            self._outdate([each for each in read if not each.retracts], change)
        # What a rule read out of a sentence is all that it says of the user, not of others.
        if tells_of_another(statement.unit.said) if read else change or not _only_corrects(statement):
            self.stated.claims.append(self._claim(statement, change))

    def _change(self, statement: Statement) -> _Change | None:
        """Return what a statement changes of what is held, if anything."""
        text = statement.unit.said
        cosines: Mapping[str, float] = self._nearness(text) if self._held else {}
        sayings = [Saying(fact.source.quote or fact.value, cosines.get(fact.id)) for fact in self._held]
        linked = link(text, statement.lasts, statement.changes, sayings, self._judge)
        if linked is None or linked.likelihood < PERHAPS:
            return None
        old = self._held[linked.number]
        enough = OUTDATES if is_said(old) else SURE
        return _Change(old, linked.likelihood, enough if cosines else _BY_WORDS)

    def _outdate(self, claims: Sequence[Candidate], change: _Change | None) -> None:
        """Let what a rule read outdate another fact."""
        if change is None or not claims or any(identity(claim) == identity(change.old) for claim in claims):
            return
        self.found = [replace(each, outdates=change.outdated) if each is claims[0] else each for each in self.found]
        if change.is_sure:
            self.stated.endings.append(retraction(change.old))

    def _claim(self, statement: Statement, change: _Change | None) -> Candidate:
        """Return a statement as a claim, in the place of the fact that it surely outdates where both are kept alike."""
        claim = _claim(statement)
        if change is None:
            return claim
        old, claim = change.old, replace(claim, outdates=change.outdated)
        if not change.is_sure:
            return claim
        takes = replace(claim, fact_id=old.fact_id, key=old.key, tier=old.tier)
        if is_of_user(takes) == is_of_user(old):
            return takes
        self.stated.endings.append(retraction(old))
        return claim


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
