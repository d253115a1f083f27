"""Whose a memory is: mem0's users, agents, apps and runs, and the users that they are to Cairn.

A memory is of the user that is named, or else of the agent, the app or the run. What is not a user's own is kept under
a user named after it, such as `agent:planner`.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Final, NamedTuple

from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import MAX_ID_CHARACTERS
from cairn_mem0.asked import text

KINDS: Final = ("user", "agent", "app", "run")
"""The kinds of entities; the first that is named has the memory."""
NAMES: Final = tuple(f"{kind}_id" for kind in KINDS)
"""What calls name them by."""
_SESSION: Final = "mem0:"


class Entity(NamedTuple):
    """A user, an agent, an app or a run."""

    kind: str
    name: str

    @property
    def user(self) -> str:
        """Return the user that it is to Cairn."""
        return self.name if self.kind == "user" else f"{self.kind}:{self.name}"

    @classmethod
    def of(cls, user: str) -> Entity:
        """Return what a user of Cairn is to mem0."""
        kind, _, name = user.partition(":")
        return cls(kind, name) if name and kind in KINDS[1:] else cls("user", user)

    @property
    def session(self) -> str:
        """Return the session in which it says what it says in no run."""
        name = f"{_SESSION}{self.user}"
        if len(name) <= MAX_ID_CHARACTERS:
            return name
        return f"{_SESSION}{sha256(self.user.encode('utf-8', 'replace')).hexdigest()}"


def named(values: Mapping[str, object]) -> dict[str, str]:
    """Return the entities that a call names, by kind; InvalidArgument for a name that is none."""
    found = {kind: text(values, name) for kind, name in zip(KINDS, NAMES, strict=True)}
    return {kind: name for kind, name in found.items() if name is not None}


def with_usual(names: Mapping[str, str], usual: str | None) -> dict[str, str]:
    """Return the entities with the one that the key speaks for, where they name no other of its kind."""
    return {**({entity.kind: entity.name} if (entity := Entity.of(usual or "")).name else {}), **names}


def owner(names: Mapping[str, str]) -> Entity:
    """Return the entity whose memory is meant; InvalidArgument where nobody is named."""
    found = next((Entity(kind, names[kind]) for kind in KINDS if kind in names), None)
    if found is None:
        raise InvalidArgument("user_id", "or agent_id, app_id or run_id is required")
    return found
