"""Parse and describe API keys: their text, what they allow, and when they end."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal, NewType, get_args

from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, Tenant, UserId, matches

Scope = Literal["read", "write", "admin"]
KeyState = Literal["open", "ending", "ended"]
"""Whether a key opens anything; one that is ending was rotated, and opens what it did until its overlap is over."""
Refused = Literal["missing", "unknown", "unavailable", "unproven"]
"""Why the authorizer let nobody in: nothing was shown, it opens nothing, or that cannot be told just now; or what was
shown is a signature, which only who sees the body can verify."""
ProjectPattern = NewType("ProjectPattern", str)

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
ALL_PROJECTS: Final = ProjectPattern("*")
ID_BYTES: Final = 8
SECRET_BYTES: Final = 32
MOST_USERS: Final = 16
MOST_DAYS: Final = 36500
"""How long a key may last that does not last for ever."""
KEY_ID: Final = re.compile(r"[0-9a-f]{16}")
_KEY = re.compile(rf"cairn_({KEY_ID.pattern})_([A-Za-z0-9_-]{{43}})")
_AWS_PREFIX = "CAIRN"
_ACCESS_KEY_ID = re.compile(rf"{_AWS_PREFIX}([0-9A-F]{{16}})")
_SEGMENT = r"(?:\*|[A-Za-z0-9_-]*)"
_PART = rf"{_SEGMENT}(?:\.{_SEGMENT})*"
_PATTERN = re.compile(rf"(?=.{{1,128}}\Z){_PART}(?:/{_PART})*")
_NO_PARTS = frozenset({"", ".", ".."})
_POLICY = re.compile(r"[A-Za-z0-9_.-]{1,64}")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key in two parts: the id that finds its record, and the secret, which is stored nowhere."""

    id: str
    secret: str = field(repr=False)

    @classmethod
    def of(cls, randomness: bytes) -> ApiKey:
        """Make a key of ID_BYTES + SECRET_BYTES random bytes."""
        secret = base64.urlsafe_b64encode(randomness[ID_BYTES:]).rstrip(b"=").decode("ascii")
        return cls(randomness[:ID_BYTES].hex(), secret)

    @classmethod
    def derived(cls, key_id: str, secret: bytes) -> ApiKey:
        """Make the key of an id and SECRET_BYTES that follow from it."""
        return cls.of(bytes.fromhex(key_id) + secret)

    def text(self) -> str:
        """Return the key as its holder sends it: `cairn_<id>_<secret>`."""
        return f"cairn_{self.id}_{self.secret}"

    @property
    def access_key_id(self) -> str:
        """Return the id as AWS's clients name it, for whom the secret is the secret access key."""
        return f"{_AWS_PREFIX}{self.id.upper()}"


def parse(text: str) -> ApiKey | None:
    """Return the key in a text, None where it is none."""
    found = _KEY.fullmatch(text)
    return ApiKey(*found.groups()) if found else None


def named_by(access_key_id: str) -> str | None:
    """Return the id of the key that AWS's clients name so, None where it can be none."""
    found = _ACCESS_KEY_ID.fullmatch(access_key_id)
    return found[1].lower() if found else None


def project_pattern(value: str) -> ProjectPattern:
    """Return a valid pattern of project names, InvalidArgument otherwise."""
    parts = value.split("/")
    if not _PATTERN.fullmatch(value) or (len(parts) > 1 and not _NO_PARTS.isdisjoint(parts)):
        raise InvalidArgument(
            "projects", "must be project names in which * may stand for whole dotted segments, or parts between slashes"
        )
    return ProjectPattern(value)


def covers(pattern: ProjectPattern, project: Project) -> bool:
    """Tell whether a project is of a pattern: each `*` stands for one whole segment, the last one for one or more."""
    return matches(pattern, project)


def scope(value: str) -> Scope:
    """Return a scope, InvalidArgument where there is none of this name."""
    for known in SCOPES:
        if value == known:
            return known
    raise InvalidArgument("scopes", f"must be of {', '.join(SCOPES)}")


@dataclass(frozen=True, slots=True)
class Grant:
    """The rights of a key within its tenant; InvalidArgument if there are none or a policy's name is not valid.

    With `users`, the key speaks for them alone; without, for whomever its calls name.
    """

    projects: tuple[ProjectPattern, ...] = (ALL_PROJECTS,)
    scopes: tuple[Scope, ...] = SCOPES
    policy: str | None = None
    users: tuple[UserId, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what no key can have."""
        if not self.projects:
            raise InvalidArgument("projects", "must not be empty")
        if not self.scopes:
            raise InvalidArgument("scopes", "must not be empty")
        if self.policy is not None and not _POLICY.fullmatch(self.policy):
            raise InvalidArgument("policy", "must be 1-64 letters, digits, _, . or -")
        if len(self.users) > MOST_USERS:
            raise InvalidArgument("users", f"must be at most {MOST_USERS}")


@dataclass(frozen=True, slots=True)
class Credential:
    """The record of an API key: its tenant, what it may do there and when it ends. The key itself is not in it."""

    id: str
    tenant: Tenant
    grant: Grant
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    """When it was or will be taken back: a rotated key goes on until its overlap ends."""
    derived_under: int | None = None
    """The number of the data key that its secret follows from, None where the secret is random: what AWS's clients sign
    can be verified of a derived secret alone."""
    successor: str | None = None
    rotated_by: str = ""
    """The id of the key that was made in its place, and of the plan that did."""

    @property
    def ends_at(self) -> datetime | None:
        """Return when it stops opening anything, None if never."""
        return min((end for end in (self.expires_at, self.revoked_at) if end is not None), default=None)

    @property
    def lifetime(self) -> timedelta | None:
        """Return how long it was made for, None if for ever."""
        return None if self.expires_at is None else self.expires_at - self.created_at

    def is_open(self, now: datetime) -> bool:
        """Tell whether it opens its tenant's memory now."""
        return self.ends_at is None or now < self.ends_at

    def state(self, now: datetime) -> KeyState:
        """Return whether it opens anything now, and whether it was rotated."""
        if not self.is_open(now):
            return "ended"
        return "open" if self.revoked_at is None else "ending"


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A new key with its record; its text can be read only now."""

    text: str = field(repr=False)
    credential: Credential
