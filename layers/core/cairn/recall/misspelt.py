"""Correct the names of speakers that a question misspells."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping

from cairn.language.slips import one_slip_apart
from cairn.language.terms import fold

# "Ban" is no slip of "Ben", but "Jonh" is one of "John".
_SHORTEST = 4
# No name is longer; what is pasted may be.
_LONGEST = 40
# A question has few names; of a long text the first such words are looked at.
_MOST_TRIED = 100
# Capitalised, as names are: of words that are not, most are no names. Letters alone, so that possessives stay.
_CAPITALISED = re.compile(r"[^\W\d_]+")


def corrected(text: str, names: Collection[str], stands: Callable[[str], bool]) -> str:
    """Return a text with its misspelt names right: capitalised, one slip from one name alone, and standing nowhere."""
    known = {name for name in names if _SHORTEST <= len(name) <= _LONGEST}
    if not known:
        return text
    keyed: dict[str, set[str]] = {}
    for name in known:
        for key in _keys(name):
            keyed.setdefault(key, set()).add(name)
    tried: dict[str, str | None] = {}

    def right(match: re.Match[str]) -> str:
        said = match[0]
        if said[0].isupper() and said not in tried and len(tried) < _MOST_TRIED:
            tried[said] = _name(fold(said), keyed, stands)
        return tried.get(said) or said

    return _CAPITALISED.sub(right, text)


def _name(word: str, keyed: Mapping[str, Collection[str]], stands: Callable[[str], bool]) -> str | None:
    """Return the one name that a word misspells, None where it is right or may be two."""
    if not _SHORTEST <= len(word) <= _LONGEST or word in keyed.get(word, ()):
        return None
    near = {name for key in _keys(word) for name in keyed.get(key, ()) if _may_be(word, name)}
    # What stands in a text is a name or word of its own, as "Sara" beside "Sarah".
    return near.pop().capitalize() if len(near) == 1 and not stands(word) else None


def _may_be(word: str, name: str) -> bool:
    # The first letter is seldom wrong: "Gave" is not "Dave", while "Jhon" and "Hjon" may be "John".
    return one_slip_apart(word, name) and (word[0] == name[0] or word[:2] == name[1::-1])


def _keys(word: str) -> Iterator[str]:
    """Yield a word and what is left of it without any one letter: words one slip apart have one in common."""
    yield word
    yield from (word[:place] + word[place + 1 :] for place in range(len(word)))
