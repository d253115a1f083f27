"""Whose memory a call is about: what the call names, or else what was named when the memory was opened."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final, TypedDict

from cairn.ground.errors import InvalidArgument

_SAME: Final = {"user_id": "user", "session_id": "session"}
"""The names that tools have for the same, and other programs too."""
_FIELDS: Final = {"project": "project", "user": "user_id", "session": "session_id"}
_DIGITS: Final = 16


class Names(TypedDict, total=False):
    """Whose memory a call is about; what it leaves out is as the memory was opened.

    `user` is who speaks, `session` the conversation, `project` what it is all kept under. `user_id` and `session_id`
    mean the same as `user` and `session`.
    """

    user: str | None
    user_id: str | None
    project: str | None
    session: str | None
    session_id: str | None


@dataclass(frozen=True, slots=True)
class Place:
    """A project, a user and a session, as far as they are named.

    `own` is a random text of the object whose place it is: its sessions are nobody else's.
    """

    project: str | None = None
    user: str | None = None
    session: str | None = None
    own: str = field(default_factory=lambda: secrets.token_hex(_DIGITS // 2), repr=False)

    def named(self, names: Names | Mapping[str, object]) -> Place:
        """Return the place that a call names, and this one where it names nothing; TypeError for an unknown name."""
        given = canonical(names)
        return replace(self, **given) if given else self

    def arguments(self) -> dict[str, str]:
        """Return what a tool is given of it."""
        named = {"project": self.project, "user": self.user, "session": self.session}
        return {_FIELDS[name]: value for name, value in named.items() if value is not None}

    def conversation(self) -> Place:
        """Return the place with a session: unless one is named, this object's own with this user.

        One user's session is never another's, since what was last said in a session is shown to whoever speaks in it.
        """
        if self.session is not None:
            return self
        whose = sha256(f"{self.own}/{self.project or ''}/{self.user or ''}".encode()).hexdigest()
        return replace(self, session=f"{self.own}-{whose[:_DIGITS]}")


def canonical(names: Mapping[str, object]) -> dict[str, str]:
    """Return what is named, by one name each; TypeError for an unknown name, InvalidArgument for two that differ."""
    found: dict[str, str] = {}
    for given, value in names.items():
        name = _SAME.get(given, given)
        if name not in _FIELDS:
            raise TypeError(f"unexpected argument {given!r}: name a user, a session or a project")
        if value is None:
            continue
        if not isinstance(value, str):
            raise InvalidArgument(given, "must be a string")
        if found.setdefault(name, value) != value:
            raise InvalidArgument(given, f"differs from {name}, which means the same")
    return found
