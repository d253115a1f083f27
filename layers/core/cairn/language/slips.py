"""Tell whether words are one slip apart: a letter wrong, missing or too many, or two neighbours swapped."""

from __future__ import annotations

from collections.abc import Iterator

# Slips after the third letter leave the opening by which like terms are found.
_OPENING = 3


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
    """Yield what a term may be in which two neighbours among its first letters are swapped; none for a short one."""
    # Another letter there is mostly another word, as "line" is to "wine".
    if term.isalpha() and len(term) > _OPENING:
        for place in range(_OPENING):
            yield term[:place] + term[place + 1] + term[place] + term[place + 2 :]
