"""The kinds of facts that users state about themselves, one row a kind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal, NamedTuple

from cairn.facts.facts import Candidate, Fact, normalise
from cairn.ground.tiers import Tier


class FactKind(NamedTuple):
    """Properties of a kind of fact, besides the ways to state it (markers).

    `of` says whether its facts are the user's, who is the same in every project, or the project's in which they were
    said. `asked_with` are words that questions about it are likely to hold; its facts are found by them too.
    `introduces` tells whether it says whom the agent talks with, where a query has no answer; `stands` whether it holds
    whatever is asked.
    """

    of: Literal["user", "project"]
    asked_with: str
    introduces: bool = False
    stands: bool = False


FACT_KINDS: Mapping[str, FactKind] = {
    "user_name": FactKind("user", "name who called", introduces=True),
    "user_nickname": FactKind("user", "name call nickname", introduces=True),
    "user_allergy": FactKind(
        "user", "allergy allergic food eat diet avoid cook meal restaurant snack", introduces=True
    ),
    "user_home": FactKind("user", "live home city town country move address where", introduces=True),
    "user_workplace": FactKind("user", "work job company employer office", introduces=True),
    "user_role": FactKind("user", "work job profession occupation career", introduces=True),
    "user_preference": FactKind("user", "prefer preference preferred", stands=True),
    "user_like": FactKind("project", "like love enjoy favorite hobby"),
    "today_task": FactKind("project", "today task todo plan need"),
    "weekly_task": FactKind("project", "week task todo plan need"),
    "user_note": FactKind("project", ""),
    "user_profile": FactKind("user", ""),
    "said_identity": FactKind("user", "", introduces=True),
    "said_attribute": FactKind("project", ""),
    "said_relation": FactKind("project", ""),
    "said_possession": FactKind("project", ""),
    "said_event": FactKind("project", ""),
    "said_preference": FactKind("user", "prefer preference preferred", stands=True),
    "said_instruction": FactKind("user", "", stands=True),
    "said_convention": FactKind("project", "convention rule", stands=True),
    "said_decision": FactKind("project", "decision decide"),
    "said_plan": FactKind("project", "plan deadline date when"),
    "said_project": FactKind("project", ""),
}
"""By the fact_id of its markers; those that introduce stand in the order in which they do.

Of a fact whose name begins with "said" the value is what was said, a sentence or two (cairn.statements).
"""
_OFTEN_HERE = frozenset({"user_preference", "said_preference", "said_instruction"})
_KEYS_OF_PROJECTS = frozenset({"budget"})
"""What a profile may hold and a user has anew in each project."""
# "For this repo I prefer tabs" says nothing of other repos.
_HERE = re.compile(r"\b(?:(?:for|in|on|of|with|within|at) (?:this|these|the current|our)|here)\b", re.IGNORECASE)


# "My name is Ada, and the merger closes in May": what the rest of a sentence says may be the project's.
_CLAUSE_BORDER = re.compile(
    r"[,;:.!?()\n]|\s[-\u2013\u2014]\s|\b(?:and|but|or|so|while|because|since|as|which|who|that|if|when|where|though)\b",
    re.IGNORECASE,
)


def alone(said: Candidate) -> Candidate:
    """Return a statement that quotes no more of its sentence than the clause with its value, or the value itself."""
    value = normalise(said.value)
    found = (said.quote[start:end] for start, end in clauses(said.quote))
    return replace(said, quote=next((clause for clause in found if value in normalise(clause)), said.value))


def clauses(sentence: str) -> Iterator[tuple[int, int]]:
    """Yield where the clauses of a sentence begin and end, without the blanks around them."""
    start = 0
    for border in _CLAUSE_BORDER.finditer(sentence):
        yield from _stripped(sentence, start, border.start())
        start = border.end()
    yield from _stripped(sentence, start, len(sentence))


def _stripped(sentence: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    clause = sentence[start:end]
    if clause.strip():
        yield start + len(clause) - len(clause.lstrip()), start + len(clause.rstrip())


def stands(fact: Fact) -> bool:
    """Tell whether a fact says how its user wants to be served or how things are done, whatever is asked."""
    kind = FACT_KINDS.get(fact.fact_id)
    return kind is not None and kind.stands


def is_of_user(said: Candidate | Fact) -> bool:
    """Tell whether a statement holds of its user in every project: who they are and what they lastingly prefer.

    What a language model found of another kind, what is of use for some days only, and what was said of "this" alone
    is the project's.
    """
    kind = FACT_KINDS.get(said.fact_id)
    if kind is None or kind.of == "project" or said.tier is not Tier.L0 or normalise(said.key) in _KEYS_OF_PROJECTS:
        return False
    quote = said.quote if isinstance(said, Candidate) else said.source.quote
    return said.fact_id not in _OFTEN_HERE or not _HERE.search(quote)
