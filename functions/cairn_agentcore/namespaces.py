"""Namespaces of memory records: whose memory one is about, and which of session, where its labels say that.

AWS's clients make them from templates of their users' own. Those that are known here are the templates that AWS
documents: `/facts/{actorId}`, `/preferences/{actorId}`, `/summaries/{actorId}/{sessionId}`,
`/strategies/{memoryStrategyId}/actors/{actorId}/sessions/{sessionId}` and `/users/{actorId}/facts`, with or without
their ends. Leading and trailing slashes count for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_KINDS: Final = frozenset({"facts", "preferences", "semantic", "summaries", "summary", "episodes"})
_OF_SESSIONS: Final = frozenset({"summaries", "summary"})
_BEFORE_ACTOR: Final = ("actors", "actor", "users", "user")
_BEFORE_SESSION: Final = ("sessions", "session")
_DEEPEST: Final = 2
"""How many labels may stand before the one that says that an actor follows."""


@dataclass(frozen=True, slots=True)
class About:
    """Whose memory a namespace is about, and of which of their sessions, None for all."""

    actor_id: str
    session_id: str | None = None


def labels_of(namespace: str) -> tuple[str, ...]:
    """Return the labels of a namespace."""
    return tuple(each for each in namespace.split("/") if each)


def about(labels: tuple[str, ...]) -> About | None:
    """Return whose memory a namespace is about, None where its labels do not say."""
    if labels and labels[0] in _KINDS:
        rest = labels[1:]
        if labels[0] in _OF_SESSIONS and len(rest) > 1:
            return About("/".join(rest[:-1]), rest[-1])
        return About("/".join(rest)) if rest else None
    for place, label in enumerate(labels[: _DEEPEST + 1]):
        if label in _BEFORE_ACTOR:
            return _of_actor(labels[place + 1 :])
    return None


def _of_actor(labels: tuple[str, ...]) -> About | None:
    """Return what stands behind the label that says that an actor follows."""
    session: str | None = None
    for place in range(1, len(labels) - 1):
        if labels[place] in _BEFORE_SESSION:
            labels, session = labels[:place], labels[place + 1]
            break
    if len(labels) > 1 and labels[-1] in _KINDS:
        labels = labels[:-1]
    return About("/".join(labels), session) if labels else None
