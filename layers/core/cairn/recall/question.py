"""Analyse a question: its words, who and when it is about, and what kind of answer it wants."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from cairn.language.dates import spans
from cairn.language.index_terms import ROLES, pair_hashes
from cairn.language.persons import Person, asked_of
from cairn.language.span import Span
from cairn.language.terms import terms, words
from cairn.language.traits import asks_how_many, asks_when
from cairn.recall.misspelt import corrected

_OF_THE_USER = frozenset({"i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "myself", "we", "our", "ours", "us"})
_OF_THE_ASSISTANT = frozenset({"you", "you're", "you've", "you'd", "you'll", "your", "yours", "yourself"})

_ENGLISH = frozenset(
    {"the", "what", "which", "who", "whose", "when", "where", "why", "how", "did", "does", "is", "are", "have", "you"}
)
# German, French, Spanish, Italian, Portuguese and Dutch.
_COMMON_ELSEWHERE = """
    der die das ein eine und ist ich du mein meine mir hat hast habe wie wo wer wann warum welche
    welcher welches le la les des un une est qui que quel quelle quand pourquoi je tu mon ma mes el los
    las como cual quien donde cuando por mi mis il lo gli che chi dove quando di perche quale qual quem
    onde meu minha os da em de het een wat ik mijn waar welk
"""
_FOREIGN = frozenset(_COMMON_ELSEWHERE.split())
"""Words that stand in nearly every question of the languages that share the Latin script."""
_I_TOLD_YOU = re.compile(r"\bi(?:'ve|'d)?(?: \w+){1,2} you\b")
# "Can you help me plan …?", "What would you suggest?": what the assistant is to do now, not what it said.
_ASKS_YOU_TO = re.compile(
    r"\b(?:(?:can|could|will|would) you\b|do you (?:know|think|remember|recall|have|suggest|recommend|advise)\b)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, analysed.

    `text` has the speakers' names turned into "I" and "my", as they speak of themselves; `speakers` are the numbers of
    those it is about, `names` the terms of each one's name.
    """

    text: str
    counts: Mapping[str, int]
    pairs: Sequence[int]
    speakers: frozenset[int]
    names: Mapping[str, int]
    spans: Sequence[Span]
    is_english: bool
    is_foreign: bool
    is_latin: bool
    asks_when: bool
    asks_how_many: bool


def question(
    text: str, speakers: Sequence[str], today: date, years: range, stands: Callable[[str], bool] = lambda _: False
) -> Question:
    """Return what a text asks of a corpus with these speakers, whose texts are of these years.

    `stands` tells whether a word is in any text: one that is not may be a speaker's name, misspelt.
    """
    known = _names(speakers)
    text = corrected(text, known, stands)
    said = [word.removesuffix("'s") for word in words(text)]
    named = {word: known[word] for word in said if word in known}
    meant = _in_the_first_person(text, known)
    # "Who is Ada?" has no terms once Ada is "I": then her name is what is looked for.
    asked = terms(meant) or terms(text)
    is_english = not _ENGLISH.isdisjoint(said)
    is_latin = _in_latin(text)
    is_foreign = not is_english and (not _FOREIGN.isdisjoint(said) or not is_latin)
    person = asked_of(text, said) if is_foreign else _pronouns(said)
    return Question(
        text=meant,
        counts=Counter(asked),
        pairs=pair_hashes(asked),
        speakers=frozenset(named.values()) or _who(person, speakers),
        names={term: number for word, number in named.items() for term in terms(word)},
        spans=spans(text, today, years),
        is_english=is_english,
        is_foreign=is_foreign,
        is_latin=is_latin,
        asks_when=asks_when(text),
        asks_how_many=asks_how_many(text),
    )


def _names(speakers: Sequence[str]) -> dict[str, int]:
    """Return each word of a speaker's name; one that two share is the first one's."""
    found: dict[str, int] = {}
    for number, speaker in enumerate(speakers):
        if speaker not in ROLES:
            for word in words(speaker):
                found.setdefault(word, number)
    return found


def _in_the_first_person(text: str, known: Mapping[str, int]) -> str:
    if not known:
        return text
    # Of "Ann" and "Ann-Marie" the longer has to be tried first.
    longest_first = sorted(map(re.escape, known), key=len, reverse=True)
    name = re.compile(rf"\b(?:{'|'.join(longest_first)})\b(['\u2019]s)?", re.IGNORECASE)
    return " ".join(name.sub(lambda match: "my" if match[1] else "I", text).split())


def _in_latin(text: str) -> bool:
    """Tell whether most letters of a text are Latin."""
    letters = [each for each in text if each.isalpha()]
    # U+0250 follows the last letters of Latin Extended-B.
    return sum(each < "\u0250" for each in letters) * 2 >= len(letters)


def _pronouns(said: Sequence[str]) -> Person | None:
    """Return whose words are asked for in English: "what did you tell me" asks for the assistant's."""
    told = _ASKS_YOU_TO.sub("", " ".join(said))
    if not _OF_THE_ASSISTANT.isdisjoint(told.split()) and not _I_TOLD_YOU.search(told):
        return "assistant"
    return None if _OF_THE_USER.isdisjoint(said) else "user"


def _who(person: Person | None, speakers: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the speakers that are this person, none where the corpus has not got them."""
    return frozenset(number for number, speaker in enumerate(speakers) if speaker == person)
