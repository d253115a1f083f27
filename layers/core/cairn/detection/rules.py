"""Define what a rule is, and search a text for its matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, NamedTuple

Category = Literal["secret", "personal"]

# A mail address has 64 characters before its @ at most; one more shows whether it begins there.
_MOST_BEFORE: Final = 65


class Hit(NamedTuple):
    """A part of one text that a rule matched."""

    rule: str
    category: Category
    start: int
    end: int


def always(_: str) -> bool:
    """Believe a form that says enough by itself."""
    return True


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern that is tried where one of its anchors stands; anchors are lower case and begin the pattern.

    Its first group, or all of it where it has none, is what was found, if the check agrees. `before` is what must stand
    in front of the anchor, from right to left; it belongs to what was found. A rule without anchors is tried at every
    place. Patterns are compiled on first need; they repeat nothing that repeats without a bound, so that a try takes
    bounded time.
    """

    name: str
    category: Category
    anchors: tuple[str, ...]
    pattern: str
    check: Callable[[str], bool] = always
    before: str = ""

    def hits(self, text: str, lower: str) -> Iterator[Hit]:
        """Yield what of a text, given in lower case too, the rule is about."""
        if self.anchors and not any(map(lower.__contains__, self.anchors)):
            return
        for match in self._matches(text, lower):
            start, end = match.span(1 if match.re.groups else 0)
            start = self._widened(text, start)
            if start >= 0 and self.check(text[start:end]):
                yield Hit(self.name, self.category, start, end)

    def _matches(self, text: str, lower: str) -> Iterator[re.Match[str]]:
        if not self.anchors:
            yield from compiled(self.pattern).finditer(text)
        for anchor in self.anchors:
            behind = 0
            for at in places(lower, anchor):
                # Matches of one rule do not overlap: a row of anchors would take quadratic time.
                match = compiled(self.pattern).match(text, at) if at >= behind else None
                if match:
                    behind = match.end()
                    yield match

    def _widened(self, text: str, start: int) -> int:
        if not self.before:
            return start
        # Backwards, since a look-behind of Python has one length and `match` tries no further place.
        found = compiled(self.before).match(text[max(0, start - _MOST_BEFORE) : start][::-1])
        return start - found.end() if found else -1


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern compiled, once a process."""
    return re.compile(pattern)


def places(text: str, anchor: str) -> Iterator[int]:
    """Yield where an anchor stands in a text."""
    at = text.find(anchor)
    while at >= 0:
        yield at
        at = text.find(anchor, at + len(anchor))


def lowered(text: str) -> str:
    """Return a text in lower case and of the same length."""
    return text.replace("\u0130", "I").lower()  # the one letter that grows
