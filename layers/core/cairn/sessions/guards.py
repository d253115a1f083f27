"""Turn guards: decide which call may commit a turn, and remember which turns were committed.

Times and states of a guard: absent -> processing (one owner, until its time is up) -> done. A retry of a done turn is
a replay; a turn left in processing past its time may be taken over; a done one never changes. A turn that was committed
before its session came to Cairn is done from the start, whatever its payload was.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from cairn.conversation.turns import Completion
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.attributes import number, text
from cairn.ground.errors import CairnError, ConditionFailed, Conflict, ResourceBusy, StoreError
from cairn.ground.ids import TurnId
from cairn.ground.session import Session
from cairn.ground.table import ABSENT, AllOf, AnyOf, Attributes, Delete, Equals, Key, LessThan, Put, Scalar, Update
from cairn.sessions.layout import GUARDS, guard_sk, session_of, session_pk
from cairn.vault.vault import Vault

RETENTION = timedelta(days=30)
PURPOSE = "turn payload"
PROCESSING = "processing"
DONE = "done"


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

    def is_held(self, now: datetime) -> bool:
        """Tell whether a call is committing the turn, and its time is not up."""
        return self.status == PROCESSING and self.until is not None and self.until >= codec.epoch_ms(now)

    def is_free(self, now: datetime) -> bool:
        """Tell whether a claim would be granted: the guard has expired, or its claim's time is up."""
        has_expired = self.expires_at < int(now.timestamp())
        return has_expired or (self.status == PROCESSING and not self.is_held(now))


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
        return guard is None or Guard.of(guard).is_free(self._adapters.clock.now())

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
            return self._judged(claim, Guard.of(held.item) if held.item else None)
        return claim

    def processed(self, session: Session, turn_id: TurnId) -> Put:
        """Return the write that marks a turn as committed elsewhere, with an unknown payload, if it has no guard."""
        now = self._adapters.clock.now()
        guard = Guard(
            session=session,
            turn_id=turn_id,
            status=DONE,
            updated_at=codec.rfc3339(now),
            expires_at=int((now + RETENTION).timestamp()),
        )
        return Put(guard.to_item(), ABSENT)

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

    def give_back(self, claim: Claim) -> None:
        """Let a retry claim the turn at once; if this fails, it may when the claim's time is up."""
        with suppress(StoreError, CairnError):
            self._adapters.table.delete(Delete(claim.key(), _held(claim)))

    def _judged(self, claim: Claim, guard: Guard | None) -> Claim:
        self._adapters.tally.turn_conflict()
        turn = claim.turn.turn_id
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
