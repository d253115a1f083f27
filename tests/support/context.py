"""Read a memory block as a model does, and hand its parts to tests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from cairn.context.lines import Line
from cairn.context.rendering import words_of
from cairn.context.sayings import form
from cairn.conversation import token_count as tokens
from cairn.conversation.items import text_of
from cairn.ground.ids import SessionId, TurnId
from cairn.log.entries import Chunk

_FACT = re.compile(
    r"(?P<about>.*?): (?P<value>.*) \((?P<who>[^()]*), (?P<day>\d+ [A-Z][a-z]+ \d+)(?:, #\w{4})?"
    r"(?:, may be outdated)?\)"
)
_HEADING = re.compile(r"\[(?P<ref>m\d+), (?P<day>\d+ [A-Z][a-z]+ \d+)\]")
_EMPTY = '{"kind":"historical_memory","facts":[],"chunks":[]}'


def block_of(items: Iterable[Any]) -> dict[str, Any]:
    """Return the memory block among the items of an input, an empty one where there is none.

    Its facts have what they are about, their value, who said it and the day; its chunks are the texts one by one, with
    speaker, text and the reference and day of their passage; its passages are as they stand there.
    """
    found = [text for text in map(text_of, items) if text.startswith('{"kind":"historical_memory"')]
    assert len(found) <= 1
    return read_block(found[0] if found else _EMPTY)


def read_block(text: str) -> dict[str, Any]:
    """Return what a memory block says."""
    content = json.loads(text)
    facts = [_matched(_FACT, fact) for fact in content["facts"]]
    chunks = [chunk for passage in content["chunks"] for chunk in texts_of(passage)]
    return {**content, "facts": facts, "chunks": chunks, "passages": content["chunks"]}


def texts_of(passage: str) -> list[dict[str, str]]:
    """Return the texts of a passage: who said each, what, and under which reference and day."""
    heading, *lines = passage.split("\n")
    found: list[dict[str, str]] = []
    for line in lines:
        if line.startswith("  "):
            found[-1]["text"] += f"\n{line.removeprefix('  ')}"
        elif line != "…":
            speaker, _, said = line.partition(": ")
            found.append({"speaker": speaker, "text": said, **_matched(_HEADING, heading)})
    return found


def line_of(  # noqa: PLR0913 - what makes a line
    number: int, text: str, *, session: str = "s", chance: float = 0.5, day: int = 1, speaker: str = "User"
) -> Line:
    """Return a text as a line, that of this number in its session."""
    at = datetime(2026, 3, day, 12, tzinfo=UTC) + timedelta(minutes=number)
    chunk = Chunk(
        session_id=SessionId(session),
        turn_id=TurnId(f"t{number}"),
        event_id=f"e{number}",
        seq=number,
        at=at,
        role="user",
        speaker="user",
        text=text,
    )
    said = words_of(text)
    cost = tokens.count(f"{speaker}: {said}") + 2
    return Line(
        chunk=chunk,
        speaker=speaker,
        said=said,
        row=number,
        before=number - 1,
        cost=cost,
        chance=chance,
        form=form(said),
    )


def _matched(pattern: re.Pattern[str], text: str) -> dict[str, str]:
    match = pattern.fullmatch(text)
    assert match is not None, text
    return match.groupdict()
