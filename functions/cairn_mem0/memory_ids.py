"""The id of a memory: Cairn's own, and whose it is, since a client names nothing else."""

from __future__ import annotations

import base64
import binascii
from typing import NamedTuple

from cairn.ground.errors import InvalidArgument, NotFound
from cairn.ground.ids import MAX_ID_CHARACTERS, user_id


class MemoryName(NamedTuple):
    """Whose a memory is, and its id in Cairn."""

    user: str
    id: str

    def __str__(self) -> str:
        """Return the id that a client gets."""
        return f"{self.id}.{base64.urlsafe_b64encode(self.user.encode()).rstrip(b'=').decode()}"


def parsed(given: object) -> MemoryName:
    """Return what an id of this door names; NotFound where it is none."""
    name, _, owner = given.partition(".") if isinstance(given, str) else ("", "", "")
    try:
        user = base64.b64decode(owner + "=" * (-len(owner) % 4), altchars=b"-_", validate=True).decode()
        found = MemoryName(user_id(user), name)
    except (binascii.Error, ValueError, InvalidArgument):
        raise absent() from None
    if not name or len(name) > MAX_ID_CHARACTERS or str(found) != given:
        raise absent()
    return found


def absent() -> NotFound:
    """Return the error that says that an id names nothing here."""
    return NotFound("Memory not found!")
