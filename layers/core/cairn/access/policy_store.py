"""Store the policy document in the table, sealed, so that write access to the table cannot widen it."""

from __future__ import annotations

from cairn.access.layout import POLICIES, POLICY, policies_pk
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData
from cairn.ground.table import Key, Put
from cairn.vault.vault import Vault

_WHERE = Key(policies_pk(), POLICY)


class PolicyStore:
    """Reads and writes the policy document."""

    def __init__(self, adapters: Adapters) -> None:
        """Keep it in the table."""
        self._adapters = adapters
        self._vault = Vault(adapters)

    def read(self) -> str | None:
        """Return the document, None where none was ever written."""
        item = self._adapters.table.get(_WHERE)
        if item is None:
            return None
        text = self._vault.unseal(POLICIES, item)
        if not isinstance(text, str):
            raise CorruptData("the stored policy is no document")
        return text

    def write(self, text: str) -> None:
        """Put a document in the place of the one before."""
        self._adapters.table.put(Put({"pk": _WHERE.pk, "sk": _WHERE.sk, **self._vault.seal(POLICIES, _WHERE, text)}))
