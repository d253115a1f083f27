"""Mask names that callers chose, wherever a call is put on record, if they hold a secret or personal data.

The mask of a name is the same as long as its tenant's data key is: an operator who knows the name finds its calls.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import fields, replace
from typing import Final

from cairn.ground.bounded import BoundedCache
from cairn.ground.errors import CairnError, StoreError
from cairn.ground.ids import Tenant
from cairn.ground.session import Subject
from cairn.vault.vault import Vault

MASKED: Final = "masked"
_PURPOSE = "name"
_DIGITS = 8
_MOST_NAMES = 4096
# What can hold no finding, and is most names: short words with a short number, and UUIDs. The rest is looked through,
# for which a process loads the detector.
_PLAIN = re.compile(
    r"(?=.{1,24}\Z)[a-z]+(?:[-_./][a-z]+)*[-_./]?\d{0,5}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
)


class Names:
    """Masks names and keeps the newest masks."""

    def __init__(self, vault: Vault) -> None:
        """Start with none."""
        self._vault = vault
        self._known: BoundedCache[tuple[Tenant, tuple[str, ...]], tuple[str, ...]] = BoundedCache(entries=_MOST_NAMES)

    def subject(self, tenant: Tenant, subject: Subject) -> Subject:
        """Return a call's subject with every name as it may be put on record.

        The user's stays as it is, an e-mail address too: who called is what the record is for, and no log line has it.
        """
        given = {each.name: getattr(subject, each.name) for each in fields(subject) if each.name != "user_id"}
        shown = {name: self.name(tenant, text) for name, text in given.items() if text is not None}
        if subject.namespace is not None and subject.key is not None:  # a secret may be cut in two
            shown["namespace"], shown["key"] = self._shown(tenant, (subject.namespace, subject.key))
        return replace(subject, **shown)

    def name(self, tenant: Tenant, name: str) -> str:
        """Return a name as it may be put on record: itself, or its mask where something is found in it."""
        return self._shown(tenant, (name,))[0]

    def mask(self, tenant: Tenant, name: str) -> str:
        """Return the mask of a name under the tenant's newest data key, `masked:` and 8 hex digits."""
        try:
            tag = self._vault.sign(tenant, _PURPOSE, name.encode())
        except (CairnError, StoreError):  # the call, or its record, fails by the same in a moment
            return MASKED
        return f"{MASKED}:{tag.partition('.')[2][:_DIGITS]}"

    def _shown(self, tenant: Tenant, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return names that stand together as they may be put on record."""
        if all(map(_PLAIN.fullmatch, names)):
            return names
        shown = self._known.get((tenant, names))
        if shown is None:
            found = _found(names)
            shown = tuple(self.mask(tenant, name) if at in found else name for at, name in enumerate(names))
            self._known.put((tenant, names), shown)
        return shown


def _found(names: tuple[str, ...]) -> Collection[int]:
    """Return which of the names hold a finding, as putMemory looks for them; all where that fails."""
    from cairn.detection import detector  # noqa: PLC0415 - most calls have plain names

    try:
        return {part for each in detector.scan({"key": list(names)}) if isinstance(part := each.path[1], int)}
    except CairnError:
        return range(len(names))
