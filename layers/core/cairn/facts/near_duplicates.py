"""Find facts that say the same in other words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from cairn.facts.facts import Fact, State, normalise
from cairn.ground.trust import Trust
from cairn.language.terms import terms, words

# No negations and no prepositions, which change what is said.
_FILLERS = frozenset({"a", "an", "the", "my", "some", "really", "very", "just", "so", "please"})


def merged(facts: Sequence[Fact], now: datetime) -> tuple[Fact, ...]:
    """Return the facts to end, each superseded by the newest that differs only in form.

    That is of the same kind, tier and trust. One that is pinned goes before newer ones, and one that is apart stays.
    Form is case, inflection, punctuation and filler words. "Tea with no sugar" and "tea with sugar" are not alike, nor
    "Paris to Rome" and "Rome to Paris".
    """
    newest: dict[tuple[str, str, Trust, tuple[str, ...]], Fact] = {}
    ended: list[Fact] = []
    for fact in sorted(facts, key=lambda fact: (fact.pinned, fact.recorded_at, fact.id)):
        stems = _stems(fact.value)
        if not stems or fact.apart:
            continue
        alike = (normalise(fact.fact_id), fact.tier.value, fact.trust, stems)
        older = newest.get(alike)
        if older is not None:
            ended.append(replace(older, state=State.SUPERSEDED, valid_to=now, superseded_by=fact.id))
        newest[alike] = fact
    return tuple(ended)


def _stems(value: str) -> tuple[str, ...]:
    telling = (word for word in words(value) if word not in _FILLERS)
    return tuple(stem for word in telling for stem in terms(word) or [word])
