"""What is known of a user as a tree: facts and memories, what each is about, and what is believed of that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from cairn.local.tables import when
from cairn.local.trees import Branch, bars

_WEEK: Final = timedelta(weeks=1)
_WEEKS: Final = 12


def known_tree(known: Mapping[str, Any], user: str | None, now: datetime) -> Branch:
    """Return an answer of memory_list_known as a tree, with how much of it was learnt in each of the last weeks."""
    facts = _by_subject((each["about"], _belief(each["value"], each)) for each in known["facts"])
    memories = _by_subject((each["type"], _belief(each["content"], each)) for each in known["memories"])
    kinds = (Branch("facts", under=facts), Branch("memories", under=memories))
    since = [datetime.fromisoformat(each["since"]) for each in (*known["facts"], *known["memories"])]
    title = f"What is known of {user}" if user else "What is known"
    return Branch(title, _learnt(since, now), tuple(each for each in kinds if each.under))


def by_week(moments: Iterable[datetime], now: datetime) -> tuple[int, ...]:
    """Return how many moments lie in each of the last weeks, the last one ending now; what is older counts nowhere."""
    counts = [0] * _WEEKS
    for moment in moments:
        # A clock that ran ahead has learnt something tomorrow.
        age = max(0, (now - moment) // _WEEK)
        if age < _WEEKS:
            counts[-1 - age] += 1
    return tuple(counts)


def _learnt(moments: list[datetime], now: datetime) -> str:
    weeks = by_week(moments, now)
    earlier = len(moments) - sum(weeks)
    return f"learnt in {_WEEKS} weeks until now: {bars(weeks)}{f', {earlier} earlier' if earlier else ''}"


def _by_subject(found: Iterable[tuple[str, Branch]]) -> tuple[Branch, ...]:
    """Return a branch for each subject, in the order in which they first come."""
    subjects: dict[str, list[Branch]] = {}
    for subject, belief in found:
        subjects.setdefault(subject, []).append(belief)
    return tuple(Branch(subject, under=tuple(beliefs)) for subject, beliefs in subjects.items())


def _belief(what: str, each: Mapping[str, Any]) -> Branch:
    session = f"{each['session_id']}, " if each["session_id"] else ""
    return Branch(what, f"since {when(each['since'])}, {session}{'everywhere' if each['everywhere'] else 'here'}")
