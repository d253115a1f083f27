"""Write passages and facts down, so that nothing in a text can pass for a heading or for another speaker.

A passage is its heading, then a line for each text: its speaker and what was said. Only headings, speakers and marks of
gaps stand at the beginning of a line: line breaks within a text are indented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from cairn.context.excerpts import GAP
from cairn.context.lines import Passage
from cairn.conversation.roles import PRIVILEGED, STORED, speaker
from cairn.facts.facts import Fact, subject
from cairn.facts.lessons import reference
from cairn.log.entries import Chunk
from cairn.log.memories import scope_of

_BREAKS = re.compile(r"\s*[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+\s*")
# Controls; what turns the direction of writing; what is not seen: a soft hyphen, a zero-width space, tags.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    r"\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_IN_NO_NAME = re.compile(r"[\[\]():\s]+")
# A key in brackets may hold a colon and so may a value; the name of who said it has no brackets.
_FACT_LINE = re.compile(r"[^(]*?(?: \(.*?\))?: (.*) \([^()]*\)")
# What goes on in further lines is indented.
_A_LINE = re.compile(r"\n(?! )")
MAY_BE_OUTDATED = "may be outdated"
"""How a sentence is marked of which it is not sure that a later one replaces it."""
_LONGEST_NAME = 40
_ROLES = frozenset({*STORED, *PRIVILEGED, "other", "system", "model", "human", "ai"})
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def rendered(passage: Passage) -> str:
    """Return a passage as lines: heading, then who said what, with "…" where texts were left out."""
    return "\n".join([f"[{passage.ref}, {day(passage.day)}]", *_lines(passage)])


def lines_in(passage: str) -> list[str]:
    """Return the lines of a passage, each on one line: who said what, without the heading and marks of gaps."""
    return [line.replace("\n ", "") for line in _A_LINE.split(passage)[1:] if line != GAP]


def fact_line(fact: Fact, asking: str | None, *, is_doubtful: bool = False) -> str:
    """Return a fact or a kept memory in one line: what it is about, its value, who said it and on which day.

    A fact of the one who asks has its reference too, by which what is learnt next may end it. One that something said
    later may outdate is marked so.
    """
    # An agent's reason stands in place of a quote.
    why = f", because {fact.source.quote}" if _is_note(fact) and fact.source.quote else ""
    said = _BREAKS.sub(" ", plain(f"{subject(fact)}: {fact.value}{why}"))
    is_own = not _is_note(fact) and fact.source.user_id == asking
    named = f", #{reference(fact)}" if is_own else ""
    marked = f", {MAY_BE_OUTDATED}" if is_doubtful else ""
    return f"{said} ({said_by(fact, asking)}, {day(fact.recorded_at.date())}{named}{marked})"


def said_by(fact: Fact, asking: str | None) -> str:
    """Return who said a fact; "note" where an agent kept it."""
    return "note" if _is_note(fact) else said_by_user(fact.source.user_id, asking)


def _is_note(fact: Fact) -> bool:
    # Drawn from nothing that was said; so is a person's correction, which quotes itself.
    return not fact.source.event_id and (scope_of(fact.id) is not None or fact.source.quote != fact.value)


def value_in(line: str) -> str:
    """Return the value in a fact's line; for a kept memory with its reason."""
    found = _FACT_LINE.fullmatch(line)
    return found[1] if found else line


def plain_text(facts: Sequence[str], passages: Sequence[str]) -> str:
    """Return what memory holds as one text for people and models: facts one a line, then the passages."""
    return "\n\n".join(filter(None, ["\n".join(f"- {fact}" for fact in facts), *passages]))


def label(chunk: Chunk, user: str | None, asking: str | None) -> str:
    """Return who said a text: the name on the item, else the role; users other than the one who asks by their id."""
    name = _IN_NO_NAME.sub(" ", plain(chunk.speaker)).strip()[:_LONGEST_NAME].strip()
    if name and name.casefold() not in _ROLES:
        return name
    role = speaker(chunk.role)
    return said_by_user(user, asking) if role == "user" else role.capitalize()


def said_by_user(user: str | None, asking: str | None) -> str:
    """Return how a user is named: "User" for the one who asks, and where none is known."""
    named = _IN_NO_NAME.sub(" ", plain(user or "")).strip()
    return "User" if not named or user == asking or named.casefold() in _ROLES else f"User {named}"


def words_of(text: str) -> str:
    """Return a text as it stands in a passage: line breaks indented, what is not seen left out."""
    return _BREAKS.sub("\n  ", plain(text).strip())


def plain(text: str) -> str:
    """Return a text without controls and characters that are not seen or turn the direction of others."""
    return _UNSEEN.sub("", text)


def day(when: date) -> str:
    """Return a day as people write it: 12 May 2023."""
    return f"{when.day} {_MONTHS[when.month - 1]} {when.year}"


def _lines(passage: Passage) -> Iterator[str]:
    last: int | None = None
    for line in passage.lines:
        if last is not None and line.before != last:
            yield GAP
        yield f"{line.speaker}: {line.said}"
        last = line.row
