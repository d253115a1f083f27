"""Recognise the words of dates, in the languages of `date_words.json`; a text is read in each language it may be in.

A word becomes a sign, so that one grammar does for all languages: M month, m month that is another word too, G what
makes a number a month, W weekday, S season, s in a season, U unit of time, N digits, n another number, O ordinal,
Y year, D date in digits, d days ago, K unit at its distance from today, L last, P last but one, T this, A ago that is
first and a last, B ago at either end, I what leads to a month, J what joins parts, _ what counts for nothing,
H holiday, h holiday that is another word too, i what leads to a holiday, b before or after, o ordinal in letters,
E early, mid or late, Q quarter, R two days as in 3-9, F what begins a range, C what goes on to its end, c what does so
after F alone, x others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple, NotRequired, TypedDict

from cairn.language.numeric_dates import PartialDate, numeric, spelt_out, two_days
from cairn.language.terms import fold, words

_TABLE = Path(__file__).with_name("date_words.json")
_SIGNS: Mapping[str, str] = {
    "last": "L",
    "last but one": "P",
    "this": "T",
    "month": "G",
    "at": "I",
    "of": "J",
    "at a holiday": "i",
    "from": "F",
    "to": "C",
    "and": "c",
    "skipped": "_",
    "ago before": "A",
    "ago after": "a",
    "ago on either side": "B",
}
# The signs that a date is never without: a text without a word for any of them is not read in that language.
_TELLING = "MmWSsUKdHhQ"
_BY_SCRIPT: Mapping[str, Sequence[str]] = {
    "\u3000": ("zh", "ja"),
    "\u0600": ("ar",),
    "\u0400": ("ru", "uk"),
    "\u0370": ("el",),
    "": ("en", "de", "nl", "fr", "es", "pt", "it"),
}
"""Which languages there are, by the first character that a script may have."""
_CJK = "\u3000"
# In words, or in characters of Chinese and Japanese: no entry of date_words.json is longer.
_LONGEST_PHRASE = 4
# Of a text that is longer than any question the end is read, where a question stands that follows other text.
_MOST_WORDS = 4_000
# Longer numbers are no day, year or count of days; int() of a very long one is slow.
_MOST_DIGITS = 5
_YEAR = re.compile(r"(?:19|20)\d\d")
# English endings, and those of French, Italian, Spanish and Portuguese with accents and signs folded.
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|o|a)")


class Word(NamedTuple):
    """A sign and its value: a place in the year or week, a count, a distance; for a unit, how many it counts.

    `dates` are the readings of a date in digits, or both ends of two days; `unit` is the name of a holiday too.
    """

    sign: str
    number: float = 0
    unit: str = ""
    dates: Sequence[PartialDate] = ()


_OTHER = Word("x")


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """A language's words and phrases, those that every date has one of, and the first words of phrases."""

    known: Mapping[str, Word]
    telling: frozenset[str]
    openings: frozenset[str]


def readings(text: str) -> Iterator[Sequence[Word]]:
    """Yield a text as each language reads it that may find a date in it, English first."""
    said = [part for word in words(spelt_out(text))[-_MOST_WORDS:] for part in word.split("'")]
    digits = any(word[0].isdecimal() for word in said)
    for script in {_script(word): None for word in ["", *said]}:
        for lexicon in map(_lexicon, _BY_SCRIPT[script]):
            if script == _CJK:
                yield [_word(part, lexicon) for word in said for part in _parts(word, lexicon)]
            elif not lexicon.telling.isdisjoint(said) or (digits and lexicon is _lexicon("en")):
                # Reading takes time, and a language that shares the script would find dates in words of another: only
                # those with a telling word are tried. Bare digits, as in 2023-05-04, are read as English.
                yield [_word(part, lexicon) for part in _phrases(said, lexicon)]


def _script(word: str) -> str:
    return next(first for first in _BY_SCRIPT if word >= first)


def _word(said: str, lexicon: _Lexicon) -> Word:
    return lexicon.known.get(said) or _number(said)


def _phrases(said: Sequence[str], lexicon: _Lexicon) -> Iterator[str]:
    """Yield words, those together that a language has a sign for together."""
    place = 0
    while place < len(said):
        lengths = range(_LONGEST_PHRASE, 1, -1) if said[place] in lexicon.openings else ()
        length = next((each for each in lengths if " ".join(said[place : place + each]) in lexicon.known), 1)
        yield " ".join(said[place : place + length])
        place += length


def _parts(word: str, lexicon: _Lexicon) -> Iterator[str]:
    """Yield the longest parts of a run of CJK that have a sign, and characters that have none; other words whole."""
    # Texts in Chinese or Japanese hold Latin words and numbers.
    if word < _CJK:
        yield word
        return
    place = 0
    while place < len(word):
        lengths = range(_LONGEST_PHRASE, 1, -1) if word[place] in lexicon.openings else ()
        length = next((each for each in lengths if word[place : place + each] in lexicon.known), 1)
        yield word[place : place + length]
        place += length


def _number(said: str) -> Word:
    if said.isdecimal() and len(said) <= _MOST_DIGITS:
        return Word("Y" if _YEAR.fullmatch(said) else "N", int(said))
    if not said[:1].isdecimal():
        return _OTHER
    if ordinal := _ORDINAL.fullmatch(said):
        return Word("O", int(ordinal[1]))
    if days := two_days(said):
        return Word("R", dates=days)
    return Word("D", dates=found) if (found := numeric(said)) else _OTHER


class _Language(TypedDict):
    months: Sequence[str]
    weekdays: Sequence[str]
    seasons: Sequence[str]
    in_season: Sequence[str]
    units: Mapping[str, str]
    counts: Mapping[str, str]
    days_ago: Mapping[str, str]
    relative: Mapping[str, str]
    holidays: NotRequired[Mapping[str, str]]
    beside: NotRequired[Mapping[str, str]]
    ordinals: NotRequired[Sequence[str]]
    parts: NotRequired[Sequence[str]]
    quarters: NotRequired[Sequence[str]]
    signs: Mapping[str, str]


@cache
def _table() -> Mapping[str, _Language]:
    return json.loads(_TABLE.read_text(encoding="utf-8"))


@cache
def _lexicon(language: str) -> _Lexicon:
    known = dict(_entries(_table()[language]))
    phrases = [said for said in known if " " in said or (said >= _CJK and len(said) > 1)]
    openings = frozenset(said[0] if said >= _CJK else said.partition(" ")[0] for said in phrases)
    telling = frozenset(said.partition(" ")[0] for said, word in known.items() if word.sign in _TELLING)
    return _Lexicon(known, telling, openings)


def _entries(language: _Language) -> Iterator[tuple[str, Word]]:
    shared = fold(language["signs"].get("also other words", "")).split()
    told = [(said, Word(_SIGNS[name])) for name, said in language["signs"].items() if name in _SIGNS]
    # Chinese and Japanese count with characters as others do with digits.
    told += [(said, Word("N" if said >= _CJK else "n", float(count))) for count, said in language["counts"].items()]
    told += [(said, _unit(name)) for name, said in language["units"].items()]
    told += [(said, _period(name)) for name, said in language["relative"].items()]
    told += [(said, Word("d", int(count))) for count, said in language["days_ago"].items()]
    told += [(said, Word("M", number)) for number, said in enumerate(language["months"], 1)]
    told += [(said, Word("W", number)) for number, said in enumerate(language["weekdays"])]
    told += [(said, Word("S", number)) for number, said in enumerate(language["seasons"])]
    told += [(said, Word("s", number)) for number, said in enumerate(language["in_season"])]
    for said, word in [*told, *_beside_dates(language)]:
        for each in fold(said).split():
            yield each.replace("_", " "), word._replace(sign=word.sign.lower()) if each in shared else word


def _beside_dates(language: _Language) -> Iterator[tuple[str, Word]]:
    """Yield words for holidays, and those that take a part of a month or year or lead away from a date."""
    yield from ((said, Word("H", 0, name)) for name, said in language.get("holidays", {}).items())
    yield from ((said, Word("b", int(way))) for way, said in language.get("beside", {}).items())
    yield from ((said, Word("o", number)) for number, said in enumerate(language.get("ordinals", ()), 1))
    yield from ((said, Word("E", number)) for number, said in enumerate(language.get("parts", ())))
    yield from ((said, Word("Q", number)) for number, said in enumerate(language.get("quarters", ()), 1))


def _unit(name: str) -> Word:
    """Return the unit that "week", or "2 week", stands for."""
    *count, unit = name.split()
    return Word("U", float(*count), unit)


def _period(name: str) -> Word:
    """Return the period that "week -1" stands for."""
    unit, distance = name.split()
    return Word("K", int(distance), unit)
