"""List the logs of a user or of a project, by name, in one round trip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.codec import base64url, of_base64url
from cairn.ground.damage import sound, sound_or_none
from cairn.ground.errors import CorruptData, InvalidArgument
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.paging import every
from cairn.ground.table import Attributes, Key, Query, prefix_range
from cairn.items import layout
from cairn.items.head import Head
from cairn.items.model import LogInfo, LogName
from cairn.vault.vault import Vault

MAX_CURSOR_CHARACTERS = 2048
SPARE = 20
"""How many heads more than asked for a page reads, so that those of deleted logs seldom cost a second read."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where logs stand: those of a user in a project or, without a user, the project's."""

    tenant: Tenant
    project: Project
    user: UserId | None

    @property
    def pk(self) -> str:
        """Return the partition of their heads."""
        return layout.heads_pk(self.tenant, self.project)

    def sk(self, prefix: str) -> str:
        """Return what the heads of logs begin with whose names begin so."""
        return layout.head_sk(layout.owner_of(self.user), prefix)


@dataclass(frozen=True, slots=True)
class LogPage:
    """One page of logs, and the cursor of the next."""

    logs: Sequence[LogInfo]
    cursor: str | None


class Listing:
    """Lists logs."""

    def __init__(self, adapters: Adapters, vault: Vault) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._vault = vault

    def page(self, shelf: Shelf, prefix: str, limit: int, cursor: str | None, *, with_state: bool) -> LogPage:
        """Return the logs whose names begin with the prefix, in the order of their UTF-8 bytes.

        InvalidArgument for a cursor of another listing, or one that was changed.
        """
        low, high = prefix_range(shelf.sk(prefix))
        if cursor is not None:
            low = f"{self._after(shelf, prefix, cursor)} "  # a name holds no character that sorts before a space
        found = list(islice(self._there(Query(shelf.pk, low, high, limit=limit + SPARE)), limit + 1))
        more = self._cursor(shelf, prefix, found[limit - 1][0]) if len(found) > limit else None
        heads = found[:limit]
        states = self._states(shelf.tenant, [item for item, _ in heads]) if with_state else [None] * len(heads)
        return LogPage([_info(*each, state) for each, state in zip(heads, states, strict=True)], more)

    def _there(self, query: Query) -> Iterator[tuple[Attributes, Head]]:
        items = every(self._adapters.table, query)
        return (each for each in sound(self._adapters, items, lambda item: (item, Head.of(item))) if each[1].is_there)

    def _states(self, tenant: Tenant, items: Sequence[Attributes]) -> list[object]:
        fetched = self._vault.fetched(tenant, items, at_once=8)
        return [
            sound_or_none(self._adapters, item, lambda each: self._vault.unseal(tenant, each))
            if "kid" in item
            else None
            for item in fetched
        ]

    def _cursor(self, shelf: Shelf, prefix: str, last: Attributes) -> str:
        return base64url(self._vault.seal_blob(shelf.tenant, _where(shelf, prefix), Key.of(last).sk.encode()))

    def _after(self, shelf: Shelf, prefix: str, cursor: str) -> str:
        try:
            return self._vault.unseal_blob(shelf.tenant, _where(shelf, prefix), of_base64url(cursor)).decode()
        except (ValueError, CorruptData):
            raise InvalidArgument("cursor", "is no cursor of these logs and this prefix; begin without one") from None


def _where(shelf: Shelf, prefix: str) -> Key:
    return Key(shelf.pk, f"cursor#{shelf.sk(prefix)}")


def _info(item: Attributes, head: Head, state: object) -> LogInfo:
    return LogInfo(
        name=LogName(layout.name_of(Key.of(item).sk)),
        revision=head.revision,
        count=head.count,
        created_at=codec.moment(head.created_at),
        updated_at=codec.moment(head.updated_at),
        state=state,
    )
