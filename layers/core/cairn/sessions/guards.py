"""Turn guards: decide which call may commit a turn, and remember which turns were committed.

Times and states of a guard: absent -> processing (one owner, until its time is up) -> done. A retry of a done turn is
a replay; a turn left in processing past its time may be taken over; a done one only ever becomes taken back, and is not
committed again then, so that a late retry cannot undo that. A turn that was committed before its session came to Cairn
is done from the start, whatever its payload was.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from cairn.conversation.turns import Completion
from cairn.ground import codec
from cairn.ground.adapters import Adapters, Holders
from cairn.ground.attributes import number, text
from cairn.ground.errors import CairnError, ConditionFailed, Conflict, ResourceBusy, StoreError
from cairn.ground.ids import TurnId
from cairn.ground.session import Session
from cairn.ground.settings import LONGEST_LEASE
from cairn.ground.table import ABSENT, AllOf, AnyOf, Attributes, Delete, Equals, Key, LessThan, Put, Scalar, Update
from cairn.sessions.layout import GUARDS, guard_sk, session_of, session_pk
from cairn.vault.vault import Vault

RETENTION = timedelta(days=30)
PURPOSE = "turn payload"
PROCESSING = "processing"
DONE = "done"
TAKEN_BACK = "taken back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A stored guard: while processing it has `owner` and `until` (epoch milliseconds), once done `seq`.

    `payload` is the tag of what the turn said, None where it was committed before its session came to Cairn.
    """

    session: Session
    turn_id: TurnId
    status: str
    updated_at: str
    expires_at: int
    owner: str | None = None
    until: int | None = None
    payload: str | None = None
    seq: int | None = None

    @classmethod
    def of(cls, item: Attributes) -> Guard:
        """Return the guard that an item holds; CorruptData where it holds none."""
        where = Key.of(item)
        return cls(
            session=session_of(where.pk),
            turn_id=TurnId(where.sk.removeprefix(GUARDS)),
            status=text(item, "status"),
            updated_at=text(item, "updated_at"),
            expires_at=number(item, "expires_at"),
            owner=text(item, "owner") if "owner" in item else None,
            until=number(item, "until") if "until" in item else None,
            payload=text(item, "payload") if "payload" in item else None,
            seq=number(item, "seq") if "seq" in item else None,
        )

    def to_item(self) -> dict[str, Scalar]:
        """Return the item that is stored."""
        item = {
            "pk": session_pk(self.session),
            "sk": guard_sk(self.turn_id),
            "tenant": self.session.tenant,
            "project": self.session.project,
            "session_id": self.session.session_id,
            "turn_id": self.turn_id,
            "status": self.status,
            "owner": self.owner,
            "until": self.until,
            "payload": self.payload,
            "updated_at": self.updated_at,
            "expires_at": self.expires_at,
            "seq": self.seq,
        }
        return {name: value for name, value in item.items() if value is not None}

    def is_held(self, now: datetime, holders: Holders) -> bool:
        """Tell whether a call is committing the turn: it is not known to be gone, and its time is not up.

        A time further off than any claim lasts was set by a clock that was wrong, and counts for nothing.
        """
        if self.status != PROCESSING or self.until is None:
            return False
        in_time = codec.epoch_ms(now) <= self.until <= codec.epoch_ms(now + LONGEST_LEASE)
        return in_time and not holders.is_gone(self.owner or "")

    def is_free(self, now: datetime, holders: Holders) -> bool:
        """Tell whether a claim would be granted: the guard has expired, or its claim is held no more."""
        has_expired = self.expires_at < int(now.timestamp())
        return has_expired or (self.status == PROCESSING and not self.is_held(now, holders))


@dataclass(frozen=True, slots=True)
class Claim:
    """Allows this call to commit a turn; `done` means that the same turn was committed before."""

    session: Session
    turn: Completion
    owner: str
    done: bool = False

    def key(self) -> Key:
        """Return where the guard is."""
        return Key(session_pk(self.session), guard_sk(self.turn.turn_id))


class Guards:
    """Claims turns, marks them done, and releases them."""

    def __init__(self, adapters: Adapters, vault: Vault) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._vault = vault

    def is_free(self, session: Session, turn_id: TurnId) -> bool:
        """Tell whether a claim of the turn would be granted now, so that nothing costly is done for one that is not."""
        guard = self._adapters.table.get(Key(session_pk(session), guard_sk(turn_id)))
        return guard is None or Guard.of(guard).is_free(self._adapters.clock.now(), self._adapters.holders())

    def is_done(self, session: Session, turn_id: TurnId) -> bool:
        """Tell whether the turn was committed, with whatever payload, be it taken back or not."""
        guard = self._adapters.table.get(Key(session_pk(session), guard_sk(turn_id)))
        return guard is not None and Guard.of(guard).status != PROCESSING

    def claim(self, session: Session, turn: Completion, owner: str, lease_seconds: int) -> Claim:
        """Claim the turn for one commit.

        Conflict if the turn was committed with another payload; ResourceBusy while another call is committing it.
        """
        now = self._adapters.clock.now()
        claim = Claim(session, turn, owner)
        guard = Guard(
            session=session,
            turn_id=turn.turn_id,
            status=PROCESSING,
            owner=owner,
            until=codec.epoch_ms(now + timedelta(seconds=lease_seconds)),
            payload=self._vault.sign(session.tenant, PURPOSE, _payload(turn)),
            updated_at=codec.rfc3339(now),
            expires_at=int((now + RETENTION).timestamp()),
        )
        stale = AllOf((Equals("status", PROCESSING), LessThan("until", codec.epoch_ms(now))))
        lapsed = LessThan("expires_at", int(now.timestamp()))
        try:
            self._adapters.table.put(Put(guard.to_item(), AnyOf((ABSENT, stale, lapsed))))
        except ConditionFailed as held:
            found = Guard.of(held.item) if held.item else None
            if found is None or not found.is_free(now, self._adapters.holders()):
                return self._judged(claim, found)
            return self._taken_over(claim, guard, found)
        return claim

    def _taken_over(self, claim: Claim, guard: Guard, abandoned: Guard) -> Claim:
        """Put the guard in the place of one whose claim nobody holds any more, unless another call does so first."""
        unchanged = AllOf((Equals("status", PROCESSING), Equals("owner", abandoned.owner or "")))
        try:
            self._adapters.table.put(Put(guard.to_item(), unchanged))
        except ConditionFailed as lost:
            return self._judged(claim, Guard.of(lost.item) if lost.item else None)
        return claim

    def processed(self, session: Session, turn_id: TurnId) -> Put:
        """Return the write that marks a turn as committed elsewhere, with an unknown payload, if it has no guard."""
        return Put(self._ended(session, turn_id, DONE).to_item(), ABSENT)

    def check_replay(self, claim: Claim) -> None:
        """Make sure that a turn found stored is the claimed one, with the errors of claim() where it is not.

        A claim whose time was up may have been taken over, by a call that stored another payload under this turn_id.
        """
        stored = self._adapters.table.get(claim.key())
        guard = Guard.of(stored) if stored else None
        if guard is not None and guard.owner != claim.owner:
            self._judged(claim, guard)
        else:
            self._adapters.tally.turn_conflict()

    def done(self, claim: Claim, seq: int) -> Update:
        """Return the write that marks the turn as committed; it holds only for the claim's owner."""
        now = self._adapters.clock.now()
        return Update(
            claim.key(),
            set={
                "status": DONE,
                "seq": seq,
                "updated_at": codec.rfc3339(now),
                "expires_at": int((now + RETENTION).timestamp()),
            },
            remove=("owner", "until"),
            condition=_held(claim),
        )

    def is_taken_back(self, session: Session, turn_id: TurnId) -> bool | None:
        """Tell whether the turn was taken back, None where it has no guard, or has none any more."""
        found = self._adapters.table.get(Key(session_pk(session), guard_sk(turn_id)))
        return None if found is None else Guard.of(found).status == TAKEN_BACK

    def taken_back(self, session: Session, turn_id: TurnId) -> Update:
        """Return the write that marks a committed turn as taken back; it fails while a call is committing the turn."""
        guard = self._ended(session, turn_id, TAKEN_BACK)
        set_ = {name: value for name, value in guard.to_item().items() if name not in {"pk", "sk"}}
        # What the turn said is nobody's business any more, nor is a tag of it.
        gone, committed = ("payload", "seq"), AnyOf((ABSENT, Equals("status", DONE)))
        return Update(Key(session_pk(session), guard_sk(turn_id)), set=set_, remove=gone, condition=committed)

    def _ended(self, session: Session, turn_id: TurnId, status: str) -> Guard:
        """Return the guard of a turn that no call holds, as of now."""
        now = self._adapters.clock.now()
        return Guard(
            session=session,
            turn_id=turn_id,
            status=status,
            updated_at=codec.rfc3339(now),
            expires_at=int((now + RETENTION).timestamp()),
        )

    def give_back(self, claim: Claim) -> None:
        """Let a retry claim the turn at once; if this fails, it may when the claim's time is up."""
        try:
            self._adapters.table.delete(Delete(claim.key(), _held(claim)))
        except (StoreError, CairnError):
            self._adapters.holders().leave(claim.owner)

    def _judged(self, claim: Claim, guard: Guard | None) -> Claim:
        self._adapters.tally.turn_conflict()
        turn = claim.turn.turn_id
        if guard is not None and guard.status == TAKEN_BACK:
            raise Conflict(f"turn_id {turn!r} was taken back; store the turn under a new one", {"turn_id": turn})
        if guard is not None and guard.payload is not None and not self._is_of(guard.payload, claim):
            raise Conflict(f"turn_id {turn!r} was used for another payload", {"turn_id": turn})
        if guard is None or guard.status != DONE:
            raise ResourceBusy("the turn is being committed by another call", {"resource": "turn", "turn_id": turn})
        return Claim(claim.session, claim.turn, claim.owner, done=True)

    def _is_of(self, payload: str, claim: Claim) -> bool:
        return self._vault.verify(claim.session.tenant, PURPOSE, _payload(claim.turn), payload)


def _held(claim: Claim) -> AllOf:
    return AllOf((Equals("status", PROCESSING), Equals("owner", claim.owner)))


def _payload(turn: Completion) -> bytes:
    return codec.canonical([turn.user_id, list(turn.inputs), list(turn.outputs)])
