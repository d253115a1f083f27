"""Tell which keys each policy holds for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cairn.access.api_keys import Credential
from cairn.access.callers import policy_held_to
from cairn.access.policy import InForce


def held_to(policies: InForce, keys: Iterable[Credential]) -> Mapping[str | None, Sequence[str]]:
    """Return the ids of the keys that each policy holds for, by its name: the deployment's own first, under None.

    One that keys name and the deployment has not is there too.
    """
    found: dict[str | None, list[str]] = {None: [], **{name: [] for name in policies.book.named}}
    for key in keys:
        found.setdefault(policy_held_to(key.grant.policy, key.grant.users), []).append(key.id)
    return dict(sorted(found.items(), key=lambda each: each[0] or ""))
