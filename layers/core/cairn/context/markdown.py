"""Part a text, plain or in Markdown, into sentences, and tell which of them only mark what others say.

The sign or number of a list's point stays with the sentence behind it, and is left out where there is none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

_LINE = re.compile(r"[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_END = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])")
# What has no word: a rule, the ruling of a table, the sign of a point; and the number of a point, which is short.
_SIGNS = re.compile(r"[-*+>#|=_~:\s\u2022\u25e6\u2013\u2014]+")
_BOX = re.compile(r"[-*+>\s\u2022\u25e6]*\[[ xX]?\]")
_NUMBER = re.compile(r"[-*+>\s\u2022\u25e6_]*\(?(\d{1,3})[.)][*_]*")
_NUMBERED = re.compile(r"^[-*+>\s\u2022\u25e6_]{0,8}\(?(\d{1,3})[.)]")
_LONGEST_NUMBER = 16
_HEADING = re.compile(r"(#{1,6})\s+\S")
_FENCE = re.compile(r"(?:`{3,}|~{3,})[^`~]*")
_AROUND_CODE = 7
"""What stands for the level of a fence; headings have 1 to 6, and what says something has 0."""


class Sentence(NamedTuple):
    """A sentence; of a heading or a fence round code `holds` are the places of what stands under or in it."""

    text: str
    holds: range | None = None


def sentences(text: str, longest: int) -> list[Sentence]:
    """Return the sentences of a text; one that has more characters than `longest` is broken where a word ends."""
    found = list(_parts(text, longest))
    levels = [level for _, level in found]
    holds = [_under(levels, at) if 0 < level < _AROUND_CODE else None for at, level in enumerate(levels)]
    fences = [at for at, level in enumerate(levels) if level == _AROUND_CODE]
    for opening in range(0, len(fences), 2):
        pair = fences[opening : opening + 2]
        code = range(pair[0] + 1, pair[1] if len(pair) > 1 else len(levels))
        for at in pair:
            holds[at] = code
    return [Sentence(part, each) for (part, _), each in zip(found, holds, strict=True)]


def idle(found: Sequence[Sentence], kept: Collection[int]) -> set[int]:
    """Return the places of headings and fences that hold nothing of what is kept and says something."""
    saying = {at for at in kept if found[at].holds is None}
    return {at for at, each in enumerate(found) if each.holds is not None and saying.isdisjoint(each.holds)}


def _parts(text: str, longest: int) -> Iterator[tuple[str, int]]:
    """Yield the parts of a text that may be placed, each with its level."""
    lines = [line for each in _LINE.split(text) if (line := each.strip())]
    numbers = {int(match[1]) for line in lines if (match := _NUMBERED.match(line))}
    in_code = False
    for line in lines:
        if _FENCE.fullmatch(line):
            in_code = not in_code
            yield line[:longest], _AROUND_CODE
        elif not in_code and len(line) <= longest and (heading := _HEADING.match(line)):
            yield line, len(heading[1])
        elif not _is_bare(line, numbers):
            yield from ((part, 0) for sentence in _of_line(line) for part in _broken(sentence, longest))


def _under(levels: list[int], at: int) -> range:
    """Return the places under a heading: up to the next of its level or above."""
    rest = range(at + 1, len(levels))
    return range(at + 1, at + 1 + sum(1 for _ in takewhile(lambda place: not 0 < levels[place] <= levels[at], rest)))


def _is_bare(line: str, numbers: Collection[int]) -> bool:
    """Tell whether a line marks a point and says nothing; "42." by itself does, where no other point is numbered so."""
    if _SIGNS.fullmatch(line):
        return True
    if len(line) > _LONGEST_NUMBER:
        return False
    if number := _NUMBER.fullmatch(line):
        return int(number[1]) == 1 or not {int(number[1]) - 1, int(number[1]) + 1}.isdisjoint(numbers)
    return _BOX.fullmatch(line) is not None


def _of_line(line: str) -> list[str]:
    """Return the sentences of a line, the number of a point with the first."""
    found = [each for part in _END.split(line) if (each := part.strip())]
    if len(found) > 1 and len(found[0]) <= _LONGEST_NUMBER and _NUMBER.fullmatch(found[0]):
        found[:2] = [f"{found[0]} {found[1]}"]
    return found


def _broken(sentence: str, longest: int) -> Iterator[str]:
    rest = sentence
    while len(rest) > longest:
        at = rest.rfind(" ", 1, longest)
        at = at if at > 0 else longest
        yield rest[:at]
        rest = rest[at:].strip()
    yield rest
