"""Types for the names of things, the one place that decides which names are valid, and patterns of names.

In a pattern, `*` stands for whole segments: between dots, or of a project's name between slashes.
"""

from __future__ import annotations

import re
from base64 import b32encode
from datetime import UTC, datetime, timedelta
from typing import NewType

from cairn.ground.errors import InvalidArgument

Tenant = NewType("Tenant", str)
Project = NewType("Project", str)
SessionId = NewType("SessionId", str)
TurnId = NewType("TurnId", str)
UserId = NewType("UserId", str)
Digest = NewType("Digest", str)

MAX_ID_CHARACTERS = 128
_PROJECT_PART = r"(?!\.{1,2}(?:/|\Z))[A-Za-z0-9_.-]+"
_PROJECT = re.compile(rf"(?=.{{1,128}}\Z){_PROJECT_PART}(?:/{_PROJECT_PART})*")
_BRANCH = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_BRANCH_SIGN = "@"
_TENANT = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FORBIDDEN = re.compile(r"[/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CHARACTERS = 26
_ENCODED_BYTES = 20
_WRITTEN = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", _CROCKFORD.encode())


class _Digits(dict[int, str]):
    """Crockford's digits as int() knows them; what is none becomes one that int() refuses."""

    def __missing__(self, character: int) -> str:
        return "!"


_READ = _Digits(str.maketrans(dict(zip(_CROCKFORD, "0123456789abcdefghijklmnopqrstuv", strict=True))))
_DIGEST = re.compile(r"[0-9a-f]{64}")
_NAME_PATTERN = re.compile(r"(?:\*|[A-Za-z0-9_-]+)(?:\.(?:\*|[A-Za-z0-9_-]+))*")
_RANDOM_BYTES = 10
_TIME_CHARACTERS = 10
_EPOCH = datetime.fromtimestamp(0, UTC)


def tenant(value: str) -> Tenant:
    """Return the name of a tenant: 1-64 of letters, digits, `_` and `-`; ValueError otherwise."""
    if not _TENANT.fullmatch(value):
        raise ValueError("a tenant is 1-64 letters, digits, _ or -")
    return Tenant(value)


def is_digest(value: str) -> bool:
    """Tell whether a text is a SHA-256 as 64 lower-case hexadecimal digits."""
    return _DIGEST.fullmatch(value) is not None


def digest(value: str) -> Digest:
    """Return a SHA-256 as 64 lower-case hexadecimal digits; ValueError otherwise."""
    if not is_digest(value):
        raise ValueError("a digest is 64 lower-case hexadecimal digits")
    return Digest(value)


def project(value: str) -> Project:
    """Return a valid project name, such as `garden` or `owner/repo`; InvalidArgument otherwise."""
    if not _PROJECT.fullmatch(value):
        problem = "must be 1-128 letters, digits, _, . or -, in parts joined by /, none of them empty, . or .."
        raise InvalidArgument("project", problem)
    return Project(value)


def project_or_branch(value: str) -> Project:
    """Return a valid project name, or that of a branch of one, such as `garden@try-1`; InvalidArgument otherwise."""
    of, sign, name = value.partition(_BRANCH_SIGN)
    if len(value) > MAX_ID_CHARACTERS:
        raise InvalidArgument("project", f"must be at most {MAX_ID_CHARACTERS} characters")
    return branch_project(project(of), name) if sign else project(value)


def branch_project(of: Project, name: str) -> Project:
    """Return what a branch of a project is called in calls; InvalidArgument where its name is none."""
    if not _BRANCH.fullmatch(name):
        raise InvalidArgument("branch", "must be 1-64 letters, digits, _, . or -")
    return Project(f"{of}{_BRANCH_SIGN}{name}")


def is_branch(value: str) -> bool:
    """Tell whether a project's name is that of a branch."""
    return _BRANCH_SIGN in value


def trunk(value: Project) -> Project:
    """Return the project that a branch is of, or the project itself."""
    return Project(value.partition(_BRANCH_SIGN)[0])


def branch_of(value: Project) -> str:
    """Return the name of a branch within its project, "" where it is none."""
    return value.partition(_BRANCH_SIGN)[2]


def session_id(value: str) -> SessionId:
    """Return a valid session id, InvalidArgument otherwise."""
    return SessionId(_identifier("session_id", value))


def turn_id(value: str) -> TurnId:
    """Return a valid turn id, InvalidArgument otherwise."""
    return TurnId(_identifier("turn_id", value))


def user_id(value: str) -> UserId:
    """Return a valid user id, InvalidArgument otherwise."""
    return UserId(_identifier("user_id", value))


def time_ordered_id(moment: datetime, randomness: bytes) -> str:
    """Return a 26-character ULID: 48 bits of milliseconds, then the 10 random bytes, in Crockford's base 32."""
    if len(randomness) != _RANDOM_BYTES:
        raise ValueError("a ULID takes 10 random bytes")
    return _ulid((((moment - _EPOCH) // timedelta(milliseconds=1)) << 80) | int.from_bytes(randomness))


def following_id(time_ordered: str) -> str:
    """Return the ULID right after this one in order, which is of the same millisecond but for the last one of it."""
    return _ulid(_number(time_ordered) + 1)


def moment_of(time_ordered: str) -> datetime:
    """Return the moment, to the millisecond, that time_ordered_id() was given."""
    return _EPOCH + timedelta(milliseconds=_number(time_ordered[:_TIME_CHARACTERS]))


def _ulid(number: int) -> str:
    # In bytes that are a whole number of digits: an id is the last ones of them.
    return b32encode(number.to_bytes(_ENCODED_BYTES)).translate(_WRITTEN)[-_CHARACTERS:].decode()


def _number(digits: str) -> int:
    return int("0" + digits.translate(_READ), 32)


def _identifier(field: str, value: str) -> str:
    if not value.strip():
        raise InvalidArgument(field, "must not be empty")
    if len(value) > MAX_ID_CHARACTERS:
        raise InvalidArgument(field, f"must be at most {MAX_ID_CHARACTERS} characters")
    if _FORBIDDEN.search(value) or value in {".", ".."}:
        raise InvalidArgument(field, "must not hold /, \\, control characters or lone surrogates, nor be . or ..")
    return value


Namespace = NewType("Namespace", str)


def matches(pattern: str, name: str) -> bool:
    """Tell whether a name is of a pattern: each `*` stands for one segment, the last one for one or more.

    A `*` that stands alone between slashes takes all that a name has there, dots too; `team.*` reaches over no slash.
    """
    wanted, given = pattern.split("/"), name.split("/")
    if wanted[-1] == "*":
        given = given[: len(wanted)]
    return len(wanted) == len(given) and all(map(_covers_part, wanted, given))


def _covers_part(pattern: str, part: str) -> bool:
    wanted, given = pattern.split("."), part.split(".")
    if wanted[-1] == "*":
        given = given[: len(wanted)]
    return len(wanted) == len(given) and all(want in {"*", have} for want, have in zip(wanted, given, strict=True))


def is_pattern(value: str) -> bool:
    """Tell whether a text is a pattern of dotted names: segments of letters, digits, `_` and `-`, or `*`."""
    return _NAME_PATTERN.fullmatch(value) is not None


def is_project_pattern(value: str) -> bool:
    """Tell whether a text is a pattern of project names, which slashes may divide as well as dots."""
    return all(map(is_pattern, value.split("/")))
