"""Keys of operators and of those who are none, and what operators' tools answer them."""

from __future__ import annotations

from collections.abc import Iterator

from cairn.access.api_keys import Grant, project_pattern
from cairn.ground.ids import Tenant
from support.bound import ACME, ALICE, House

GLOBEX = Tenant("globex")
MONDAY = {"project": "garden", "session_id": "monday"}


def of_another_tenant(house: House) -> str:
    return house.services.credentials.create(GLOBEX, Grant()).text


def of_no_operator(house: House) -> Iterator[str]:
    """Yield a key without the scope admin, one bound to a user, and such as open some projects alone."""
    yield house.services.credentials.create(ACME, Grant(scopes=("read", "write"))).text
    yield house.key(ALICE)
    yield house.key(projects=(project_pattern("garden"),))
    yield house.key(projects=(project_pattern("team.*"),))
