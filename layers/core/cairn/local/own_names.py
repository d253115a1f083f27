"""Whose memory it is on one machine where nobody says: the project and the user that an agent need not name."""

from __future__ import annotations

import getpass
import re
from dataclasses import dataclass
from typing import Final

from cairn.ground import ids
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, UserId

DEFAULT_PROJECT: Final = Project("default")
OWNER: Final = UserId("owner")
"""The user of a machine that tells no login name, as some containers do."""
_ODD = re.compile(r"[^\w.@+-]+")


@dataclass(frozen=True, slots=True)
class OwnNames:
    """The project and the user that the first key is bound to."""

    project: Project
    user: UserId

    @classmethod
    def of(cls, project: Project | None = None, user: UserId | None = None) -> OwnNames:
        """Return these names, and for one that is not given `default` or the login name."""
        return cls(project or DEFAULT_PROJECT, user or login_name())

    @property
    def fields(self) -> dict[str, str]:
        """Return them by the fields of tools that they stand for."""
        return {"project": self.project, "user_id": self.user}


def login_name() -> UserId:
    """Return who is logged in, without a domain and with odd characters as `-`; `owner` where that is nobody."""
    try:
        name = getpass.getuser()
    except (ImportError, KeyError, OSError):  # what it raises where no user has this process's id
        return OWNER
    plain = _ODD.sub("-", name.rpartition("\\")[2]).strip("-.")[: ids.MAX_ID_CHARACTERS]
    try:
        return ids.user_id(plain)
    except InvalidArgument:
        return OWNER
