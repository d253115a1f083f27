"""Keep what was asked of memory, so that it can be answered again: a receipt of each call that recalls.

It is written beside the work, which takes no round trip more, and so cannot say what the work went by. That is for the
receipt's name: it ends with digests of how far logs and session were read and of what was answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final, cast

from cairn.calls import layout
from cairn.calls.record import day_of
from cairn.conversation.items import text_of
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.attributes import number, text
from cairn.ground.damage import sound
from cairn.ground.errors import CairnError, StoreError
from cairn.ground.ids import Project, Tenant, moment_of
from cairn.ground.paging import every
from cairn.ground.session import Session, Subject
from cairn.ground.table import Attributes, Key, Put, Query
from cairn.vault.vault import Vault

MOST_BYTES: Final = 16_000
"""How long the arguments of a call are at most that are kept whole."""
PATTERN: Final = r"^[0-9A-HJKMNP-TV-Z]{26}(\.[A-Za-z0-9_-]{16})?$"
"""A receipt, or a call's id alone, which proves nothing."""
_WORDS: Final = ("query", "prompt", "current_input", "current_input_text")
"""The arguments that say what is asked."""
_DIGEST_BYTES: Final = 6
_DIGESTS: Final = "digests"
_LOWEST: Final = "0"
_AT_ONCE: Final = 50
_PASSING: Final = frozenset({"receipt", "damaged", "operation_token", "expires_at"})
"""What of an answer is not of memory."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked: the tool that answers it, its arguments and the names that stood in for others.

    `versions` are of what answered, `settings` those that were not the usual ones. Of arguments that were too long it
    `is_cut` to what memory was searched for.
    """

    tool: str
    arguments: Mapping[str, Any]
    names: Mapping[str, str]
    versions: Mapping[str, str]
    settings: Mapping[str, Any]
    is_cut: bool = False

    def fields(self) -> dict[str, Any]:
        """Return what opened() makes it of again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def project(self) -> Project | None:
        """Return the project that was asked in."""
        project = self.arguments.get("project") or self.names.get("project")
        return None if project is None else Project(project)

    @property
    def words(self) -> str:
        """Return the words that were asked."""
        said = next((found for name in _WORDS if (found := self.arguments.get(name))), "")
        items = cast("list[Any]", said) if isinstance(said, list) else [said]
        return "\n".join(each if isinstance(each, str) else text_of(each) for each in items)


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
        return cls.made(call, digests)

    @classmethod
    def made(cls, call: str, digests: str) -> Receipt:
        """Return the receipt of a call with both digests, or with none."""
        return cls(call, digests[: len(digests) // 2], digests[len(digests) // 2 :])

    @property
    def digests(self) -> str:
        """Return both digests, "" without them."""
        return self.positions + self.answer

    def text(self) -> str:
        """Return it as callers are given it, without digests the call's id alone."""
        return f"{self.call}.{self.digests}" if self.digests else self.call


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a call, under its receipt; that is the call's id alone where its caller was given the rest."""

    receipt: Receipt
    asked: Asked


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

    def keep(self, tenant: Tenant, receipt: Receipt, about: Subject, asked: Asked) -> bool:
        """Store what a call asks, sealed, and tell whether that went well; the call is answered all the same.

        It may be stored with the call's record only, and is lost then where that is not stored. A receipt that nobody
        is given is kept as a whole.
        """
        where = Key(layout.asked_pk(tenant, _place(tenant, receipt.call, about)), receipt.call)
        try:
            item = {"pk": where.pk, "sk": where.sk, **self._vault.seal(tenant, where, asked.fields())}
            expires_at = int((moment_of(receipt.call) + self._retention).timestamp())
            whose = {"user_id": about.user_id} if about.user_id is not None else {}
            whole = {_DIGESTS: receipt.digests} if receipt.digests else {}
            stored = {**item, **whose, **whole, "expires_at": expires_at}
            self._adapters.table.put(Put(stored, late=True, brief=True))
        except (StoreError, CairnError):
            return False
        return True

    def record(self, tenant: Tenant, call: str) -> Attributes | None:
        """Return the record of a call as it is stored, None where there is none."""
        return self._adapters.table.get(Key(layout.audit_day_pk(tenant, day_of(moment_of(call))), call))

    def kept(self, tenant: Tenant, record: Attributes) -> Kept | None:
        """Return what is kept of a call, None where nothing is there any more, or never was."""
        call = Key.of(record).sk
        ipk = text(record, "ipk") if "ipk" in record else None
        place = day_of(moment_of(call)) if ipk is None else layout.place_of_calls(ipk)
        item = self._adapters.table.get(Key(layout.asked_pk(tenant, place), call))
        return None if item is None or self._is_over(item) else self._kept(tenant, item)

    def of_session(self, session: Session, before: str) -> Iterator[Kept]:
        """Yield what is kept of a session's calls whose ids come before this, the newest first."""
        query = Query(layout.asked_pk(session.tenant, session), _LOWEST, before, descending=True, limit=_AT_ONCE)
        items = (item for item in every(self._adapters.table, query) if Key.of(item).sk < before)
        there = (item for item in items if not self._is_over(item))
        return sound(self._adapters, there, lambda item: self._kept(session.tenant, item))

    def _is_over(self, item: Attributes) -> bool:
        return number(item, "expires_at", 0) <= int(self._adapters.clock.now().timestamp())

    def _kept(self, tenant: Tenant, item: Attributes) -> Kept:
        return Kept(Receipt.made(Key.of(item).sk, text(item, _DIGESTS, "")), opened(self._vault, tenant, item))


def opened(vault: Vault, tenant: Tenant, item: Attributes) -> Asked:
    """Return what a stored receipt says; CorruptData, TypeError or ValueError where it is none."""
    return Asked(**vault.unseal(tenant, item))


def _place(tenant: Tenant, call: str, about: Subject) -> Session | str:
    if about.project is None or about.session_id is None:
        return day_of(moment_of(call))
    return Session(tenant, about.project, about.session_id)


def _digest(value: object) -> str:
    return codec.base64url(sha256(codec.canonical(value)).digest()[:_DIGEST_BYTES])
