"""WordPiece: split text into numbered word pieces, as BERT's uncased models do (Devlin et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from unicodedata import category, normalize

_START, _END, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
_CONTINUED = "##"
# As the tokenizer that the model was trained with: a longer word is unknown.
_MAX_WORD_CHARACTERS = 100
# Words come again; the cache takes some megabytes at most and spares most cuts.
_CACHED_WORDS = 50_000
# The blocks that BERT takes for Chinese characters: kana and Hangul are not among them.
_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)
# BERT takes all of ASCII's signs for punctuation, also those that Unicode does not, such as $ and ^.
_ASCII_SIGNS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class WordPiece:
    """Splits text into the longest pieces that a vocabulary has."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        """Take the pieces in the order of their numbers."""
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._start, self._end, self._unknown = (self._numbers[each] for each in (_START, _END, _UNKNOWN))
        self._of_words = [_says_something(piece) for piece in vocabulary]
        self._pieces = lru_cache(_CACHED_WORDS)(self._cut)

    def is_of_word(self, number: int) -> bool:
        """Tell whether a piece is a word's or a number's, no sign and no mark of start and end."""
        return self._of_words[number]

    def encode(self, text: str, limit: int) -> list[int]:
        """Return the numbers of the text's pieces between those of start and end, at most `limit` in all."""
        numbers = [self._start]
        for word in _words(text):
            numbers += self._pieces(word) if len(word) <= _MAX_WORD_CHARACTERS else (self._unknown,)
            if len(numbers) >= limit - 1:
                break
        return [*numbers[: limit - 1], self._end]

    def _cut(self, word: str) -> tuple[int, ...]:
        found: list[int] = []
        start = 0
        while start < len(word):
            opening = _CONTINUED if start else ""
            ends = range(len(word), start, -1)
            longest = next((end for end in ends if opening + word[start:end] in self._numbers), None)
            if longest is None:
                return (self._unknown,)
            found.append(self._numbers[opening + word[start:longest]])
            start = longest
        return tuple(found)


def _says_something(piece: str) -> bool:
    return piece not in {_START, _END} and any(character.isalnum() for character in piece)


def _words(text: str) -> Iterator[str]:
    """Yield words in lower case without accents; a sign or an ideograph is a word of its own."""
    word = ""
    for character in _plain(text):
        if character.isspace():
            alone = ""
        elif _stands_alone(character):
            alone = character
        else:
            word += character
            continue
        if word:
            yield word
            word = ""
        if alone:
            yield alone
    if word:
        yield word


def _plain(text: str) -> str:
    """Return the text in lower case, without accents and what cannot be seen."""
    if text.isascii() and text.isprintable():
        return text.lower()
    lower = normalize("NFD", "".join(map(_seen, text)).lower())
    return "".join(each for each in lower if category(each) != "Mn")


def _seen(character: str) -> str:
    if character.isspace():
        return " "
    # Tabs and line breaks are control characters (Cc) too, and were told apart above.
    hidden = character == "\ufffd" or category(character) in {"Cc", "Cf", "Cn", "Co", "Cs"}
    return "" if hidden else character


def _stands_alone(character: str) -> bool:
    if character.isascii():
        return character in _ASCII_SIGNS
    number = ord(character)
    return category(character).startswith("P") or any(low <= number <= high for low, high in _IDEOGRAPHS)
