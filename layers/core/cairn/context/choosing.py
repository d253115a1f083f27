"""Choose lines as a whole: each is worth its chance less the price of its tokens."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from math import sqrt

from cairn.context.lines import Known, Line
from cairn.conversation import token_count as tokens
from cairn.ground.ids import SessionId

HEADING = 14
"""The tokens of a passage's heading and frame."""
BREAK = 2
"""The tokens of a fact's bullet and line break."""
_FREE, _PRICELESS = 1e-7, 1.0
_HALVINGS = 16


def choose(lines: Sequence[Line], most: int, budget: int, price: float) -> tuple[Line, ...]:
    """Return the lines worth their tokens at this price, of the `most` passages that are worth most.

    Where they take more tokens than the budget, the price is raised until they fit, and what is left is filled with the
    lines that are worth most a token.
    """
    if not most or budget <= 0:
        return ()
    groups: defaultdict[tuple[SessionId, date], list[Line]] = defaultdict(list)
    for line in lines:
        groups[line.passage].append(line)
    found, used = _worthwhile(groups.values(), most, price)
    if used <= budget:
        return tuple(found)
    low, high = max(price, _FREE), _PRICELESS
    for _ in range(_HALVINGS):
        middle = sqrt(low * high)
        low, high = (middle, high) if _worthwhile(groups.values(), most, middle)[1] > budget else (low, middle)
    return _filled(_worthwhile(groups.values(), most, high)[0], lines, most, budget)


def told(
    lines: Iterable[Line], statements: Mapping[str, Sequence[Known]], most: int, budget: int, price: float
) -> Iterator[Known]:
    """Yield up to `most` statements, by event, of lines that found no place, the likeliest first.

    A statement says in few tokens, and without the heading of a passage, what its line is wanted for.
    """
    for line in sorted(lines, key=lambda line: -line.chance):
        for known in statements.get(line.chunk.event_id, ()):
            cost = tokens.count(known.line) + BREAK
            if most > 0 and cost <= budget and line.chance > price * cost:
                most, budget = most - 1, budget - cost
                yield known


def size(lines: Sequence[Line]) -> int:
    """Return how many tokens lines take with the headings of their passages."""
    return sum(line.cost for line in lines) + HEADING * len({line.passage for line in lines})


def _worthwhile(groups: Iterable[Sequence[Line]], most: int, price: float) -> tuple[list[Line], int]:
    """Return the lines that are worth their tokens, of the passages that are worth most, and the tokens of all."""
    worth: list[tuple[float, list[Line]]] = []
    for group in groups:
        kept = [line for line in group if line.chance > price * line.cost]
        if kept:
            gain = sum(line.chance - price * line.cost for line in kept) - price * HEADING
            if gain > 0:
                worth.append((gain, kept))
    worth.sort(key=lambda each: -each[0])
    found = [line for _, kept in worth[:most] for line in kept]
    return found, sum(line.cost for line in found) + HEADING * len(worth[:most])


def _filled(chosen: list[Line], lines: Sequence[Line], most: int, budget: int) -> tuple[Line, ...]:
    placed, used = {line.passage for line in chosen}, size(chosen)
    taken = {id(line) for line in chosen}
    for line in sorted(lines, key=lambda line: -line.chance / line.cost):
        if id(line) in taken or used + line.cost > budget:
            continue
        is_new = line.passage not in placed
        cost = line.cost + HEADING * is_new
        if used + cost <= budget and not (is_new and len(placed) == most):
            chosen.append(line)
            placed.add(line.passage)
            used += cost
    return tuple(chosen)
