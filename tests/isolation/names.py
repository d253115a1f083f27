"""What tenants call their things: the same names everywhere, of which some begin others, fold together or mean harm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

TENANTS: Final = ("a", "A", "a-b", "a_b", "acme", "acme1", "acme-", "keys", "audit", "m")
PROJECTS: Final = ("p", "P", "p1", "p.", "..p", "keys", "s", "m", "p-1", "p_1", "p/1", "p/m/p", "s/p")
SESSIONS: Final = (
    *("s1", "s10", "s", "S1", "s_", "s%", "%", "_", "#", "s1#", "s1#s#p#s1", "~", "e#~", "e#0", "e#000000000001"),
    *("turn#t1", "cmp#1", "m#", "log#u:ada", "u:ada", "s:s1", "keys", "abstracts", "*", "s1 ", " s1", "ß", "ss", "SS"),
    *("\u00e9", "e\u0301", "\u212b", "\u00c5", "\u0131", "i", "\u0130", "\U0010ffff", "a\u200b", "a", "\u202ea"),
    *("s1\u2028", "\ufeffs1"),
)
USERS: Final = ("ada", "Ada", "s1", "u:ada", "s:s1", "#", "~", "%", "\U0010ffff", "p:")
NO_NAMES: Final = ("..", ".", "a/b", "../a", "a\\b", "", " ", "x" * 129, "a\x07")
"""What no session, turn or user may be called."""
_TURNS: Final = ("t1", "t10", "t", "T1", "turn#t1", "e#~", "%", "_", "#", "\u00e9", "e\u0301")
_NAMESPACES: Final = (
    "session.a",
    "session.A",
    "session.a_b",
    "session.a-b",
    "agent.a",
    "session.a.b",
    "keys.a",
    "k",
    "session.ab",
)
_KEYS: Final = ("k", "K", "k1", "k/1", "k_1", "k:1", "k.", "..", "../k", "v", "n", "plan/beans")
_TAGS: Final = ("t", "T", "tag", "tags", "a_b", "a-b", "s1", "garden")
_PATHS: Final = ("", "user", "sessions", "..", "%", "_", "#", *(("/memories/notes.md",) * 20), "/memories")
_FRUIT: Final = ("figs", "plums", "pears", "quinces", "medlars", "currants")
_TEXTS: Final = (
    "My name is Ada and I like {0}.",
    "I prefer {0} over {1}. Remember that the gate code is {0}.",
    "What do I like, {0} or {1}?",
    "I live in Lyon. I am allergic to {0}.",
    "Actually, I no longer like {0}; I prefer {1}.",
    "We decided to plant {0} next to the {1}.",
    "%_#{0}",
)
_LONG: Final = 40_000


@dataclass(frozen=True, slots=True)
class Names:
    """The few names that all tenants of one trial use, by the field that takes them."""

    of: Mapping[str, Sequence[str]]

    @classmethod
    def drawn(cls, draw: Random) -> Names:
        """Draw names so few that tenants meet under them."""
        return cls(
            {
                "project": draw.sample(PROJECTS, draw.choice([1, 2, 6])),
                "session_id": draw.sample(SESSIONS, draw.choice([1, 2, 4])),
                "user_id": draw.sample(USERS, 2),
                "turn_id": draw.sample(_TURNS, 5),
                "namespace": draw.sample(_NAMESPACES, draw.choice([1, 1, 2, 6])),
                "key": draw.sample(_KEYS, draw.choice([3, 6])),
                "prefix": ("", "", "k"),
                "tags": draw.sample(_TAGS, 3),
                "path": _PATHS,
                "old_path": _PATHS,
                "new_path": (*_PATHS, "/memories/old.md"),
                "operation_id": ("o1", "o2", "O1"),
            }
        )


def text(draw: Random) -> str:
    """Draw something to say; now and then it is so long that it becomes a blob."""
    said = draw.choice(_TEXTS).format(*draw.sample(_FRUIT, 2))
    return said + f" {draw.choice(_FRUIT)}" * (_LONG // 6) if draw.random() < 0.01 else said
