"""Pick the telling sentences and words of a conversation without a language model, for summaries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice, zip_longest
from typing import Any

from cairn.language.terms import terms, words

_SENTENCE = re.compile(r"[^.!?\n。！？]+(?:[.!?](?=\S)[^.!?\n。！？]*)*[.!?。！？]*")  # noqa: RUF001  CJK ends a sentence so
_TASK = re.compile(
    r"\b(?:need to|have to|must|should|to-?do|remind me|deadline|due|by (?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"tomorrow|next step|action item|follow up|don't forget)\b",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:decided|decision|agreed|let's go with|we'll (?:use|go)|going with|chose|settled on|from now on|"
    r"instead of)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)*")
_NUMBER = re.compile(r"\d")
_EVERYWHERE = frozenset({"I", "I'm", "I've", "I'll", "I'd", "OK", "Okay"})
_MAX_CHARACTERS = 200
_MAX_WORD_CHARACTERS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlights:
    """Sentences and words worth keeping, newest sentences and most frequent words first.

    A sentence has at most 200 characters, a word or name at most 60.
    """

    tasks: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()

    def to_record(self) -> dict[str, Any]:
        """Return JSON values."""
        return {name: list(values) for name, values in asdict(self).items()}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Highlights:
        """Return what to_record() wrote; other fields of the record are ignored."""
        return cls(**{name: tuple(record.get(name, ())) for name in cls.__dataclass_fields__})

    def first(self, limit: int) -> Highlights:
        """Return at most `limit` of each kind: what highlights() finds with that limit in the same texts."""
        return Highlights(**{name: getattr(self, name)[:limit] for name in self.__dataclass_fields__})

    def then(self, newer: Highlights, limit: int) -> Highlights:
        """Return both in one, the newer before the older, at most `limit` of each kind."""
        return Highlights(
            tasks=_first((*newer.tasks, *self.tasks), limit),
            decisions=_first((*newer.decisions, *self.decisions), limit),
            numbers=_first((*newer.numbers, *self.numbers), limit),
            names=_first(_recurring_first(newer.names, self.names), limit),
            topics=_first(_recurring_first(newer.topics, self.topics), limit),
        )


def highlights(texts: Sequence[str], limit: int) -> Highlights:
    """Return at most `limit` of each kind from texts in the order they were said."""
    sentences = [sentence for text in reversed(texts) for sentence in _sentences(text)]
    return Highlights(
        tasks=_first((s for s in sentences if _TASK.search(s)), limit),
        decisions=_first((s for s in sentences if _DECISION.search(s)), limit),
        numbers=_first((s for s in sentences if _NUMBER.search(s)), limit),
        names=_most_frequent((name for text in texts for name in _names(text)), limit),
        topics=_topics(texts, limit),
    )


def _sentences(text: str) -> list[str]:
    found = (" ".join(match.group().split()) for match in _SENTENCE.finditer(text))
    return [sentence[:_MAX_CHARACTERS] for sentence in found if sentence]


def _names(text: str) -> Iterable[str]:
    return (match.group() for match in _NAME.finditer(text) if match.group() not in _EVERYWHERE)


def _topics(texts: Sequence[str], limit: int) -> tuple[str, ...]:
    every_word = _most_frequent((word for text in texts for word in words(text)), None)
    telling = (word for word in every_word if len(word) > 1 and not word[0].isdigit() and terms(word))
    return tuple(islice(telling, limit))


def _most_frequent(values: Iterable[str], limit: int | None) -> tuple[str, ...]:
    counts = Counter(value for value in values if len(value) <= _MAX_WORD_CHARACTERS)
    return tuple(value for value, _ in counts.most_common(limit))


def _recurring_first(newer: Sequence[str], older: Sequence[str]) -> Iterable[str]:
    """Order words so that a few new ones do not push out what the conversation keeps coming back to."""
    recurring = [word for word in older if word in newer]
    by_turns = [word for pair in zip_longest(newer, older) for word in pair if word is not None]
    return (*recurring, *by_turns)


def _first(values: Iterable[str], limit: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))[:limit]
