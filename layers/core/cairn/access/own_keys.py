"""Let an operator of a tenant look at and change its API keys, and give none more than it has itself.

Whoever is an operator has all projects and is bound to no user; what is left to hold a key to are scopes and policy. A
key may last longer than the one that made it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from cairn.access.api_keys import Credential, Grant, IssuedKey
from cairn.access.callers import Caller, policy_held_to
from cairn.access.key_store import Credentials
from cairn.access.policy import PolicyBook
from cairn.ground.errors import InvalidArgument, PermissionDenied

if TYPE_CHECKING:
    from cairn.access.policies import Policies


class OwnKeys:
    """The API keys of a caller's tenant; those of other tenants are not there."""

    def __init__(self, credentials: Credentials, policies: Policies, caller: Caller) -> None:
        """Act for a caller who is an operator."""
        self._credentials = credentials
        self._policies = policies
        self._caller = caller

    def create(self, grant: Grant, lifetime: timedelta | None) -> IssuedKey:
        """Make a key; one that names no policy gets the caller's, where that is held to one by name.

        PermissionDenied where the caller may do less, InvalidArgument where there is no policy of this name.
        """
        grant = grant if grant.policy is not None else replace(grant, policy=self._caller.policy)
        book = self._policies.in_force().book
        if grant.policy is not None and grant.policy not in book.named:
            raise InvalidArgument("policy", "must be one of this deployment's")
        self._check(grant, book)
        return self._credentials.create(self._caller.tenant, grant, lifetime)

    def rotate(self, key_id: str, overlap: timedelta) -> IssuedKey:
        """Make a key in the place of another, as Credentials.rotate() does.

        NotFound for any key but the tenant's, PermissionDenied for one that may do more than the caller.
        """
        found = self._credentials.find(key_id, self._caller.tenant)
        self._check(found.grant, self._policies.in_force().book)
        return self._credentials.rotate(key_id, overlap)

    def revoke(self, key_id: str) -> Credential:
        """Let a key open nothing from now on and return its record as it was; NotFound for any but the tenant's."""
        found = self._credentials.find(key_id, self._caller.tenant)
        self._credentials.revoke(key_id)
        return found

    def _check(self, grant: Grant, book: PolicyBook) -> None:
        """Refuse what is more than the caller's."""
        if beyond := [each for each in grant.scopes if each not in self._caller.scopes]:
            problem = f"This key lacks the scope {beyond[0]}, and can give it to none"
            raise PermissionDenied(problem, {"scope": beyond[0]}, reason="scope")
        own, given = self._caller.policy, grant.policy
        # Which policy holds for keys that name none, the deployment has decided.
        if given != own and not book.is_within(policy_held_to(given, grant.users), own):
            raise PermissionDenied("The policy of such a key may permit more than that of this one", reason="policy")
