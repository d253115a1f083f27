"""Tell from its pronouns whether a question that is not English is about the user or the assistant."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple

from cairn.language.terms import fold

Person = Literal["user", "assistant"]


class _Pronouns(NamedTuple):
    """A language's pronouns: first person as subject and otherwise, second person likewise, and other common words.

    Where verbs do without their subject, those that are said often stand for it.
    """

    i: frozenset[str]
    my: frozenset[str]
    you: frozenset[str]
    your: frozenset[str]
    common: frozenset[str]


_TABLE = Path(__file__).with_name("persons.json")
_CJK = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
# "我跟你说过": the user's own words, though "you" stands in it.
_I_TOLD_YOU = re.compile("我(?:[跟和对]你|告诉|说|讲|提)")
# Japanese leaves the pronoun out: "教えてくれた" is what the assistant did for the user.
_YOU = re.compile("[你您]|あなた|(?:教|勧|薦|すす|言|提案|アドバイス)[ぁ-ん]{0,3}くれ")
_I = re.compile("[我咱私僕俺]|わたし|うちの")


def asked_of(question: str, words: Sequence[str]) -> Person | None:
    """Return whose words a question asks for, None where it does not tell; `words` are its words, folded."""
    if _CJK.search(question):
        if _YOU.search(question) and not _I_TOLD_YOU.search(question):
            return "assistant"
        return "user" if _I.search(question) else None
    parts = [part for word in words for part in _elided(word)]
    said = {*parts, *(f"{one}_{other}" for one, other in pairwise(parts))}
    # A language is known by its pronouns and commonest words; pairs of words are there for forms of two words.
    pronouns = max(_languages(), key=lambda language: sum(len(said & forms) for forms in language))
    i, my, you, your, _ = (not said.isdisjoint(each) for each in pronouns)
    if you or (your and not i):
        return "assistant"
    return "user" if i or my else None


def _elided(word: str) -> Sequence[str]:
    """Return the parts of a word before and after an apostrophe, the one before with it: "j'" and "ai"."""
    before, apostrophe, after = word.partition("'")
    return [before + apostrophe, after] if after else [word]


@cache
def _languages() -> Sequence[_Pronouns]:
    table: Mapping[str, Mapping[str, str]] = json.loads(_TABLE.read_text(encoding="utf-8"))
    return [
        _Pronouns(**{name: frozenset(fold(said).split()) for name, said in each.items()}) for each in table.values()
    ]
