"""How AWS's names and Cairn's stand for each other: a memory for a project, an actor for a user, sessions for sessions.

A memory's id ends with a dash and ten characters. Where these are `cairnstore`, what stands before the dash is the
project's name; any other id is itself the name of a project. So a memory keeps the id that it has at AWS, and a project
that is there already can be reached as well. At AWS two actors may have sessions of one id, which are two sessions:
here a session's name says by ten digits whose it is.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Final

from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import MAX_ID_CHARACTERS, UserId, user_id

_ENDING: Final = "-cairnstore"
_MEMORY_ID: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9-_]{0,99}-[a-zA-Z0-9]{10}")
_MEMORY_ARN: Final = re.compile(r"arn:[a-z-]+:bedrock-agentcore:[a-z0-9-]*:[0-9]*:memory/(.+)")
_BETWEEN: Final = "~"
_OWNER_DIGITS: Final = 10
_ESCAPED: Final = {"%": "%25", "/": "%2F"}
_ESCAPES: Final = {escape: character for character, escape in _ESCAPED.items()}
_MEANT: Final = re.compile("|".join(_ESCAPES))


def project_of(memory_id: str) -> str:
    """Return the project that a memory's id or ARN stands for, InvalidArgument for anything else."""
    found = _MEMORY_ARN.fullmatch(memory_id)
    name = memory_id if found is None else found[1]
    if not _MEMORY_ID.fullmatch(name):
        raise InvalidArgument("memoryId", "must be a memory's id: a name, a dash and ten letters or digits")
    return name.removesuffix(_ENDING)


def memory_of(project: str) -> str | None:
    """Return the memory's id that stands for a project, None for a project whose name none can hold."""
    if _MEMORY_ID.fullmatch(project) and not project.endswith(_ENDING):
        return project
    found = f"{project}{_ENDING}"
    return found if _MEMORY_ID.fullmatch(found) and project_of(found) == project else None


def user_of(actor_id: str) -> UserId:
    """Return the user that an actor is, InvalidArgument for one that none can be: a user's name holds no slash."""
    try:
        return user_id("".join(_ESCAPED.get(character, character) for character in actor_id))
    except InvalidArgument:
        problem = f"must be 1-{MAX_ID_CHARACTERS} characters here, of which a slash and a percent sign count three"
        raise InvalidArgument("actorId", problem) from None


def actor_of(user: str) -> str:
    """Return the actor that a user is."""
    return _MEANT.sub(lambda found: _ESCAPES[found[0]], user)


def owner_digits(user: str) -> str:
    """Return how a user is named by digits."""
    return sha256(user.encode()).hexdigest()[:_OWNER_DIGITS]


def session_of(user: str, session_id: str) -> str:
    """Return the session that an actor's session is."""
    return f"{session_id}{_BETWEEN}{owner_digits(user)}"


def session_id_of(session: str) -> str:
    """Return the id of the actor's session that a session is."""
    return session.rsplit(_BETWEEN, 1)[0]
