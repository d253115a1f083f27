"""Store the policy document in the table, sealed, so that write access to the table cannot widen it.

Each document has a version, one more than the one before. Every version that there ever was has an item beside it,
sealed as well, which is added and never changed. No document is believed where a newer version is known: by such
an item when a process first reads the policy, and later by what the process has read before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from cairn.access.layout import (
    POLICIES,
    POLICY,
    policies_pk,
    policy_versions_pk,
    version_number,
    version_range,
    version_sk,
)
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.errors import Conflict, CorruptData, TransactionRefused
from cairn.ground.table import ABSENT, Attributes, Check, Key, Put, Query
from cairn.vault.vault import Vault

_WHERE = Key(policies_pk(), POLICY)
_NEWEST = Query(policy_versions_pk(), *version_range(), descending=True, limit=1)
_LOOKS = 3
"""How often a process looks before it believes what it finds: a policy may be set between its two reads."""


class PolicyRolledBack(CorruptData):
    """The stored policy is not the newest: an older one was put back, or it or what tells its version was removed."""

    def __init__(self, message: str, remedy: str = "`cairn policy set` sets the one that shall hold") -> None:
        """Say what was found, and what an operator can do."""
        super().__init__(message, remedy)


@dataclass(frozen=True, slots=True)
class StoredPolicy:
    """A policy document and its version; 0 is that of a document which an older release stored."""

    text: str
    version: int


class PolicyStore:
    """Reads and writes the policy document."""

    def __init__(self, adapters: Adapters) -> None:
        """Keep it in the table."""
        self._adapters = adapters
        self._vault = Vault(adapters)
        self._newest_seen: int | None = None

    def read(self) -> str | None:
        """Return the document, None where none was ever written; PolicyRolledBack where it is not the newest."""
        stored = self.stored()
        return None if stored is None else stored.text

    def stored(self) -> StoredPolicy | None:
        """Return the document with its version; otherwise as read()."""
        document, version, newest = None, 0, 0
        for _ in range(_LOOKS):
            document, newest = self._look() if self._newest_seen is None else (self._read(), self._newest_seen)
            version = document.version if document is not None else 0
            if version == newest or (self._newest_seen is not None and version > newest):
                self._newest_seen = version
                return document
        found = "missing" if document is None else f"version {version}"
        raise PolicyRolledBack(f"the stored policy is {found}, and version {max(version, newest)} was in force")

    def write(self, text: str, over: int | None = None, only_if: Sequence[Check] = (), by: str = "") -> int:
        """Put a document in the place of the one before, or of the version `over`, and return its version.

        What it was set by stays on record. Conflict where another came first, or a check does not hold.
        """
        version = 1 + (self.highest() if over is None else over)
        mark = Key(policy_versions_pk(), version_sk(version))
        puts = [
            self._sealed(_WHERE, {"version": version, "text": text}),
            Put(self._sealed(mark, {"version": version, **({"by": by} if by else {})}).item, ABSENT),
        ]
        try:
            self._adapters.table.transact([*puts, *only_if])
        except TransactionRefused:
            raise Conflict("Another policy was set meanwhile; look at it and try again") from None
        self._newest_seen = version
        return version

    def set_by(self, version: int) -> str:
        """Return what a version was set by, "" where that is not on record; CorruptData where it is damaged."""
        item = self._adapters.table.get(Key(policy_versions_pk(), version_sk(version)))
        return "" if item is None else str(self._vault.unseal(POLICIES, item).get("by", ""))

    def highest(self) -> int:
        """Return the highest version that anything tells of; setting a policy mends what was tampered with."""
        document = None
        with suppress(CorruptData):
            document = self._read()
        told = [version_number(Key.of(each).sk) for each in self._adapters.table.query(_NEWEST).items]
        return max(document.version if document is not None else 0, *told, self._newest_seen or 0)

    def _look(self) -> tuple[StoredPolicy | None, int]:
        """Return the stored document, and the newest version that there ever was, 0 for none."""
        document = Pending(self._read)
        marks = Pending(lambda: self._adapters.table.query(_NEWEST).items)
        self._adapters.parallel([document, marks])
        return document.result, max((self._version(each) for each in marks.result), default=0)

    def _read(self) -> StoredPolicy | None:
        item = self._adapters.table.get(_WHERE)
        if item is None:
            return None
        value = self._vault.unseal(POLICIES, item)
        if isinstance(value, str):
            return StoredPolicy(value, 0)
        if not isinstance(value, Mapping):
            raise CorruptData("the stored policy is no document")
        fields = cast("Mapping[str, Any]", value)
        return StoredPolicy(fields["text"], fields["version"])

    def _version(self, item: Attributes) -> int:
        return int(self._vault.unseal(POLICIES, item)["version"])

    def _sealed(self, where: Key, value: object) -> Put:
        return Put({"pk": where.pk, "sk": where.sk, **self._vault.seal(POLICIES, where, value)})
