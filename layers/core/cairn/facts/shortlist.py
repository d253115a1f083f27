"""Choose the facts to place before a model: those that bear on the query, best first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from heapq import heappush, heappushpop

from cairn.facts.facts import SAID, Fact
from cairn.facts.kinds import FACT_KINDS
from cairn.ground.tiers import Tier

_TIER_ORDER = {Tier.L0: 2, Tier.L2: 1, Tier.L1: 0}
_INTRODUCING = {name: place for place, (name, kind) in enumerate(FACT_KINDS.items()) if kind.introduces}
# What a note or a profile's field says is about a matter, and only who asks about that matter needs it.
_OF_A_MATTER = {"user_note", "user_profile"} | {
    name for name, kind in FACT_KINDS.items() if name.startswith(SAID) and not kind.introduces
}
# Enough to greet somebody; every one is placed at each turn without an answer, and costs tokens there.
MOST_INTRODUCING = 5
# A fact on its last day still beats one that answers the query less by a fifth: fading breaks near ties, no more.
_STALEST = 0.8


def rank(facts: Iterable[Fact], worth: Mapping[str, float], now: datetime, limit: int) -> tuple[Fact, ...]:
    """Return up to `limit` live facts that are worth something, the best first, in whatever order they came.

    `worth` is by id: how likely each answers. A fact near the end of its life counts down to 0.8 of that; confidence,
    tier (L0, L2, L1) and recency break ties. If nothing is relevant, up to five durable facts say whom the agent talks
    with.
    """
    live = [fact for fact in facts if fact.is_live(now)]
    scored = ((worth.get(fact.id, 0.0) * _freshness(fact, now), fact) for fact in live)
    relevant = [(score, *_standing(fact), fact) for score, fact in scored if score > 0]
    if not relevant:
        return _introduction(live, limit)
    relevant.sort(key=lambda entry: entry[:-1], reverse=True)
    return tuple(entry[-1] for entry in relevant[:limit])


class Shortlist:
    """Tells, for facts that come in the order of falling worth, when `rank` can place no further one."""

    def __init__(self, now: datetime, limit: int) -> None:
        """Start with none of so many."""
        self._now = now
        self._limit = limit
        self._best: list[float] = []

    def is_closed_to(self, worth: float) -> bool:
        """Tell whether as many as are placed are worth more than any fact of this worth, be it as fresh as can be."""
        return len(self._best) >= self._limit and (not self._best or worth < self._best[0])

    def add(self, fact: Fact, worth: float) -> None:
        """Count a fact in."""
        if not self._limit or not fact.is_live(self._now):
            return
        score = worth * _freshness(fact, self._now)
        if len(self._best) < self._limit:
            heappush(self._best, score)
        else:
            heappushpop(self._best, score)


def _freshness(fact: Fact, now: datetime) -> float:
    if fact.expires_at is None:
        return 1.0
    left = (fact.expires_at - now) / (fact.expires_at - fact.recorded_at)
    return _STALEST + (1 - _STALEST) * min(1.0, left)


def _introduction(live: Iterable[Fact], limit: int) -> tuple[Fact, ...]:
    durable = [fact for fact in live if fact.tier is Tier.L0 and fact.fact_id not in _OF_A_MATTER]
    durable.sort(key=_standing, reverse=True)
    durable.sort(key=lambda fact: _INTRODUCING.get(fact.fact_id, len(FACT_KINDS)))
    return tuple(durable[: min(limit, MOST_INTRODUCING)])


def _standing(fact: Fact) -> tuple[float, int, datetime, str]:
    return fact.confidence, _TIER_ORDER[fact.tier], fact.last_seen, fact.id
