"""What an import's plan lists, a line for each record that it brings: digests, in parts beside the plan.

Parts are so short that each is an item without a blob, which the store removes when its time is over.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator

from cairn.ground.adapters import Adapters
from cairn.ground.paging import every
from cairn.ground.table import Delete, Key, Put, Query, prefix_range
from cairn.plans import layout
from cairn.plans.model import KEPT, Plan
from cairn.vault.vault import Vault

DIGEST_BYTES = 16
"""How long the digest of a record's key is in a line, and that of the record behind it."""
_WIDTH = 2 * DIGEST_BYTES
_PART_BYTES = 500 * _WIDTH


class PlanLines:
    """Keeps what plans list."""

    def __init__(self, adapters: Adapters, vault: Vault) -> None:
        """Hold no state of its own."""
        self._table = adapters.table
        self._clock = adapters.clock
        self._vault = vault

    def keep(self, plan: Plan, lines: Iterable[tuple[bytes, bytes]]) -> None:
        """Keep the lines of a plan; they are there once the last part is, and it may be done again until then."""
        expires_at, whole = int((self._clock.now() + KEPT).timestamp()), b"".join(key + digest for key, digest in lines)
        parts = [whole[at : at + _PART_BYTES] for at in range(0, len(whole), _PART_BYTES)]
        for number, part in enumerate([*parts, b""]):
            self._put(plan, number, part, expires_at)

    def of(self, plan: Plan) -> Iterator[tuple[bytes, bytes]] | None:
        """Return the lines of a plan, None where they were not all kept, or are removed."""
        parts = every(self._table, Query(plan.key.pk, *prefix_range(layout.lines_of(plan.id))))
        opened = [base64.b64decode(self._vault.unseal(plan.tenant, item)) for item in parts]
        if not opened or b"" not in opened:
            return None
        whole = b"".join(opened[: opened.index(b"")])
        lines = (whole[at : at + _WIDTH] for at in range(0, len(whole), _WIDTH))
        return ((line[:DIGEST_BYTES], line[DIGEST_BYTES:]) for line in lines)

    def remove(self, plan: Plan) -> None:
        """Remove the lines of a plan, if it has any, the last part first."""
        for item in every(self._table, Query(plan.key.pk, *prefix_range(layout.lines_of(plan.id)), descending=True)):
            self._table.delete(Delete(Key.of(item)))

    def _put(self, plan: Plan, number: int, plain: bytes, expires_at: int) -> None:
        where = Key(plan.key.pk, layout.lines_sk(plan.id, number))
        sealed = self._vault.seal(plan.tenant, where, base64.b64encode(plain).decode())
        self._table.put(Put({"pk": where.pk, "sk": where.sk, "expires_at": expires_at, **sealed}))
