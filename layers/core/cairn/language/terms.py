"""Split a text into search terms: stemmed words, numbers and dates, and bigrams of Chinese, Japanese and Korean."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import cast

from Stemmer import Stemmer  # pyright: ignore[reportUnknownVariableType]

# Folded, with straight apostrophes, as terms() meets them. Words of other languages stay: many are words of content in
# English.
_ENGLISH_STOPWORDS = """
    a about above after again against all am an and any are aren't as at be because been before being below between
    both but by can cannot can't could couldn't did didn't do does doesn't doing don't down during each few for from
    further had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself his
    how how's i i'd i'll i'm i've if in into is isn't it it'd it'll it's its itself just let's me more most my myself
    no nor not of off on once only or other ought our ours ourselves out over own same shall she she'd she'll she's
    should shouldn't so some such than that that's the their theirs them themselves then there there's these they
    they'd they'll they're they've this those through to too under until up very was wasn't we we'd we'll we're we've
    were weren't what what's when when's where where's which while who who's whom why why's will with won't would
    wouldn't you you'd you'll you're you've your yours yourself yourselves
"""
_STOPWORDS = frozenset(_ENGLISH_STOPWORDS.split())
# Hangul, kana, bopomofo, ideographs and their extensions: runs without blanks, where a word cannot be told from the
# next.
_CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)


def _number(letter: str) -> str:
    """Return the pattern of a number, which keeps what stands between its digits, as in 3.14 or 2023-05-04.

    Where a letter follows it is a word, as in "5k". Possessive: nothing is tried twice.
    """
    return rf"\d++(?:[.,:/-]\d+)*+(?!(?!t\d){letter})"


def _word(character: str, letter: str) -> str:
    return rf"{character}+(?:'{letter}+)*"


_WORD = _word(rf"(?:(?![{_CJK}])[^\W_])", rf"(?:(?![{_CJK}])[^\W\d_])")
_NUMBER = _number(r"[^\W\d_]")
_TOKEN = re.compile(rf"(?P<cjk>[{_CJK}]+)|(?P<number>{_NUMBER})|(?P<word>{_WORD})")
# The same of a text in ASCII, which most are once they are folded.
_ASCII_TOKEN = re.compile(rf"{_number('[a-z]')}|{_word('[a-z0-9]', '[a-z]')}")
_ACCENTS = dict.fromkeys(range(0x300, 0x370))  # not all marks: Japanese voices its kana with one
# Longer runs are hashes and the like, which have no stem and would fill the cache.
_MAX_STEMMED_CHARACTERS = 40
_LATIN = "english"
_STEMMED_BY_SCRIPT = (("\u0370", "\u03ff", "greek"), ("\u0400", "\u04ff", "russian"), ("\u0600", "\u06ff", "arabic"))
# For terms that stand nowhere (decision 36): at most three letters more, seven tenths alike from the start, at least
# four letters. Looser bounds find more slips and more other words.
_LONGEST_ENDING = 3
_SHARED = 0.7
_SHORTEST_ALIKE = 4
_SWAPPED = 2


def words(text: str) -> list[str]:
    """Return the words, numbers and runs of CJK of a text in order, case and accents folded, none left out."""
    folded = fold(text)
    return _ASCII_TOKEN.findall(folded) if folded.isascii() else [each.group() for each in _TOKEN.finditer(folded)]


def terms(text: str) -> list[str]:
    """Return what to index a text under and to look for in it, in order, repeats kept.

    English stop words go, other words become their Snowball stem (English, or Greek, Russian and Arabic by their
    script), numbers and dates stay whole, and CJK
    becomes overlapping pairs of characters, or one where it stands alone. Emoji and punctuation yield nothing.
    """
    folded = fold(text)
    if folded.isascii():
        tokens: list[str] = _ASCII_TOKEN.findall(folded)
        return [_stemmed(token) if token.upper() != token else token for token in tokens if token not in _STOPWORDS]
    found: list[str] = []
    for match in _TOKEN.finditer(folded):
        token = match.group()
        if match.lastgroup == "cjk":
            found.extend(_bigrams(token))
        elif match.lastgroup == "number":
            found.append(token)
        elif token not in _STOPWORDS:
            found.append(_stemmed(token))
    return found


def fold(text: str) -> str:
    """Return a text in lower case and without accents."""
    plain = text.casefold()
    if plain.isascii():
        return plain
    # Full-width letters become plain ones (K), accents letters of their own (D), which then go; what is left is put
    # together again, as kana have to be.
    decomposed = unicodedata.normalize("NFKD", plain.replace("\u2019", "'"))
    return unicodedata.normalize("NFC", decomposed.translate(_ACCENTS))


def _bigrams(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for start in range(len(run) - 1):
        yield run[start : start + 2]


def _stemmed(word: str) -> str:
    return _stem(word) if len(word) <= _MAX_STEMMED_CHARACTERS else word


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    language = next((name for low, high, name in _STEMMED_BY_SCRIPT if low <= word[0] <= high), _LATIN)
    return _stemmer(language)(word)


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    """Return a stemmer without a cache of its own, which threads could not share."""
    return cast("Callable[[str], str]", Stemmer(language, 0).stemWord)  # pyright: ignore[reportUnknownMemberType]


def opening(term: str) -> str:
    """Return what terms begin with that are like this one; "" where no other is."""
    if len(term) < _SHORTEST_ALIKE or not term.isalpha():
        return ""
    return term[: 2 if len(term) == _SHORTEST_ALIKE else 3]


def alike(one: str, other: str) -> bool:
    """Tell whether two terms with the same opening may be one word: another ending, or a slip of one or two letters."""
    shorter, longer = sorted((one, other), key=len)
    if len(longer) - len(shorter) > _LONGEST_ENDING:
        return False
    same = common(shorter, longer)
    if same >= _SHARED * len(longer):
        return True
    rest, more = shorter[same:], longer[same:]
    # What differs in the middle of two words that begin and end alike.
    tail = min(common(rest[::-1], more[::-1]), len(rest))
    left, extra = rest[: len(rest) - tail], more[: len(more) - tail]
    # One letter wrong or missing, or two neighbours swapped.
    return len(extra) <= 1 or (sorted(left) == sorted(extra) and len(left) == _SWAPPED)


def common(one: str, other: str) -> int:
    """Return how many characters two words begin with alike."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
