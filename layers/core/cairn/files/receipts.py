"""Keep what an operation on files answered, so that its repetition is answered alike and done once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from cairn.files.layout import done_sk
from cairn.ground.attributes import number
from cairn.ground.errors import Conflict
from cairn.ground.session import Session
from cairn.ground.table import ABSENT, AnyOf, Key, LessThan, Put
from cairn.sessions.layout import session_pk
from cairn.sessions.services import SessionServices

KEPT_FOR: Final = timedelta(days=30)
"""How long an operation is known after it was done."""
REUSED: Final = "operation_id_reused"
"""The reason of a conflict that is about the operation's id, and not about the file's version."""
OWN_IDS: Final = "retry:"
"""How the ids begin that a client draws for its own retries, and that are nobody's to be told."""
_MOST_CHARACTERS: Final = 4_000
_CUT: Final = "The file was edited; what it shows was too long to be kept with the operation."


@dataclass(frozen=True, slots=True)
class Operation:
    """An id by which a change may be repeated, and what stands for its arguments."""

    id: str
    fingerprint: str

    @property
    def told(self) -> str | None:
        """Return the id if the caller chose it, None where a client drew it for its own retries."""
        return None if self.id.startswith(OWN_IDS) else self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a change answers: the words, the version that the file has then, and whether there was one before.

    Of a directory and of what is deleted there is no version.
    """

    words: str = ""
    version: int | None = None
    existed: bool = False
    replayed: bool = False


class Receipts:
    """Finds and writes what says that an operation was done."""

    def __init__(self, services: SessionServices) -> None:
        """Work with these parts."""
        self._services = services

    def find(self, owner: Session, operation: Operation) -> Done | None:
        """Return what the operation answered, None where it was not done or too long ago.

        Conflict where its id was used with other arguments.
        """
        item = self._services.adapters.table.get(_where(owner, operation))
        if item is None or number(item, "expires_at") <= int(self._now().timestamp()):
            return None
        words, version, existed, fingerprint = self._services.vault.unseal(owner.tenant, item)
        if fingerprint != operation.fingerprint:
            raise Conflict("This operation_id was used before, with other arguments", {"reason": REUSED})
        return Done(words=words, version=version, existed=existed, replayed=True)

    def written(self, owner: Session, operation: Operation, done: Done) -> Put:
        """Return the write that says so, which holds only where nothing says so yet."""
        now, where = self._now(), _where(owner, operation)
        words = done.words if len(done.words) <= _MOST_CHARACTERS else _CUT
        held = [words, done.version, done.existed, operation.fingerprint]
        sealed = self._services.vault.seal(owner.tenant, where, held)
        ends = int((now + KEPT_FOR).timestamp())
        lapsed = LessThan("expires_at", int(now.timestamp()) + 1)
        return Put({"pk": where.pk, "sk": where.sk, "expires_at": ends, **sealed}, AnyOf((ABSENT, lapsed)))

    def _now(self) -> datetime:
        return self._services.adapters.clock.now()


def _where(owner: Session, operation: Operation) -> Key:
    return Key(session_pk(owner), done_sk(operation.id))
