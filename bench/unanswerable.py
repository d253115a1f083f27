"""Questions that a log cannot answer, and logs of every size to put them to, with those that it can."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fit_ranker import swapping
from long_replies import SUFFIX
from recall_sets import Conversation, Question

Group = Literal["answerable", "another's", "another's, renamed", "wrong person", "adversarial"]
"""A question of the log's own; one of another conversation, as it is put and with this one's names in it; one of its
own with the other speaker's name; one that the data set calls adversarial: about the wrong person, or about nothing.
"""
FEWEST_TEXTS = 8
"""A session with fewer is too short to be a log of its own."""


@dataclass(frozen=True, slots=True)
class Log:
    """What is stored as one log, with the questions that it answers, and the stories that it is made of."""

    conversation: Conversation
    stories: frozenset[str]
    size: str


@dataclass(frozen=True, slots=True)
class Put:
    """A question put to a log."""

    log: Log
    group: Group
    question: Question


def whole(conversations: Sequence[Conversation], size: str = "a conversation") -> Iterator[Log]:
    """Yield each conversation as a log."""
    for each in conversations:
        yield Log(each, frozenset({_story(each)}), size)


def sessions(conversations: Sequence[Conversation], every: int) -> Iterator[Log]:
    """Yield some sessions as logs of their own, with the questions that need nothing else."""
    found: list[Log] = []
    for conversation in conversations:
        for session in dict.fromkeys(text.session for text in conversation.texts):
            texts = tuple(text for text in conversation.texts if text.session == session)
            ids = {text.id for text in texts}
            asked = tuple(each for each in conversation.questions if each.evidence <= ids)
            if len(texts) >= FEWEST_TEXTS and asked:
                part = replace(conversation, name=f"{conversation.name}-{session}", texts=texts, questions=asked)
                found.append(Log(part, frozenset({_story(conversation)}), "a session"))
    yield from found[::every]


def merged(conversations: Sequence[Conversation], name: str, size: str) -> Log:
    """Return one log of all conversations in the order of time; sessions keep apart."""
    texts = [
        replace(text, id=f"{number}x{text.id}", session=f"{number}x{text.session}")
        for number, each in enumerate(conversations)
        for text in each.texts
    ]
    asked = [
        replace(question, evidence=frozenset(f"{number}x{name}" for name in question.evidence))
        for number, each in enumerate(conversations)
        for question in each.questions
    ]
    together = Conversation(name, "en", tuple(sorted(texts, key=lambda text: text.at)), tuple(asked))
    return Log(together, frozenset(map(_story, conversations)), size)


def put(log: Log, conversations: Sequence[Conversation], most: int) -> Iterator[Put]:
    """Yield questions for a log: its own, and as many as `most` of other stories, the same every time."""
    chance = random.Random(log.conversation.name)  # noqa: S311 - the same draws every time, no secret
    own = list(log.conversation.questions)
    swap = swapping(log.conversation)
    for question in chance.sample(own, min(len(own), 5 * most)):
        yield Put(log, "adversarial" if question.kind == "adversarial" else "answerable", question)
        about_other = swap(question.text)
        if question.kind != "adversarial" and about_other != question.text:
            yield Put(log, "wrong person", replace(question, text=about_other))
    others = [
        (each, question)
        for each in conversations
        if _story(each) not in log.stories
        for question in each.questions
        if question.kind != "adversarial"
    ]
    for source, question in chance.sample(others, min(len(others), most)):
        elsewhere = replace(question, asked=None)
        yield Put(log, "another's", elsewhere)
        text = _renamed(question.text, _names(source), _names(log.conversation))
        if text != question.text:
            yield Put(log, "another's, renamed", replace(elsewhere, text=text))


def _renamed(text: str, names: Sequence[str], others: Sequence[str]) -> str:
    """Return a text with one conversation's names for another's, as it is where either has not two."""
    if len(names) != 2 or len(others) != 2:  # noqa: PLR2004 - one and the other
        return text
    instead = dict(zip(names, others, strict=True))
    return re.sub("|".join(map(re.escape, names)), lambda match: instead[match[0]], text)


def _names(conversation: Conversation) -> list[str]:
    return [each for each in dict.fromkeys(t.speaker for t in conversation.texts) if each not in {"user", "assistant"}]


def _story(conversation: Conversation) -> str:
    return conversation.name.removesuffix(SUFFIX)
