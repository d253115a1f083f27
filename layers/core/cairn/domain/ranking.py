"""Which facts to place before a model: those that bear on the query, the best first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from math import log

from cairn.domain.facts import Fact
from cairn.domain.markers import CUES
from cairn.domain.terms import terms
from cairn.domain.tiers import Tier

_TIER_ORDER = {Tier.L0: 2, Tier.L2: 1, Tier.L1: 0}
_GREETING = ("user_name", "user_nickname", "user_allergy", "user_home", "user_workplace", "user_role")
_GREETING_LIMIT = 5
_QUOTE_WEIGHT = 0.5
_CUE_WEIGHT = 0.5
_STALEST = 0.8


def rank(facts: Iterable[Fact], query_terms: Sequence[str], now: datetime, limit: int) -> tuple[Fact, ...]:
    """Return up to `limit` live facts that share a term with the query, the best first, in whatever order they came.

    A term is worth its inverse document frequency over the live facts, whole terms only. A fact near the end of its
    life counts down to 0.8 of that; confidence, tier (L0, L2, L1) and recency break ties. If nothing is relevant, up
    to five durable facts say whom the agent talks with.
    """
    live = [(fact, _term_weights(fact)) for fact in facts if fact.is_live(now)]
    frequencies = Counter(term for _, weights in live for term in weights)
    worth = {
        term: log(1 + (len(live) - frequencies[term] + 0.5) / (frequencies[term] + 0.5))
        for term in sorted(set(query_terms))
        if frequencies[term]
    }
    scored = [(_relevance(weights, worth) * _freshness(fact, now), fact) for fact, weights in live]
    relevant = [(score, *_standing(fact), fact) for score, fact in scored if score > 0]
    if not relevant:
        return _introduction([fact for fact, _ in live], limit)
    relevant.sort(key=lambda entry: entry[:-1], reverse=True)
    return tuple(entry[-1] for entry in relevant[:limit])


def fact_terms(fact: Fact) -> Collection[str]:
    """Return what a fact is found under: its key, value and quote, and how its kind is asked for."""
    return _term_weights(fact)


def _relevance(weights: Mapping[str, float], worth: Mapping[str, float]) -> float:
    return sum(value * weights.get(term, 0.0) for term, value in worth.items())


def _term_weights(fact: Fact) -> dict[str, float]:
    """Return what each term is worth here: 1 in the key or the value, less in the quote or in a cue of its kind."""
    weights = dict.fromkeys(terms(CUES.get(fact.fact_id, "")), _CUE_WEIGHT)
    weights |= dict.fromkeys(terms(fact.source.quote), _QUOTE_WEIGHT)
    weights |= dict.fromkeys(terms(f"{fact.key} {fact.value}"), 1.0)
    return weights


def _freshness(fact: Fact, now: datetime) -> float:
    if fact.expires_at is None:
        return 1.0
    left = (fact.expires_at - now) / (fact.expires_at - fact.recorded_at)
    return _STALEST + (1 - _STALEST) * min(1.0, left)


def _introduction(live: Iterable[Fact], limit: int) -> tuple[Fact, ...]:
    durable = [fact for fact in live if fact.tier is Tier.L0]
    durable.sort(key=_standing, reverse=True)
    durable.sort(key=lambda fact: _GREETING.index(fact.fact_id) if fact.fact_id in _GREETING else len(_GREETING))
    return tuple(durable[: min(limit, _GREETING_LIMIT)])


def _standing(fact: Fact) -> tuple[float, int, datetime, str]:
    return fact.confidence, _TIER_ORDER[fact.tier], fact.last_seen, fact.id
