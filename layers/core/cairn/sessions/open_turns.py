"""Turns that wait for their end, as they are stored: what the user said, notes on them, and how they ended.

An ended one stays for an hour without its contents, so that what is sent twice is known. All of it stands among the
session's operations, sealed, and goes with them when a user or a session is erased.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby

from cairn.ground.adapters import Adapters
from cairn.ground.attributes import moment, number, text
from cairn.ground.codec import rfc3339
from cairn.ground.damage import sound, sound_or_none
from cairn.ground.errors import ConditionFailed
from cairn.ground.ids import TurnId, UserId
from cairn.ground.paging import every
from cairn.ground.session import ResponseItem, Session
from cairn.ground.table import ABSENT, Attributes, Delete, Key, Put, Query, Update, Write, prefix_range
from cairn.sessions.dropped_blobs import dropping
from cairn.sessions.head import DROPPED
from cairn.sessions.layout import HEAD, OPEN_TURNS, TOLD, open_turn_sk, session_pk
from cairn.vault.vault import Vault, blob_of

KEPT_FOR = timedelta(days=30)
"""How long an open turn is kept at most; maintenance has ended it long before."""
_REMEMBERED_FOR = timedelta(hours=1)
"""How long an ended turn is known to have been open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTurn:
    """A turn that waits for its end, or that had one: then `ended` is the tag of how, and it has no items.

    `notes` are the items of what its tools did, in the order in which they were noted.
    """

    turn_id: TurnId
    user_id: UserId | None
    at: datetime
    inputs: tuple[ResponseItem, ...] = ()
    notes: tuple[ResponseItem, ...] = ()
    ended: str | None = None


@dataclass(frozen=True, slots=True)
class _Stored:
    """An item of an open turn or of a note on it, opened."""

    item: Attributes
    turn_id: TurnId
    user_id: UserId | None
    at: datetime
    items: tuple[ResponseItem, ...]

    @property
    def is_note(self) -> bool:
        return Key.of(self.item).sk != open_turn_sk(self.turn_id)


class OpenTurns:
    """Keeps the open turns of sessions."""

    def __init__(self, adapters: Adapters, vault: Vault) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._vault = vault

    def add(self, session: Session, turn: OpenTurn) -> bool:
        """Keep a turn that has begun; False where it is kept already, or has ended within the hour."""
        where = Key(session_pk(session), open_turn_sk(turn.turn_id))
        return self._put(session, where, turn, turn.inputs)

    def note(self, session: Session, turn: OpenTurn, name: str) -> bool:
        """Keep the notes on a turn under a name of their own; False where that is there."""
        where = Key(session_pk(session), open_turn_sk(turn.turn_id, name))
        return self._put(session, where, turn, turn.notes)

    def read(self, session: Session) -> list[OpenTurn]:
        """Return the session's open turns and those that ended within the hour, in the order in which they began."""
        query = Query(session_pk(session), *prefix_range(OPEN_TURNS))
        now = int(self._adapters.clock.now().timestamp())
        # The table may take days to drop what has expired.
        items = (item for item in every(self._adapters.table, query) if number(item, "expires_at", 0) > now)
        found = list(sound(self._adapters, items, lambda item: self._opened(session, item)))
        grouped = (list(group) for _, group in groupby(found, key=lambda each: each.turn_id))
        turns = (_turn(group) for group in grouped)
        return sorted((turn for turn in turns if turn is not None), key=lambda turn: (turn.at, turn.turn_id))

    def waiting(self, session: Session) -> list[OpenTurn]:
        """Return the session's open turns, in the order in which they began."""
        return [turn for turn in self.read(session) if turn.ended is None]

    def told(self, session: Session) -> dict[TurnId, list[str]]:
        """Return what the session's agent was told in each turn, by the ids of facts and events."""
        item = self._adapters.table.get(Key(session_pk(session), TOLD))
        return sound_or_none(self._adapters, item, lambda found: self._told(session, found)) or {}

    def tell(self, session: Session, user_id: UserId | None, told: Mapping[TurnId, Sequence[str]]) -> None:
        """Keep what the session's agent was told, in place of what was kept before."""
        where = Key(session_pk(session), TOLD)
        content = self._vault.seal(session.tenant, where, {"user_id": user_id, "told": {**told}})
        expires_at = int((self._adapters.clock.now() + KEPT_FOR).timestamp())
        self._adapters.table.put(Put({"pk": where.pk, "sk": where.sk, "expires_at": expires_at, **content}))

    def end(self, session: Session, turn: OpenTurn, ended: str) -> None:
        """Leave of an open turn only that it ended, and how; a second call for the same changes nothing."""
        pk = session_pk(session)
        items = list(every(self._adapters.table, Query(pk, *prefix_range(open_turn_sk(turn.turn_id)))))
        blobs = [blob for item in items if (blob := blob_of(item)) is not None]
        now = self._adapters.clock.now()
        where = Key(pk, open_turn_sk(turn.turn_id))
        left = self._item(session, where, replace(turn, ended=ended), (), now + _REMEMBERED_FOR)
        notes = [Delete(Key.of(item)) for item in items if Key.of(item) != where]
        writes: list[Write] = [Put({**left, "ended": ended}), *dropping(self._adapters, session, blobs)]
        if blobs:  # which maintenance deletes
            writes.append(Update(Key(pk, HEAD), set={DROPPED: True}))
        for some in _portions(notes):
            self._adapters.table.transact([*writes, *some])
            writes = []

    def _told(self, session: Session, item: Attributes) -> dict[TurnId, list[str]]:
        told: dict[str, list[str]] = self._vault.unseal(session.tenant, item)["told"]
        return {TurnId(turn): names for turn, names in told.items()}

    def _put(self, session: Session, where: Key, turn: OpenTurn, items: Sequence[ResponseItem]) -> bool:
        expires_at = turn.at + KEPT_FOR
        try:
            self._adapters.table.put(Put(self._item(session, where, turn, items, expires_at), ABSENT))
        except ConditionFailed:
            return False
        return True

    def _item(
        self, session: Session, where: Key, turn: OpenTurn, items: Sequence[ResponseItem], expires_at: datetime
    ) -> dict[str, str | int | bytes | bool]:
        said = {"turn_id": turn.turn_id, "user_id": turn.user_id, "items": list(items)}
        content = self._vault.seal(session.tenant, where, said)
        times = {"at": rfc3339(turn.at), "expires_at": int(expires_at.timestamp())}
        return {"pk": where.pk, "sk": where.sk, **times, **content}

    def _opened(self, session: Session, item: Attributes) -> _Stored:
        said = self._vault.unseal(session.tenant, item)
        user = said["user_id"]
        user_id = None if user is None else UserId(user)
        return _Stored(item, TurnId(said["turn_id"]), user_id, moment(item, "at"), tuple(said["items"]))


_WRITES_AT_ONCE = 90


def _portions(notes: Sequence[Write]) -> list[Sequence[Write]]:
    """Return notes in portions of a transaction each, at least one."""
    return [notes[at : at + _WRITES_AT_ONCE] for at in range(0, max(1, len(notes)), _WRITES_AT_ONCE)]


def _turn(group: Sequence[_Stored]) -> OpenTurn | None:
    """Return the turn that its items make, None where there are only notes: it ended, or never began here."""
    first = next((each for each in group if not each.is_note), None)
    if first is None:
        return None
    notes = sorted((each for each in group if each.is_note), key=lambda each: (each.at, Key.of(each.item).sk))
    return OpenTurn(
        turn_id=first.turn_id,
        user_id=first.user_id,
        at=first.at,
        inputs=first.items,
        notes=tuple(item for each in notes for item in each.items),
        ended=text(first.item, "ended") if "ended" in first.item else None,
    )
