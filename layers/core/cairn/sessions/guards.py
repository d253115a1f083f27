"""Turn guards: who may commit a turn, and what is known of a turn that was committed.

Times and states of a guard: absent -> processing (one owner, until its time is up) -> done. A retry of a done turn is
a replay; a turn left in processing past its time may be taken over; a done one never changes. A turn that was committed
before its session came to Cairn is done from the start, whatever its payload was.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from cairn.conversation.turns import Completion
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, ConditionFailed, Conflict, ResourceBusy, StoreError
from cairn.ground.ids import TurnId
from cairn.ground.session import Session
from cairn.ground.table import ABSENT, AllOf, AnyOf, Attributes, Delete, Equals, Key, LessThan, Put, Update
from cairn.sessions.layout import guard_sk, session_pk
from cairn.vault.vault import Vault

RETENTION = timedelta(days=30)
PURPOSE = "turn payload"


@dataclass(frozen=True, slots=True)
class Claim:
    """That this call may commit a turn, or with `done` that the same turn was committed before."""

    session: Session
    turn: Completion
    owner: str
    done: bool = False

    def key(self) -> Key:
        """Return where the guard is."""
        return Key(session_pk(self.session), guard_sk(self.turn.turn_id))


class Guards:
    """Claims turns, marks them done, gives them back."""

    def __init__(self, adapters: Adapters, vault: Vault) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._vault = vault

    def is_free(self, session: Session, turn_id: TurnId) -> bool:
        """Tell whether a claim of the turn would be granted now, so that nothing costly is done for one that is not."""
        now = self._adapters.clock.now()
        guard = self._adapters.table.get(Key(session_pk(session), guard_sk(turn_id)))
        if guard is None or int(guard["expires_at"]) < int(now.timestamp()):
            return True
        return guard["status"] == "processing" and int(guard["until"]) < codec.epoch_ms(now)

    def claim(self, session: Session, turn: Completion, owner: str, lease_seconds: int) -> Claim:
        """Claim the turn for one commit.

        Conflict if the turn was committed with another payload; ResourceBusy while another call is committing it.
        """
        now = self._adapters.clock.now()
        claim = Claim(session, turn, owner)
        until = codec.epoch_ms(now + timedelta(seconds=lease_seconds))
        guard = {
            "pk": claim.key().pk,
            "sk": claim.key().sk,
            "tenant": session.tenant,
            "project": session.project,
            "session_id": session.session_id,
            "turn_id": turn.turn_id,
            "status": "processing",
            "owner": owner,
            "until": until,
            "payload": self._vault.sign(session.tenant, PURPOSE, _payload(turn)),
            "updated_at": codec.rfc3339(now),
            "expires_at": int((now + RETENTION).timestamp()),
        }
        stale = AllOf((Equals("status", "processing"), LessThan("until", codec.epoch_ms(now))))
        lapsed = LessThan("expires_at", int(now.timestamp()))
        try:
            self._adapters.table.put(Put(guard, AnyOf((ABSENT, stale, lapsed))))
        except ConditionFailed as held:
            return self._judged(claim, held.item or {})
        return claim

    def processed(self, session: Session, turn_id: TurnId) -> Put:
        """Return the write that marks a turn as committed elsewhere, with an unknown payload, if it has no guard."""
        now = self._adapters.clock.now()
        key = Key(session_pk(session), guard_sk(turn_id))
        guard = {
            "pk": key.pk,
            "sk": key.sk,
            "tenant": session.tenant,
            "project": session.project,
            "session_id": session.session_id,
            "turn_id": turn_id,
            "status": "done",
            "updated_at": codec.rfc3339(now),
            "expires_at": int((now + RETENTION).timestamp()),
        }
        return Put(guard, ABSENT)

    def check_replay(self, claim: Claim) -> None:
        """Make sure that a turn found stored is the claimed one, with the errors of claim() where it is not.

        A claim whose time was up may have been taken over, by a call that stored another payload under this turn_id.
        """
        stored = self._adapters.table.get(claim.key())
        if stored is not None and stored.get("owner") != claim.owner:
            self._judged(claim, stored)
        else:
            self._adapters.tally.turn_conflict()

    def done(self, claim: Claim, seq: int) -> Update:
        """Return the write that marks the turn as committed; it holds only for the claim's owner."""
        now = self._adapters.clock.now()
        return Update(
            claim.key(),
            set={
                "status": "done",
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

    def _judged(self, claim: Claim, stored: Attributes) -> Claim:
        self._adapters.tally.turn_conflict()
        turn = claim.turn.turn_id
        if "payload" in stored and not self._is_of(stored, claim):
            raise Conflict(f"turn_id {turn!r} was used for another payload", {"turn_id": turn})
        if stored.get("status") != "done":
            raise ResourceBusy("the turn is being committed by another call", {"resource": "turn", "turn_id": turn})
        return Claim(claim.session, claim.turn, claim.owner, done=True)

    def _is_of(self, stored: Attributes, claim: Claim) -> bool:
        return self._vault.verify(claim.session.tenant, PURPOSE, _payload(claim.turn), str(stored["payload"]))


def _held(claim: Claim) -> AllOf:
    return AllOf((Equals("status", "processing"), Equals("owner", claim.owner)))


def _payload(turn: Completion) -> bytes:
    return codec.canonical([turn.user_id, list(turn.inputs), list(turn.outputs)])
