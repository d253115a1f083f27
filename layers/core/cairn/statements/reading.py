"""Read what somebody said: which of its units tell something lasting, of what kind, and which change something."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from heapq import nlargest
from pathlib import Path
from typing import Final, NamedTuple

from cairn.facts.facts import SAID
from cairn.facts.kinds import FACT_KINDS
from cairn.facts.short_text import MAX_VALUE_BYTES
from cairn.ground.errors import EmbeddingFailed
from cairn.ground.ports import Reader
from cairn.statements.features import Features, features, names
from cairn.statements.heads import KINDS, heads, likely
from cairn.statements.units import Unit, asks, units

LASTS: Final = 0.4
"""How likely a unit has to tell something lasting; chosen on stories that other hands wrote."""
CHANGES: Final = 0.1
"""From how likely on a unit is held against what is believed; whether it changes that is decided there."""
_MAY_LAST = 0.15
"""How likely a unit has to tell something lasting to be looked at where it sounds like a change: "It'll be August."."""
_LASTS_THOUGH_IT_ASKS = 0.75
"""How likely a unit that asks something has to: who asks mentions what they are known by."""
_FITTED = Path(__file__).with_name("reading.json")
_STANDING = frozenset(kind for kind in KINDS if FACT_KINDS[SAID + kind].stands)
_LIKELY = -0.5
"""The log-odds from which on a statement is one of these, which are placed whatever is asked."""
_WORTH_READING = 0.05
"""How likely its words have to make it that a unit lasts before it is read: two of three units cost nothing more."""
_MOST = 5
"""How many statements of one turn are kept: who tells more tells a story, and each takes its place in the log."""
_MOST_UNITS = 60
"""Of a longer text, which is mostly a pasted one, the beginning and the end are read."""


class Statement(NamedTuple):
    """A unit that tells something lasting: the event it is of, and its kind.

    `of_project` tells whether it is of a project, a team or a product rather than of a person. `lasts` and `changes`
    are the log-odds that it tells something lasting, and changes something that was said before. `corrects` tells
    whether it sounds like a correction.
    """

    event_id: str
    unit: Unit
    kind: str
    of_project: bool
    lasts: float
    changes: float
    corrects: bool


def statements(said: Sequence[tuple[str, str]], reader: Reader | None = None) -> list[Statement]:
    """Return the statements in (event id, text), in the order said: of many the likeliest.

    One that hardly lasts is among them where it may change something. Without a `reader`, or where it fails, units are
    read by their words alone.
    """
    found = list(_statements(said, reader))
    likeliest = nlargest(_MOST, range(len(found)), key=lambda number: found[number].lasts)
    return [found[number] for number in sorted(likeliest)]


def _statements(said: Sequence[tuple[str, str]], reader: Reader | None) -> Iterator[Statement]:
    for event_id, text in said:
        for unit in _ends(list(units(text))):
            if len(unit.said.encode()) <= MAX_VALUE_BYTES:
                found = _read(event_id, unit, features(unit.said), reader)
                if found is not None:
                    yield found


def _ends(found: list[Unit]) -> list[Unit]:
    return found if len(found) <= _MOST_UNITS else found[: _MOST_UNITS // 2] + found[-_MOST_UNITS // 2 :]


def _read(event_id: str, unit: Unit, found: Features, reader: Reader | None) -> Statement | None:
    of = heads()
    lasts, changes = _weighed(unit.said, of["lasts"].score(found), of["changes"].score(found), reader)
    if not is_worth_holding(unit.said, lasts, changes):
        return None
    return Statement(
        event_id,
        unit,
        _kind(found),
        of_project=of["project"].score(found) > 0,
        lasts=lasts,
        changes=changes,
        corrects=found.marks[names().index("corrects")] > 0,
    )


def is_worth_holding(said: str, lasts: float, changes: float) -> bool:
    """Tell by the log-odds of a unit whether it is a statement, or one if it changes something that is believed."""
    if asks(said):
        return likely(lasts) >= _LASTS_THOUGH_IT_ASKS
    return likely(lasts) >= (_MAY_LAST if likely(changes) >= CHANGES else LASTS)


class _Mix(NamedTuple):
    """How much the log-odds of words and of the reader count, what is added, and what where the unit asks."""

    words: float
    read: float
    asks: float
    constant: float

    def score(self, said: str, words: float, read: float) -> float:
        return self.words * words + self.read * read + self.asks * asks(said) + self.constant


def _weighed(said: str, lasts: float, changes: float, reader: Reader | None) -> tuple[float, float]:
    """Return log-odds by words together with those of the reader, where it is worth asking."""
    if reader is None or likely(lasts) < _WORTH_READING:
        return lasts, changes
    try:
        read = reader.read(said)
    except EmbeddingFailed:
        return lasts, changes
    of_lasting, of_changing = _mixes()
    return of_lasting.score(said, lasts, read[0]), of_changing.score(said, changes, read[1])


@cache
def _mixes() -> tuple[_Mix, _Mix]:
    """Return what bench/fit_reading.py found, of lasting and of changing."""
    fitted = json.loads(_FITTED.read_text("utf-8"))
    return _Mix(**fitted["lasts"]), _Mix(**fitted["changes"])


def _kind(found: Features) -> str:
    """Return the likeliest kind; one that would be placed whatever is asked has to be likely of its own."""
    scores = {kind: heads()[kind].score(found) for kind in KINDS}
    return max((kind for kind in KINDS if kind not in _STANDING or scores[kind] > _LIKELY), key=scores.__getitem__)
