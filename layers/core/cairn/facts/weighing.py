"""Hold what the model that answered says it learnt against the user's own words.

It was not asked for facts apart, and may have been talked into anything: by a page it read as by what it said itself.
So a lesson needs a quote of the user, and its value must stand in that quote; what it ends must be the caller's own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cairn.facts.extraction import extract
from cairn.facts.facts import Candidate, Fact, identity, normalise, retraction
from cairn.facts.kinds import is_of_user
from cairn.facts.lessons import REFERENCE_CHARACTERS, Lesson, Refusal
from cairn.facts.markers import MARKERS
from cairn.facts.proposals import quoted
from cairn.ground.tiers import Tier
from cairn.language.terms import terms

_CONFIDENCE = 0.85
"""As plain as what the rules read out of a statement that does not name its kind."""
_KIND_OF_WORD = {
    "name": "user_name",
    "nickname": "user_nickname",
    "home": "user_home",
    "home town": "user_home",
    "city": "user_home",
    "residence": "user_home",
    "workplace": "user_workplace",
    "employer": "user_workplace",
    "company": "user_workplace",
    "role": "user_role",
    "job": "user_role",
    "profession": "user_role",
    "occupation": "user_role",
    "allergy": "user_allergy",
    "allergies": "user_allergy",
    "preference": "user_preference",
    "preferences": "user_preference",
    "like": "user_like",
    "likes": "user_like",
    "today task": "today_task",
    "weekly task": "weekly_task",
    "note": "user_note",
    "profile": "user_profile",
}
_WHOSE = re.compile(r"(?:(?:the )?user(?:'s|s)?|my|the) (?=\S)")
_KIND_AND_KEY = re.compile(r"([^()]+) \((.+)\)")


@dataclass(frozen=True, slots=True)
class Supported:
    """A lesson that holds up, and the retraction of what it ends where the new fact does not take its place."""

    claim: Candidate
    ends: Candidate | None = None


class _Kind(NamedTuple):
    fact_id: str
    key: str
    tier: Tier


def weigh(lessons: Sequence[Lesson], said: Sequence[tuple[str, str]], own: Sequence[Fact]) -> list[Supported | Refusal]:
    """Return of each lesson what follows from it; `said` are (event id, text), `own` all that the caller believes."""
    return [_weighed(lesson, said, own) for lesson in lessons]


def _weighed(lesson: Lesson, said: Sequence[tuple[str, str]], own: Sequence[Fact]) -> Supported | Refusal:
    source = quoted(lesson.quote, said)
    if source is None:
        return Refusal.NOT_SAID
    event_id, words = source
    # A quote may begin or end within a word: "start" says nothing of "art".
    if not (_says(words, lesson.value) and _says(dict(said)[event_id], lesson.value)):
        return Refusal.NOT_IN_QUOTE
    claim = _claim(lesson, event_id, words)
    if lesson.replaces is None:
        return Supported(claim)
    named = _named(lesson.replaces, own)
    if len(named) != 1:
        return Refusal.AMBIGUOUS_REFERENCE if named else Refusal.UNKNOWN_REFERENCE
    [old] = named
    takes_its_place = identity(old) == identity(claim) and is_of_user(old) == is_of_user(claim)
    return Supported(claim, None if takes_its_place else retraction(old))


def _claim(lesson: Lesson, event_id: str, words: str) -> Candidate:
    kind = _kind(lesson)
    return Candidate(
        fact_id=kind.fact_id,
        key=kind.key,
        value=lesson.value,
        confidence=_CONFIDENCE,
        tier=kind.tier,
        event_id=event_id,
        quote=words,
    )


def _says(quote: str, value: str) -> bool:
    """Tell whether each word of the value that says something stands in the quote, in whatever order and ending."""
    looked_for = set(terms(value))
    return looked_for <= set(terms(quote)) if looked_for else normalise(value) in normalise(quote)


def _named(text: str, own: Sequence[Fact]) -> list[Fact]:
    """Return the facts of this reference, or of this id, of which one may come from two logs."""
    name = text.strip().removeprefix("#").lower()
    if len(name) < REFERENCE_CHARACTERS:
        return []
    return list({fact.id: fact for fact in own if fact.id.lower().endswith(name)}.values())


def _kind(lesson: Lesson) -> _Kind:
    """Return the kind that is named, as the rules have it, else one of its own, which is the project's and lasts."""
    about = _WHOSE.sub("", normalise(lesson.about.replace("_", " ")), count=1)
    parts = _KIND_AND_KEY.fullmatch(about)
    name, key = parts.groups() if parts else (about, "")
    fact_id = _KIND_OF_WORD.get(name)
    if fact_id is None:
        return _of_someone(about) or _Kind(about.replace(" ", "_"), about, Tier.L0)
    marker = next(marker for marker in MARKERS if marker.fact_id == fact_id)
    return _Kind(fact_id, marker.key or key or lesson.value, marker.tier)


def _of_someone(about: str) -> _Kind | None:
    """Return what the rules make of the same subject: "sister's name" and "dog" are of the user's profile."""
    for candidate in extract([("", f"My {about} is Ada.")], ""):
        if candidate.fact_id == "user_profile":
            return _Kind(candidate.fact_id, candidate.key, candidate.tier)
    return None
