"""Cut what somebody said into units: sentences, very short ones together with the next.

"We moved! It's Ghent now." says one thing in two sentences; neither says it alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from cairn.facts.told import Sentence, read

_WORD = re.compile(r"[^\W_]+(?:'[^\W\d_]+)*")
_MASK = "\N{BULLET}"
_FEWEST = 4
"""The words of a sentence that stands alone; one of fewer goes with its neighbour."""
_MOST = 30
"""The words of sentences that are taken together."""
_LEAST_OWN = 0.5
"""How much of a unit is the speaker's own: of a quotation or of code nothing is stated."""


class Unit(NamedTuple):
    """One or more sentences that say one thing: from where to where in the text, and in straight signs."""

    start: int
    end: int
    said: str


def asks(said: str) -> bool:
    """Tell whether what was said ends with a question."""
    return said.endswith("?")


def units(text: str) -> Iterator[Unit]:
    """Yield the units of a text that are the speaker's own words, in order."""
    return joined(read(text))


def joined(sentences: Iterable[Sentence]) -> Iterator[Unit]:
    """Yield the units that the sentences of a text make, as `units` does."""
    return (
        Unit(found[0].start, found[-1].end, " ".join(each.said for each in found))
        for found in _joined(sentences)
        if _own(found) >= _LEAST_OWN
    )


def _joined(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Yield sentences that belong together: a short one goes with the next, the last with the one before it."""
    found: list[list[Sentence]] = []
    waits = False
    for sentence in sentences:
        if waits and _fit(found[-1], sentence):
            found[-1].append(sentence)
            waits = False
        else:
            found.append([sentence])
            waits = _is_short(sentence)
    if waits and len(found) > 1 and _fit(found[-2], found[-1][0]):
        last = found.pop()
        found[-1] += last
    yield from found


def _fit(before: list[Sentence], sentence: Sentence) -> bool:
    return not asks(before[-1].said) and _count(*before, sentence) <= _MOST


def _is_short(sentence: Sentence) -> bool:
    return _count(sentence) < _FEWEST and not asks(sentence.said)


def _count(*sentences: Sentence) -> int:
    return sum(len(_WORD.findall(each.said)) for each in sentences)


def _own(sentences: list[Sentence]) -> float:
    masked = "".join(each.masked for each in sentences)
    return 1 - masked.count(_MASK) / max(1, len(masked))
