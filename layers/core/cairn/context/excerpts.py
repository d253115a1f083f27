"""Cut a long text to the sentences that share rare words with what is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from math import sqrt

from cairn.context.markdown import idle, sentences
from cairn.language.terms import common, fold, terms, words

GAP = "…"
# A line of a table, or a text without a full stop, is broken where a word ends.
_LONGEST = 320
_CHARACTERS_A_TOKEN = 4.2
# Half as long again and more is cut: to leave out a clause saves nothing and costs its sense.
_LONG = 1.25
# What a sentence lends the one beside it, and what stands first: an answer opens with its gist.
_BESIDE, _FIRST, _SECOND = 0.35, 0.6, 0.25
_OVERHEAD = 12


class Asked:
    """What is asked, as sentences are compared with it: its words, each with its rarity."""

    def __init__(self, question: str, rarity: Callable[[str], float]) -> None:
        """Take the question, and what tells of a term how rare it is in what is searched."""
        self._question = question
        self._rarity = rarity

    def shares(self, sentence: str) -> float:
        """Return how much of what is asked stands in the sentence, by rarity."""
        if self._pattern is None:
            return 0.0
        found = set(self._pattern.findall(fold(sentence)))
        return sum(self._worth[each] for each in found)

    @cached_property
    def _worth(self) -> Mapping[str, float]:
        """Return what each beginning of a word is worth: that of a word and its stem, so that no text is stemmed."""
        found: dict[str, float] = {}
        for word in dict.fromkeys(words(self._question)):
            stems = terms(word)
            for stem in stems:
                opening = word[: common(word, stem)] if len(stems) == 1 else stem
                found[opening or stem] = max(found.get(opening, 0.0), self._rarity(stem))
        return found

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        plain = [each for each in self._worth if each and each.isascii()]
        # Those with other letters first: where one stands, a plain one could only be its beginning.
        others = sorted((re.escape(each) for each in self._worth if not each.isascii()), key=len, reverse=True)
        either = [*others, *([rf"\b{_one_of(plain)}"] if plain else [])]
        return re.compile("|".join(either)) if either else None


def _one_of(openings: Iterable[str]) -> str:
    """Return a pattern of these, in which those that begin alike share that: it finds the longer, which says more.

    A list of alternatives would be tried one by one at each word.
    """
    branches = [_branch(list(those)) for _, those in groupby(sorted(openings), key=lambda each: each[0])]
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


def _branch(openings: list[str]) -> str:
    shared = openings[0][: common(openings[0], openings[-1])]  # of sorted ones
    rest = [each[len(shared) :] for each in openings if each != shared]
    more = _one_of(rest) if rest else ""
    return re.escape(shared) + (f"(?:{more})?" if rest and shared in openings else more)


def roughly(text: str) -> float:
    """Return about how many tokens a text has, at once: for what is counted exactly later."""
    if text.isascii():
        return len(text) / _CHARACTERS_A_TOKEN
    others = len(text) - len(text.encode("ascii", "ignore"))
    return (len(text) - others) / _CHARACTERS_A_TOKEN + 0.7 * others


def excerpt(text: str, most: int, asked: Asked) -> str:
    """Return the sentences of a long text that share rare words with what is asked, in order, gaps marked.

    `most` is about how many tokens are left; a text that is little longer stays whole.
    """
    if roughly(text) <= most * _LONG:
        return text
    found = sentences(text, _LONGEST)
    if not found:
        return GAP
    parts = [each.text for each in found]
    own = [asked.shares(part) for part in parts]
    around = [max(a, b) for a, b in zip([0.0, *own], [*own[1:], 0.0], strict=False)]
    worth = [share + _BESIDE * beside for share, beside in zip(own, around, strict=True)]
    for at, more in ((0, _FIRST), (1, _SECOND)):
        if at < len(worth):
            worth[at] += more
    sizes = [roughly(part) + 1 for part in parts]
    # The earlier of equals, and the shorter of those that share as much.
    best = sorted(range(len(parts)), key=lambda at: (-worth[at] / sqrt(_OVERHEAD + sizes[at]), at))
    kept = first = _fitting(best, sizes, most)
    while not kept.isdisjoint(void := idle(found, kept)):
        best = [at for at in best if at not in void]
        kept = _fitting(best, sizes, most)
    # A text of headings alone says what they say.
    return _joined(parts, kept or first)


def _fitting(best: Sequence[int], sizes: Sequence[float], most: float) -> set[int]:
    """Return the first of the best that fit together."""
    kept: set[int] = set()
    left = most
    for at in best:
        if sizes[at] <= left:
            kept.add(at)
            left -= sizes[at]
    return kept


def _joined(parts: list[str], kept: set[int]) -> str:
    found: list[str] = []
    for at, part in enumerate(parts):
        if at in kept:
            found.append(part)
        elif not found or found[-1] != GAP:
            found.append(GAP)
    return " ".join(found)
