"""Recognise access tokens, and turn the claims of a verified one into what it allows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, TypeGuard, cast

from cairn.access.api_keys import ALL_PROJECTS, MOST_USERS, SCOPES, ProjectPattern, Scope, project_pattern
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Tenant, UserId, user_id
from cairn.ground.settings import OidcSettings

LEEWAY_SECONDS: Final = 60
_TOKEN = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_ID_CHARACTERS = 16


@dataclass(frozen=True, slots=True)
class Identity:
    """The tenant that a token opens, what it may do there and for which users; `id` names its subject.

    `ends` is when the token does, in seconds since 1970; another token of the same subject is the same identity.
    """

    id: str
    tenant: Tenant
    scopes: tuple[Scope, ...]
    projects: tuple[ProjectPattern, ...]
    users: tuple[UserId, ...] = ()
    ends: float = field(default=0, compare=False)


def looks_like_token(text: str) -> bool:
    """Tell whether a credential can be a signed token: three parts in base64url."""
    return _TOKEN.fullmatch(text) is not None


def are_current(claims: Mapping[str, Any], now: datetime) -> bool:
    """Tell whether a token with these claims has begun and not ended, give or take LEEWAY_SECONDS.

    `exp` and `iat` must be there; `nbf` may be.
    """
    seconds = now.timestamp()
    ends, issued, begins = claims.get("exp"), claims.get("iat"), claims.get("nbf", seconds)
    if not (_is_number(ends) and _is_number(issued) and _is_number(begins)):
        return False
    has_begun = all(moment - LEEWAY_SECONDS <= seconds for moment in (issued, begins))
    return has_begun and seconds < ends + LEEWAY_SECONDS


def identity(claims: Mapping[str, Any], settings: OidcSettings) -> Identity | None:
    """Return whom verified claims speak for, None where a claim that the settings go by is missing or malformed."""
    subject, owner = claims.get("sub"), claims.get(settings.tenant_claim)
    projects = _projects(claims, settings.projects_claim)
    users = _users(claims, settings.bound_claim)
    if not _is_name(subject) or not _is_name(owner) or projects is None or users is None:
        return None
    granted = {*_words(claims.get("scope")), *_words(claims.get("scp"))}
    return Identity(
        id=_digest(settings.issuer, "sub", subject)[:_ID_CHARACTERS],
        tenant=Tenant(_digest(settings.issuer, settings.tenant_claim, owner)),
        scopes=tuple(each for each in SCOPES if settings.scope_prefix + each in granted),
        projects=projects,
        users=users,
        ends=claims.get("exp", 0),
    )


def _digest(issuer: str, claim: str, value: str) -> str:
    """Return the SHA-256 of a claim's value with where it holds, so that no other issuer's value can be the same."""
    return sha256(f"{issuer}\n{claim}\n{value}".encode()).hexdigest()


def _projects(claims: Mapping[str, Any], claim: str) -> tuple[ProjectPattern, ...] | None:
    if not claim:
        return (ALL_PROJECTS,)
    try:
        return tuple(project_pattern(each) for each in _words(claims.get(claim))) or None
    except InvalidArgument:
        return None


def _users(claims: Mapping[str, Any], claim: str) -> tuple[UserId, ...] | None:
    """Return the users in a claim, a text or a list: () where no claim binds, None where it holds anything else."""
    if not claim:
        return ()
    value = claims.get(claim)
    listed = cast("list[object]", value) if isinstance(value, list) else [value]
    names = [each for each in listed if isinstance(each, str)]
    if not 0 < len(names) == len(listed) <= MOST_USERS:
        return None
    try:
        return tuple(dict.fromkeys(map(user_id, names)))
    except InvalidArgument:
        return None


def _words(value: object) -> tuple[str, ...]:
    """Return the names in a claim, which issuers write with spaces between or as a list."""
    if isinstance(value, str):
        return tuple(value.split())
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(each for each in listed if isinstance(each, str))


def _is_name(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and value != "" and value.isprintable()


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
