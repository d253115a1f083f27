"""Choose what stands: what was pinned, instructions, preferences and conventions, placed whatever is asked."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from cairn.context.choosing import BREAK
from cairn.context.lines import Known
from cairn.context.rendering import fact_line
from cairn.context.repeats import said
from cairn.conversation import token_count as tokens
from cairn.facts.facts import Fact
from cairn.facts.kinds import is_of_user
from cairn.ground.explanation import Explanation

LOOKED_AT: Final = 100
"""How many memories of each log are looked at, the newest: some are too long, and some say the same."""
_LEAST = 8
"""The tokens of the shortest line: where fewer are left, no further one is looked at."""


def standing(facts: Iterable[Fact], user: str | None, budget: int, most: int) -> tuple[Known, ...]:
    """Return up to `most` facts as lines that fit into so many tokens together.

    What is pinned goes first, then how the user wants to be served, then how things are done in the project; of each,
    the newest first. Of facts that say the same there is the first. One that is too long makes room for the next.
    """
    chosen: list[Known] = []
    met = set[Hashable]()
    for fact in sorted(facts, key=_place, reverse=True):
        if budget < _LEAST or len(chosen) >= most:
            break
        if (what := said(fact, user)) in met:
            continue
        met.add(what)
        line = fact_line(fact, user)
        if (cost := tokens.count(line) + BREAK) <= budget:
            chosen.append(Known(fact, line))
            budget -= cost
    return tuple(chosen)


def besides(placed: Sequence[Known], others: Sequence[Known], user: str | None, most: int) -> tuple[Known, ...]:
    """Return those that say something else than what is placed already: with it, no more than `most`."""
    told = {said(each.fact, user) for each in placed}
    new = [each for each in others if said(each.fact, user) not in told]
    return tuple(new[: max(0, most - len(placed))])


def explained(placed: Sequence[Known]) -> Mapping[str, Explanation]:
    """Return, by id, that a fact is there because it stands; its rank is its place among those that do."""
    return {
        each.fact.id: Explanation(rank=rank, signals={"standing": 1.0}, rank_without={}, features={"standing": 1.0})
        for rank, each in enumerate(placed, 1)
    }


def _place(fact: Fact) -> tuple[bool, bool, datetime, str]:
    return fact.pinned, is_of_user(fact), fact.recorded_at, fact.id
