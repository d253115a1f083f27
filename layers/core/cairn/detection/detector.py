"""Find secrets and personal data in any JSON value, and replace them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Final, NamedTuple, cast

from cairn.detection import assignments, personal, vendor_tokens
from cairn.detection.disguises import decoded, folded, unescaped
from cairn.detection.leaves import Leaf, Path, leaves
from cairn.detection.pages import BREAK, Page
from cairn.detection.rules import Category, Hit, Rule, lowered
from cairn.detection.split import joins
from cairn.ground.errors import DetectionFailed

_RULES: Final[tuple[Rule, ...]] = (*vendor_tokens.RULES, *assignments.RULES, *personal.RULES)
# How deep base64 within base64 is opened: each level costs a pass over all that decodes.
_LEVELS_OF_CODING: Final = 2
# A marker may join what stands beside it to a new finding, so that what was masked is looked through again. A value
# that is not clean then is refused.
_MOST_ROUNDS: Final = 5
MOST_FINDINGS: Final = 10_000
"""After so many the rest is not looked for: a value with more is refused like one with few, and not masked."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The place where a rule matched, but never the text that matched.

    `start` and `end` are characters of the string at `path`, of the number's text, or of the last key of `path` where
    `in_key`. Keys of the path that hold a finding are masked.
    """

    rule: str
    category: Category
    path: Path
    start: int
    end: int
    in_key: bool = False


class _Found(NamedTuple):
    leaf: int
    hit: Hit


def scan(value: Any, exempt: Collection[Path] = (), also: Sequence[Rule] = ()) -> tuple[Finding, ...]:
    """Return what the rules find in a JSON value, in its order; DetectionFailed where it cannot be looked through.

    `exempt` names the paths of ids, pointers and hashes: values whose form the caller has checked and that say nothing.
    `also` are rules of the caller's own, tried in plain text and not in what is decoded.
    """
    every, found = _found(value, exempt, also)
    in_keys: dict[str, list[Hit]] = defaultdict(list)
    for each in found:
        if every[each.leaf].is_key:
            in_keys[every[each.leaf].text].append(each.hit)
    keys = {key: _masked(key, hits) for key, hits in in_keys.items()}
    return tuple(_finding(every[each.leaf], each.hit, keys) for each in found)


def mask(value: Any, exempt: Collection[Path] = ()) -> Any:
    """Return a JSON value with every finding replaced by a marker that names its rule, `[redacted:email]`.

    What has no finding stays as it is. A number with a finding becomes a string. Keys that would fall together get a
    number. DetectionFailed where the value cannot be looked through, or masking it would not leave it clean.
    """
    for _ in range(_MOST_ROUNDS):
        every, found = _found(value, exempt)
        if not found:
            return value
        if len(found) > MOST_FINDINGS:
            raise DetectionFailed("the value holds more findings than are masked one by one")
        by_place: dict[tuple[Path, bool], list[Hit]] = defaultdict(list)
        for each in found:
            by_place[every[each.leaf].path, every[each.leaf].is_key].append(each.hit)
        value = _replaced(value, (), by_place)
    raise DetectionFailed("a finding outlasts its masking")


def _finding(leaf: Leaf, hit: Hit, keys: Mapping[str, str]) -> Finding:
    path = tuple(keys.get(part, part) if isinstance(part, str) else part for part in leaf.path) if keys else leaf.path
    return Finding(hit.rule, hit.category, path, hit.start, hit.end, leaf.is_key)


def _found(value: Any, exempt: Collection[Path], also: Sequence[Rule] = ()) -> tuple[list[Leaf], list[_Found]]:
    every = list(leaves(value, exempt))
    page = _page(every)
    direct = (
        _Found(piece.source, hit._replace(start=piece.start, end=piece.end))
        for hit in _seen(folded(page.text()), also)
        for piece in page.pieces(hit.start, hit.end)
    )
    # One more than is allowed tells mask() that there are too many; nobody waits for the rest.
    found = list(islice(chain(_under_their_keys(every), direct), MOST_FINDINGS + 1))
    found += list(_cut(every, {each.leaf for each in found}))
    return every, _outermost(found)


def _page(every: Sequence[Leaf]) -> Page[int]:
    page: Page[int] = Page()
    key = ""
    for at, leaf in enumerate(every):
        # A value is read behind the name that says what it is, in the form of code: "password: x". A value that does
        # not stand right behind that name, such as an entry of a list, gets it written before it.
        page.add(": " if key and leaf.name == key else f"{BREAK}{leaf.name}: " if leaf.name else BREAK)
        # A NUL of the text would pass for the BREAK between texts.
        page.add(leaf.text.replace("\0", " "), at)
        key = leaf.text if leaf.is_key else ""
    page.add(BREAK)
    return page


def _hits(text: str, also: Sequence[Rule] = ()) -> Iterator[Hit]:
    """Yield what the rules find in a text, rule by rule, the more telling ones first; hits may overlap."""
    if not text:
        return
    lower = lowered(text)
    for rule in _RULES:
        yield from rule.hits(text, lower)
    yield from vendor_tokens.hits(text)
    yield from personal.hits(text, lower)
    yield from assignments.hits(text, lower)
    for rule in (vendor_tokens.HIGH_ENTROPY, *also):
        yield from rule.hits(text, lower)


def _seen(text: str, also: Sequence[Rule]) -> Iterator[Hit]:
    """Yield the hits in a text, in what it says without escapes, and in what it says decoded."""
    yield from _hits(text, also)
    plain = unescaped(text)
    for hit in _hits(plain.text, also) if plain else ():
        start, end = plain.origin(hit.start, hit.end) if plain else (hit.start, hit.end)
        yield hit._replace(start=start, end=end)
    parts = [
        (part, *(plain.origin(start, end) if plain else (start, end)))
        for part, start, end in decoded(plain.text if plain else text)
    ]
    for _ in range(_LEVELS_OF_CODING):
        page: Page[tuple[int, int]] = Page()
        for part, start, end in parts:
            page.add(part, (start, end))
            page.add(BREAK)
        inner = page.text()
        for hit in _hits(inner):
            for piece in page.pieces(hit.start, hit.end):
                yield hit._replace(start=piece.source[0], end=piece.source[1])
        # What was decoded is looked for codings in turn; a find in it is told of the whole part that it was decoded
        # from.
        parts = [(part, *piece.source) for part, start, end in decoded(inner) for piece in page.pieces(start, end)]


def _under_their_keys(every: Sequence[Leaf]) -> Iterator[_Found]:
    for at, leaf in enumerate(every):
        kind = assignments.kept_secret(leaf.name, leaf.text) if leaf.name and leaf.is_text else None
        if kind:
            yield _Found(at, Hit(kind, "secret", 0, len(leaf.text)))


def _cut(every: Sequence[Leaf], found: Collection[int]) -> Iterator[_Found]:
    page: Page[int] = Page()
    for parts in joins(every, found):
        for at in parts:
            page.add(every[at].text, at)
        page.add(BREAK)
    for hit in _hits(folded(page.text())):
        pieces = list(page.pieces(hit.start, hit.end))
        # What lies in one piece alone was found there before.
        if len(pieces) > 1:
            for piece in pieces:
                yield _Found(piece.source, hit._replace(start=0, end=len(every[piece.source].text)))


def _outermost(found: Iterable[_Found]) -> list[_Found]:
    """Return the findings in the order of the value, without those that lie within another."""
    kept: list[_Found] = []
    leaf, end = -1, 0
    # Of those that start together the longest comes first, so that all within it end no later.
    for each in sorted(found, key=lambda each: (each.leaf, each.hit.start, -each.hit.end)):
        if each.leaf != leaf or each.hit.end > end:
            kept.append(each)
            leaf, end = each.leaf, each.hit.end
    return kept


def _replaced(value: Any, path: Path, found: Mapping[tuple[Path, bool], Sequence[Hit]]) -> Any:
    if isinstance(value, Mapping):
        fields: dict[str, Any] = {}
        named = cast("Mapping[str, Any]", value)
        names = _Names(named)
        for key, entry in named.items():
            own = found.get(((*path, key), True))
            fields[names.free(_masked(key, own)) if own else key] = _replaced(entry, (*path, key), found)
        return fields
    if isinstance(value, list | tuple):
        return [_replaced(entry, (*path, at), found) for at, entry in enumerate(cast("list[Any]", value))]
    own = found.get((path, False), ())
    if not own:
        return value
    return _masked(value, own) if isinstance(value, str) else _marker(own[0])


class _Names:
    """Gives masked keys of one object names of their own: those that are masked alike get a number."""

    def __init__(self, keys: Collection[str]) -> None:
        """Take the names that the object has."""
        self._taken = set(keys)
        self._numbers: Counter[str] = Counter()

    def free(self, name: str) -> str:
        """Return the name, or it with the next number that is free; over all keys the tries are as many as the keys."""
        free = name
        while free in self._taken:
            # The number only rises: it is not sought again from one for each key.
            self._numbers[name] += 1
            free = f"{name} #{self._numbers[name] + 1}"
        self._taken.add(free)
        return free


def _masked(text: str, found: Sequence[Hit]) -> str:
    parts: list[str] = []
    behind = 0
    for hit in found:
        if hit.start >= behind:
            parts += (text[behind : hit.start], _marker(hit))
        behind = max(behind, hit.end)
    return "".join([*parts, text[behind:]])


def _marker(hit: Hit) -> str:
    return f"[redacted:{hit.rule}]"
