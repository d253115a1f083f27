"""Tell whether words are one slip apart: a letter wrong, missing or too many, or two neighbours swapped."""

from __future__ import annotations

from collections.abc import Iterator

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Slips after the third letter leave the opening by which like terms are found.
_OPENING = 3
# A short word with another letter, or one fewer, is mostly another word: "wine" and "line".
_SHORTEST_WITH_ANOTHER_LETTER, _SHORTEST_WITH_ANOTHER_FIRST = 5, 6
_LONGEST = 24


def one_slip_apart(one: str, other: str) -> bool:
    """Tell whether two words differ, and by no more than one slip."""
    shorter, longer = sorted((one, other), key=len)
    if one == other or len(longer) - len(shorter) > 1:
        return False
    same = next((n for n, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    if len(shorter) < len(longer):
        return shorter[same:] == longer[same + 1 :]
    swapped = longer[same + 1 : same + 2] + longer[same : same + 1]
    return shorter[same + 1 :] == longer[same + 1 :] or shorter[same:] == swapped + longer[same + 2 :]


def slips_at_the_start(term: str) -> Iterator[str]:
    """Yield what a term may be that has a slip among its first three letters; none for other letters than a to z."""
    if not (term.isascii() and term.isalpha() and _OPENING < len(term) <= _LONGEST):
        return
    for place in range(_OPENING):
        head, rest = term[:place], term[place:]
        yield head + rest[1] + rest[0] + rest[2:]
        if len(term) >= (_SHORTEST_WITH_ANOTHER_LETTER if place else _SHORTEST_WITH_ANOTHER_FIRST):
            yield from (head + letter + rest[1:] for letter in _LETTERS)
            yield from (head + letter + rest for letter in _LETTERS)
        if len(term) >= _SHORTEST_WITH_ANOTHER_LETTER:
            yield head + rest[1:]
