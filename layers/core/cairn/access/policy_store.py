"""The policy document of a deployment in its table, sealed, so that the store alone cannot widen it."""

from __future__ import annotations

from cairn.access.layout import POLICIES, POLICY, policies_pk
from cairn.ground.errors import CorruptData
from cairn.ground.table import Key, Put
from cairn.ground.world import World
from cairn.vault.vault import Vault

_WHERE = Key(policies_pk(), POLICY)


class PolicyStore:
    """Keeps one document."""

    def __init__(self, world: World) -> None:
        """Keep it in the world's table."""
        self._world = world
        self._vault = Vault(world)

    def read(self) -> str | None:
        """Return the document, None where none was ever written."""
        item = self._world.table.get(_WHERE)
        if item is None:
            return None
        text = self._vault.unseal(POLICIES, item)
        if not isinstance(text, str):
            raise CorruptData("the stored policy is no document")
        return text

    def write(self, text: str) -> None:
        """Put a document in the place of the one before."""
        self._world.table.put(Put({"pk": _WHERE.pk, "sk": _WHERE.sk, **self._vault.seal(POLICIES, _WHERE, text)}))
