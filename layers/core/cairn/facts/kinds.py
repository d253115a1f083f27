"""The kinds of facts that users state about themselves, one row a kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class FactKind(NamedTuple):
    """Properties of a kind of fact, besides the ways to state it (markers).

    `asked_with` are words that questions about it are likely to hold; its facts are found by them too. `introduces`
    tells whether it says whom the agent talks with, where a query has no answer.
    """

    asked_with: str
    introduces: bool = False


FACT_KINDS: Mapping[str, FactKind] = {
    "user_name": FactKind("name who called", introduces=True),
    "user_nickname": FactKind("name call nickname", introduces=True),
    "user_allergy": FactKind("allergy allergic food eat diet avoid cook meal restaurant snack", introduces=True),
    "user_home": FactKind("live home city town country move address where", introduces=True),
    "user_workplace": FactKind("work job company employer office", introduces=True),
    "user_role": FactKind("work job profession occupation career", introduces=True),
    "user_preference": FactKind("prefer preference preferred"),
    "user_like": FactKind("like love enjoy favorite hobby"),
    "today_task": FactKind("today task todo plan need"),
    "weekly_task": FactKind("week task todo plan need"),
    "user_note": FactKind(""),
    "user_profile": FactKind(""),
}
"""By the fact_id of its markers; those that introduce stand in the order in which they do."""
