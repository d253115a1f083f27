"""Faults planted in the engine on purpose, each of which the simulator has to find."""

from __future__ import annotations
import __future__

import inspect
import textwrap
from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pkgutil import resolve_name
from types import CodeType, FunctionType

from simulation.schedule import simulated

MOST_SEEDS = 2000
"""After how many schedules from its seed on a planted fault counts as not found."""


@dataclass(frozen=True, slots=True)
class Change:
    """Another text in the source of one function, named as module:name."""

    function: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault, how to plant it, and the first seed whose schedule found it when it was planted last."""

    name: str
    changes: tuple[Change, ...]
    seed: int = 0


MUTANTS = (
    Mutant(
        "the commit checks neither the fence nor that its turn's number is free",
        (
            Change("cairn.turns.after_turn:_Commit._head_write", "condition=lease.held(),", ""),
            Change("cairn.turns.after_turn:_Commit._event_write", "to_item(), ABSENT)", "to_item())"),
        ),
        seed=431,
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
            Change("cairn.turns.after_turn:_Commit._event_write", "to_item(), ABSENT)", "to_item())"),
        ),
        seed=97,
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
        seed=873,
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
        seed=289,
    ),
    Mutant(
        "an expired fact is recalled until it is swept",
        (Change("cairn.facts.facts:Fact.is_live", "(self.expires_at is None or now < self.expires_at)", "True"),),
        seed=9,
    ),
    Mutant(
        "a fact that ended comes back when segments are replayed",
        (Change("cairn.log.ledger:Ledger.replay", "self.end(SessionId(what[0]), [from_record(what[1])])", "pass"),),
        seed=377,
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
        seed=928,
    ),
    Mutant(
        "a memory is kept and not counted",
        (Change("cairn.memories.remember:_Remembering._writes", 'add={"kept": 1}', 'add={"kept": 0}'),),
    ),
    Mutant(
        "a memory that is said again is kept again",
        (Change("cairn.memories.remember:_Remembering._writes", '"type": note.type}, ABSENT)', '"type": note.type})'),),
        seed=158,
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
        seed=214,
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
        seed=146,
    ),
)


@contextmanager
def planted(mutant: Mutant) -> Generator[None]:
    """Have the functions work as the mutant does, under every name they were imported by."""
    with ExitStack() as undoing:
        for change in mutant.changes:
            function: object = resolve_name(change.function)
            assert isinstance(function, FunctionType)
            undoing.callback(setattr, function, "__code__", function.__code__)
            function.__code__ = _changed(change, function)
        yield


def _changed(change: Change, function: FunctionType) -> CodeType:
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(change.old) == 1, f"{function.__qualname__} has changed: say anew how to break it"
    flags = __future__.annotations.compiler_flag
    code = compile(source.replace(change.old, change.new), function.__qualname__, "exec", flags, dont_inherit=True)
    return next(each for each in code.co_consts if isinstance(each, CodeType))


def found(mutant: Mutant, seeds: Iterable[int]) -> int | None:
    """Return the first of these seeds whose schedule goes wrong with the fault planted, None where none does."""
    with planted(mutant):
        return next((seed for seed in seeds if simulated(seed).problems), None)
