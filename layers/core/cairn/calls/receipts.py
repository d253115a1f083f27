"""Keep what was asked of memory, so that it can be answered again: a receipt of each call that recalls.

It is written beside the work, which takes no round trip more, and so cannot say what the work went by. That is for the
receipt's name: it ends with digests of how far logs and session were read and of what was answered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final

from cairn.calls import layout
from cairn.calls.record import AuditRecord, day_of
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.attributes import number, text
from cairn.ground.errors import CairnError, StoreError
from cairn.ground.ids import Tenant, moment_of
from cairn.ground.session import Session, Subject
from cairn.ground.table import Attributes, Key, Put
from cairn.vault.vault import Vault

MOST_BYTES: Final = 16_000
"""How long the arguments of a call are at most of which a receipt is kept."""
PATTERN: Final = r"^[0-9A-HJKMNP-TV-Z]{26}(\.[A-Za-z0-9_-]{16})?$"
"""A receipt, or a call's id alone, which proves nothing."""
_DIGEST_BYTES: Final = 6
_PASSING: Final = frozenset({"receipt", "damaged", "operation_token", "expires_at"})
"""What of an answer is not of memory."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked: the tool that answers it, its arguments and the names that stood in for others.

    `versions` are of what answered, `settings` those that were not the usual ones.
    """

    tool: str
    arguments: Mapping[str, Any]
    names: Mapping[str, str]
    versions: Mapping[str, str]
    settings: Mapping[str, Any]

    @property
    def project(self) -> str | None:
        """Return the project that was asked in."""
        return self.arguments.get("project") or self.names.get("project")


@dataclass(frozen=True, slots=True)
class Receipt:
    """The name of a receipt: its call, and digests of the positions read and of the answer; empty where not known."""

    call: str
    positions: str = ""
    answer: str = ""

    @classmethod
    def of(cls, call: str, positions: Mapping[str, str], answer: Mapping[str, Any]) -> Receipt:
        """Return the receipt of an answer."""
        return cls(call, digest_of_positions(positions), digest_of_answer(answer))

    @classmethod
    def parse(cls, name: str) -> Receipt:
        """Return what text() was made of; ValueError for other text."""
        if not re.fullmatch(PATTERN, name):
            raise ValueError("no receipt")
        call, _, digests = name.partition(".")
        return cls(call, digests[: len(digests) // 2], digests[len(digests) // 2 :])

    def text(self) -> str:
        """Return it as callers are given it."""
        return f"{self.call}.{self.positions}{self.answer}"


def digest_of_positions(positions: Mapping[str, str]) -> str:
    """Return the digest of how far everything was read; where nothing was, it does not count that it was looked for."""
    return _digest({name: position for name, position in positions.items() if position})


def digest_of_answer(answer: Mapping[str, Any]) -> str:
    """Return the digest of an answer, all of it but what passes."""
    return _digest({name: value for name, value in answer.items() if name not in _PASSING})


class Receipts:
    """Keeps receipts as long as the records of their calls, and finds them."""

    def __init__(self, adapters: Adapters, vault: Vault, retention: timedelta) -> None:
        """Keep them for this long."""
        self._adapters = adapters
        self._vault = vault
        self._retention = retention

    def keep(self, record: AuditRecord, asked: Asked) -> bool:
        """Store what a call asks, sealed, and tell whether that went well; the call is answered all the same."""
        where = Key(layout.asked_pk(record.tenant, _place(record)), record.id)
        try:
            item = {"pk": where.pk, "sk": where.sk, **self._vault.seal(record.tenant, where, asdict(asked))}
            expires_at = int((record.at + self._retention).timestamp())
            whose = {"user_id": record.subject.user_id} if record.subject.user_id is not None else {}
            self._adapters.table.put(Put({**item, **whose, "expires_at": expires_at}, brief=True))
        except (StoreError, CairnError):
            return False
        return True

    def record(self, tenant: Tenant, call: str) -> Attributes | None:
        """Return the record of a call as it is stored, None where there is none."""
        return self._adapters.table.get(Key(layout.audit_day_pk(tenant, day_of(moment_of(call))), call))

    def asked(self, tenant: Tenant, record: Attributes) -> Asked | None:
        """Return what a call asked, None where that is not there any more, or never was."""
        call = Key.of(record).sk
        ipk = text(record, "ipk") if "ipk" in record else None
        place = day_of(moment_of(call)) if ipk is None else layout.place_of_calls(ipk)
        item = self._adapters.table.get(Key(layout.asked_pk(tenant, place), call))
        now = int(self._adapters.clock.now().timestamp())
        return None if item is None or number(item, "expires_at", 0) <= now else opened(self._vault, tenant, item)


def opened(vault: Vault, tenant: Tenant, item: Attributes) -> Asked:
    """Return what a stored receipt says; CorruptData, TypeError or ValueError where it is none."""
    return Asked(**vault.unseal(tenant, item))


def _place(record: AuditRecord) -> Session | str:
    about: Subject = record.subject
    if about.project is None or about.session_id is None:
        return record.day
    return Session(record.tenant, about.project, about.session_id)


def _digest(value: object) -> str:
    return codec.base64url(sha256(codec.canonical(value)).digest()[:_DIGEST_BYTES])
