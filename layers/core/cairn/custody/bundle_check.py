"""Hold the records of a bundle to each other before anything of it is stored, and say by name what it lacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cairn.custody.admission import admit
from cairn.custody.item_logs import LogsMet
from cairn.custody.pieces import Piece
from cairn.custody.records import Record, record_of
from cairn.custody.rules import Rule
from cairn.custody.scope import DataScope, parts_of
from cairn.custody.spilled_map import SpilledMap
from cairn.custody.states import State, line_of
from cairn.files.layout import file_of, file_part_sk, file_sk
from cairn.files.owners import is_session
from cairn.ground.attributes import number
from cairn.ground.errors import Conflict, InvalidArgument
from cairn.ground.ids import SessionId
from cairn.ground.ports import Reads
from cairn.ground.session import Session
from cairn.ground.table import Key
from cairn.log.layout import is_entry, log_of
from cairn.sessions.layout import FIRST_EVENT, HEAD, LAST_EVENT, PACKED, session_of, session_pk

_MOST_NAMED = 5
"""How many of the things that a bundle lacks are named."""


@dataclass(slots=True)
class _Met:
    """What was met of a session."""

    head: Piece | None = None
    turns: int = 0
    last: int = 0

    @property
    def lacking(self) -> int:
        """Return how many turns its head counts, and not as erased, that the bundle of a shared session leaves out."""
        if self.head is None:
            return 0
        lacking = number(self.head.attributes, "seq", 0) - self.turns
        return lacking if lacking > number(self.head.attributes, "erased", 0) else 0


class BundleCheck:
    """One pass over records; in memory are a session's head and counts, and the rest is on disk."""

    def __init__(self, scope: DataScope) -> None:
        """Have met nothing yet."""
        self.lines = SpilledMap()
        self._scope = scope
        self._sessions = dict[str, _Met]()
        self._logs = LogsMet()
        self._met = SpilledMap()
        self._needed = SpilledMap()

    def meet(self, record: Record, named: str) -> None:
        """Take in a record; InvalidArgument where it may not be in the scope's bundle, or comes twice."""
        try:
            piece, rule = admit(self._scope, record)
            self._meet_session(piece, rule)
            self._logs.meet(piece)
            self._meet_needs(piece)
        except InvalidArgument as wrong:
            fields: Any = wrong.details["fields"]
            raise InvalidArgument("bundle", f"{named}: {fields['bundle']}") from None
        if not self.lines.add(*line_of(record)):
            raise InvalidArgument("bundle", f"holds the record of {named} twice")

    def lacking(self, store: Reads | None) -> dict[str, int]:
        """Return of sessions how many turns they lack; InvalidArgument where heads count others than were met.

        Conflict where the store, if one is given, has another session or item log of that name.
        """
        for pk, met in self._sessions.items():
            self._check_session(pk, met, store)
        self._logs.check(self._scope.tenant, store)
        return {pk: met.lacking for pk, met in self._sessions.items() if met.lacking}

    def check_whole(self, state: State, base: str | None) -> None:
        """Raise InvalidArgument, which says what, where the records are not those of a state, or need others."""
        for key, digest in self.lines:
            if state.held.get(key) != digest:
                raise InvalidArgument("bundle", "holds a record that its state does not name")
        if fewer := len(state.held) - len(self.lines):
            told = f"of the one with the state {base[:16]}: import that first" if base else "that its state names"
            raise InvalidArgument("bundle", f"lacks {fewer} records {told}")
        missing = [name.decode() for key, name in self._needed if key not in self._met]
        missing += [f"{met.lacking} turns of {self._where(pk)}" for pk, met in self._sessions.items() if met.lacking]
        if missing:
            more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
            raise InvalidArgument("bundle", f"lacks {', '.join(missing[:_MOST_NAMED])}{more}")

    def _meet_session(self, piece: Piece, rule: Rule) -> None:
        if parts_of(piece.key.pk)[0] != "s" or rule.is_made_anew:
            return
        pk, sk = piece.key.pk, piece.key.sk
        met, turns = self._sessions.setdefault(pk, _Met()), list[int]()
        if sk == HEAD:
            met.head = piece
        elif sk.startswith(PACKED):
            turns = [seq for seq, _ in piece.body["content"]]
        elif FIRST_EVENT <= sk <= LAST_EVENT:
            turns = [number(piece.attributes, "seq")]
        for seq in turns:
            if not self._met.add(_of_turn(pk, seq), b""):
                raise InvalidArgument("bundle", "holds a turn twice")
            self._need(_of_entry(pk, seq), f"what a memory log says of turn {seq} of {self._where(pk)}")
        met.turns += len(turns)
        met.last = max([met.last, *turns])

    def _meet_needs(self, piece: Piece) -> None:
        """Note what a log's entry and a file need, and that such was met."""
        kind, sk = parts_of(piece.key.pk)[0], piece.key.sk
        if kind == "m" and is_entry(sk) and (turn := piece.body["content"]["turn"]):
            tenant, project, _ = log_of(piece.key.pk)
            pk = session_pk(Session(tenant, project, SessionId(piece.body["content"]["session"])))
            self._met.add(_of_entry(pk, turn["seq"]), b"")
            self._need(_of_turn(pk, turn["seq"]), f"turn {turn['seq']} of {self._where(pk)}, of which a log tells")
        elif kind == "s" and sk.startswith("part#"):
            self._met.add(_of_part(piece.key), b"")
        elif kind == "s" and sk.startswith(file_sk("")):
            path = file_of(sk)
            for name, _ in piece.body["content"]["parts"]:
                part = Key(piece.key.pk, file_part_sk(path, name))
                self._need(_of_part(part), f"a part of the file {path} of {self._where(part.pk)}")

    def _need(self, key: bytes, name: str) -> None:
        self._needed.add(key, name.encode())

    def _check_session(self, pk: str, met: _Met, store: Reads | None) -> None:
        """Refuse turns that no head counts, and a session that the store has and that is another one there."""
        if not is_session(session_of(pk).session_id):
            return
        where = self._where(pk)
        if met.head is None and self._scope.user is not None:
            raise InvalidArgument("bundle", f"holds no head of {where}")
        if met.head is not None and met.last > number(met.head.attributes, "seq", 0):
            raise InvalidArgument("bundle", f"holds turn {met.last} of {where}, which its head does not count")
        held = store.get(Key(pk, HEAD)) if store else None
        if held is None:
            return
        head = met.head.having(erased=met.lacking) if met.head and met.lacking else met.head
        if head is None or record_of(self._scope.tenant, Piece(head.key, held)) != record_of(self._scope.tenant, head):
            raise Conflict(f"The store has another session {where}; import into an empty service")

    def _where(self, pk: str) -> str:
        return pk.removeprefix(f"{self._scope.tenant}#")


def _of_turn(pk: str, seq: int) -> bytes:
    return f"turn {seq} {pk}".encode()


def _of_entry(pk: str, seq: int) -> bytes:
    return f"entry {seq} {pk}".encode()


def _of_part(part: Key) -> bytes:
    return f"part {part.sk} {part.pk}".encode()
