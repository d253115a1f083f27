"""Copies of conversations in which the assistant's replies are as long as those of today's models.

What such a reply holds beside the answer is advice that would fit anywhere, and the user's own words again. Both match
a question well and answer nothing, which a ranker that has only seen short replies cannot know.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from recall_sets import Conversation, Text

SHORTEST, LONGEST = 400, 3500
"""How many characters a padded reply has; as many are of 400 to 800 as of 1,600 to 3,200."""
ECHOED = 0.5
"""How likely a reply takes up a sentence of what the user said just now, or one of the last few times."""
RECENT = 4
"""How many of the user's last texts it may take up."""
SUFFIX = "-long-replies"
_ENDS = re.compile(r"(?<=[.!?])\s+")
_OPENINGS = ("You mentioned this:", "Since you said:", "On your point:", "Keeping in mind what you told me:")


def with_long_replies(conversations: Sequence[Conversation]) -> list[Conversation]:
    """Return a copy of each conversation with an assistant, its replies padded, the same every time."""
    spoken = {each.name: list(_advice(each)) for each in conversations}
    return [
        _padded(each, [said for name in sorted(spoken) if name != each.name for said in spoken[name]])
        for each in conversations
        if spoken[each.name]
    ]


def _advice(conversation: Conversation) -> Iterator[str]:
    for text in conversation.texts:
        if text.speaker == "assistant":
            yield from _ENDS.split(text.said)


def _padded(conversation: Conversation, advice: Sequence[str]) -> Conversation:
    chance = random.Random(conversation.name)  # noqa: S311 - the same draws every time, no secret
    texts: list[Text] = []
    for text in conversation.texts:
        of_user = [each.said for each in texts if not _is_reply(each)]
        told = [each for said in of_user[-RECENT:] for each in _ENDS.split(said)]
        texts.append(replace(text, said=_reply(text.said, told, advice, chance)) if _is_reply(text) else text)
    return replace(conversation, name=conversation.name + SUFFIX, texts=tuple(texts))


def _is_reply(text: Text) -> bool:
    return text.speaker == "assistant"


def _reply(said: str, told: Sequence[str], advice: Sequence[str], chance: random.Random) -> str:
    """Return the reply with sentences of advice around it, some of which repeat the user's."""
    length = SHORTEST * (LONGEST / SHORTEST) ** chance.random()
    around = [f"{chance.choice(_OPENINGS)} {each}" for each in told if chance.random() < ECHOED]
    while len(said) + sum(map(len, around)) < length:
        around.append(chance.choice(advice))
    chance.shuffle(around)
    place = chance.randrange(len(around) + 1)
    return " ".join([*around[:place], said, *around[place:]])
