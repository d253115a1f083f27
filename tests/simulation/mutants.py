"""Faults planted in the engine on purpose, each of which the simulator has to find."""

from __future__ import annotations

from simulation.planting import Change, Mutant
from simulation.room_mutants import ROOM_MUTANTS
from simulation.schedule import DOCUMENTS, ITEMS

MUTANTS = (
    Mutant(
        "the commit checks neither the fence nor that its turn's number is free",
        (
            Change("cairn.turns.after_turn:_Commit._head_write", "condition=lease.held(),", ""),
            Change("cairn.sessions.stored_turn:storing", "to_item(), ABSENT)", "to_item())"),
        ),
        seed=480,
    ),
    Mutant(
        "the guard says done before the commit",
        (
            Change("cairn.turns.after_turn:_Commit._writes", "self._services.guards.done(claim, delta.seq),", ""),
            Change(
                "cairn.turns.after_turn:_Commit._write",
                "transact(self._services, writes,",
                "self._services.adapters.table.update(self._services.guards.done(claim, delta.seq)); "
                "transact(self._services, writes,",
            ),
        ),
        seed=5,
    ),
    Mutant(
        "the commit leaves the guard as it is",
        (Change("cairn.turns.after_turn:_Commit._writes", "self._services.guards.done(claim, delta.seq),", ""),),
    ),
    Mutant(
        "a turn is claimed though another call is committing it",
        (Change("cairn.sessions.guards:Guards.claim", "AnyOf((ABSENT, stale, lapsed))", "None"),),
    ),
    Mutant(
        "a guard is given back by whoever does not hold it",
        (Change("cairn.sessions.guards:Guards.give_back", "Delete(claim.key(), _held(claim))", "Delete(claim.key())"),),
        seed=494,
    ),
    Mutant(
        "another payload counts as the same turn",
        (
            Change(
                "cairn.sessions.guards:Guards._judged",
                "if guard is not None and guard.payload is not None and not self._is_of(guard.payload, claim):",
                "if False:",
            ),
        ),
        seed=5,
    ),
    Mutant(
        "of turns that came since those that a process knows the first is not read",
        (Change("cairn.sessions.recent_turns:RecentTurns._read", "known.newest + 1", "known.newest + 2"),),
        seed=3,
    ),
    Mutant(
        "the lease is taken from its holder",
        (Change("cairn.sessions.sessions:Sessions.try_lease", "condition=free,", ""),),
    ),
    Mutant(
        "the lease is released by whoever does not hold it",
        (Change("cairn.sessions.sessions:Sessions.release", "condition=lease.held())", "condition=None)"),),
        seed=757,
    ),
    Mutant(
        "a turn is numbered after what was read before the lease",
        (
            Change(
                "cairn.turns.after_turn:_Commit._delta",
                "return _Delta(lease.seq + 1,",
                "return _Delta((self._context.seq or lease.seq) + 1,",
            ),
            Change(
                "cairn.turns.after_turn:_Commit._held_lease", "if self._context.seq != self._lease.seq:", "if False:"
            ),
            Change("cairn.sessions.stored_turn:storing", "to_item(), ABSENT)", "to_item())"),
        ),
        seed=154,
    ),
    Mutant(
        "facts are merged into what was read before the lease",
        (
            Change(
                "cairn.turns.after_turn:_Commit._held_lease",
                "if read != self._lease.seq or not self._services.log.has_read(*self._place, self._owner, read_into):",
                "if False:",
            ),
        ),
        seed=1100,
    ),
    Mutant(
        "facts are merged into what was read before the lease of the user's log across projects",
        (
            Change(
                "cairn.turns.after_turn:_Commit._held_lease",
                "if read > self._lease.seq or not self._services.log.has_read(*self._place, owner, "
                "self._lease.head.across):",
                "if False:",
            ),
        ),
        seed=32,
    ),
    Mutant(
        "an expired fact is recalled until it is swept",
        (Change("cairn.facts.facts:Fact.is_live", "(self.expires_at is None or now < self.expires_at)", "True"),),
        seed=9,
    ),
    Mutant(
        "a fact that ended comes back when segments are replayed",
        (Change("cairn.log.ledger:Ledger.replay", "self.end(SessionId(what[0]), [from_record(what[1])])", "pass"),),
        seed=1004,
    ),
    Mutant(
        "a pack replaces a turn that it does not hold",
        (
            Change(
                "cairn.upkeep.maintenance:_Run._move",
                "[[turn.seq, turn.records] for turn in pack]",
                "[[turn.seq, turn.records] for turn in pack[1:]]",
            ),
        ),
        seed=12,
    ),
    Mutant(
        "a commit is sent however late, before what others have appended",
        (
            Change(
                "cairn.log.newest:moving_on",
                'condition=AnyOf((Missing("newest"), LessThan("newest", min(made)))),',
                "",
            ),
        ),
        seed=949,
    ),
    Mutant(
        "a memory is kept and not counted",
        (Change("cairn.memories.remember:_Remembering._writes", 'add={"kept": 1}', 'add={"kept": 0}'),),
    ),
    Mutant(
        "a memory that is said again is kept again",
        (Change("cairn.memories.remember:_Remembering._writes", '"type": note.type}, ABSENT)', '"type": note.type})'),),
        seed=194,
    ),
    Mutant(
        "a memory is forgotten by name only",
        (Change("cairn.memories.forget:_Forgetting._entry", "forgotten=(ending,)", "forgotten=()"),),
        seed=3,
    ),
    Mutant(
        "a value is written over one that nobody read",
        (
            Change(
                "cairn.keyvalue.changes:_value",
                'ABSENT if old is None else Equals("version", old.version)',
                "None",
            ),
        ),
        seed=25,
    ),
    Mutant(
        "an archived session is indexed before it is stored",
        (
            Change(
                "cairn.archive.archive:Archive.store",
                'digest = self._twice(put, "The session could not be stored; nothing was indexed", {"stage": "store"})',
                """from hashlib import sha256
    digest = Digest(sha256(sealed).hexdigest())
    self._index.add(tenant, self._entry(deposit, kept, digest, number))
    self._twice(put, "", {})""",
            ),
        ),
        seed=253,
    ),
    Mutant(
        "a file is written over what others appended meanwhile",
        (
            Change(
                "cairn.files.own_files:OwnFiles._write",
                'Equals("version", stored.version) if stored else ABSENT',
                "None",
            ),
        ),
        seed=187,
    ),
    Mutant(
        "a document is written over one that nobody read",
        (
            Change(
                "cairn.documents.changes:item_write",
                'ABSENT if old is None else Equals("version", old.version)',
                "None",
            ),
        ),
        game=DOCUMENTS,
    ),
    Mutant(
        "a retry of a call that others have overtaken counts as done",
        (Change("cairn.documents.writing:_Call._told_again", "if not others and", "if True or"),),
        game=DOCUMENTS,
    ),
    Mutant(
        "a change of documents is neither told nor counted",
        (
            Change("cairn.documents.changes:writes", "*telling(adapters, owner, changes),", ""),
            Change("cairn.documents.changes:counting", "int(any(each.is_indexed for each in changes))", "0"),
        ),
        seed=17,
        game=DOCUMENTS,
    ),
    Mutant(
        "a collection that was read in part counts as known",
        (
            Change("cairn.documents.searching:Searching._read", "began, shelf.since", "shelf.read_at, shelf.since"),
            Change("cairn.documents.searching:Searching._read", "shelf.read_at = began", "pass"),
        ),
        game=DOCUMENTS,
    ),
    Mutant(
        "a document's blob stays named as of no use",
        (Change("cairn.documents.writing:_Call._try", "*changes.adopting(self._drops)", ""),),
        game=DOCUMENTS,
    ),
    Mutant(
        "documents that expire are not taken off the count",
        (
            Change(
                "cairn.documents.collecting:Collector._expire",
                "changes.writes(self._adapters, owner, gone, None)",
                "[changes.item_write(owner, each, now) for each in gone]",
            ),
        ),
        game=DOCUMENTS,
    ),
    Mutant(
        "an item is stored again though its guard is there",
        (Change("cairn.items.guards:Guard.put", 'AnyOf((ABSENT, LessThan("position", floor)))', "None"),),
        game=ITEMS,
    ),
    Mutant(
        "the head of an item log is changed by whoever read it earlier",
        (Change("cairn.items.head:changed", "condition=_as_read(before, has_state=has_state)", ""),),
        game=ITEMS,
    ),
    Mutant(
        "what was taken back can be appended again",
        (
            Change(
                "cairn.items.take_back:TakingBack._try",
                "*rows,",
                "*rows, *(__import__('cairn.ground.table', fromlist=['Delete']).Delete("
                "Key(log.pk, layout.guard_sk(item.id))) for item in taken.items),",
            ),
        ),
        game=ITEMS,
    ),
    Mutant(
        "items are taken back again by the same operation",
        (
            Change("cairn.items.take_back:TakingBack.take_back", "if seen.done is not None:", "if False:"),
            Change(
                "cairn.items.take_back:TakingBack._try", 'AnyOf((ABSENT, LessThan("position", head.floor)))', "None"
            ),
        ),
        game=ITEMS,
    ),
    Mutant(
        "rows that were read before the head count as those that it knows of",
        (
            Change(
                "cairn.items.read:Found.is_as_told",
                "return row is not None and row.revision == head.newest",
                "return True",
            ),
        ),
        game=ITEMS,
    ),
    Mutant(
        "the rest of a deleted log is removed with what came after it",
        (Change("cairn.items.sweep:_below", "and int(rest) < floor", ""),),
        seed=29,
        game=ITEMS,
    ),
    *ROOM_MUTANTS,
)
