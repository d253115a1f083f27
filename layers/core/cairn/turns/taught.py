"""Take what the model that answered says it learnt into a turn, and tell what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cairn.facts.facts import Candidate, Fact, identity, normalise
from cairn.facts.lessons import Lesson, Refusal
from cairn.facts.weighing import Supported, weigh
from cairn.turns.learning import Learned


class Taught:
    """The lessons of one turn, weighed."""

    def __init__(self, lessons: Sequence[Lesson], said: Sequence[tuple[str, str]], own: Sequence[Fact]) -> None:
        """Weigh them by what the user said, (event id, text), and by all that the caller believes."""
        self._own = own
        self._weighed = weigh(lessons, said, own)
        supported = [each for each in self._weighed if isinstance(each, Supported)]
        self.claims: list[Candidate] = [each.claim for each in supported]
        self.endings: list[Candidate] = [each.ends for each in supported if each.ends is not None]

    def answered(self, learned: Learned) -> Learned:
        """Return the changes with what became of each lesson: a rule, or a later lesson, may have said otherwise."""
        seen = {*learned.here.seen, *learned.across.seen}
        held = {identity(fact): fact for fact in self._own if fact.id in seen}
        held.update((identity(fact), fact) for fact in learned.added)
        return replace(learned, lessons=tuple(self._outcome(each, held) for each in self._weighed))

    @staticmethod
    def _outcome(weighed: Supported | Refusal, held: dict[tuple[str, str], Fact]) -> str | Refusal:
        if isinstance(weighed, Refusal):
            return weighed
        fact = held.get(identity(weighed.claim))
        is_believed = fact is not None and normalise(fact.value) == normalise(weighed.claim.value)
        return fact.id if fact is not None and is_believed else Refusal.STATED_OTHERWISE
