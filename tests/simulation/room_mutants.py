"""Faults planted in plans, branches, statements and backups."""

from __future__ import annotations

from simulation.planting import Change, Mutant
from simulation.schedule import BACKUPS, BRANCHES, PLANS, STATEMENTS

ROOM_MUTANTS = (
    Mutant(
        "a plan's next state is stored by whoever read it earlier",
        (Change("cairn.plans.records:PlanRecords.change", "Put(item, plan.unchanged)", "Put(item)"),),
        seed=58,
        game=PLANS,
    ),
    Mutant(
        "a rotation that was stopped leaves the key open that nobody saw",
        (
            Change(
                "cairn.access.key_store:Credentials.rotate", "if again and old.successor else []", "if False else []"
            ),
        ),
        seed=27,
        game=PLANS,
    ),
    Mutant(
        "a plan sets a policy behind whichever is there",
        (
            Change(
                "cairn.custody.planned_policy:PlannedPolicy._set",
                "self._store.write(text, over, plan.is_as_read, plan.id)",
                "self._store.write(text, by=plan.id)",
            ),
        ),
        seed=58,
        game=PLANS,
    ),
    Mutant(
        "an erasure that waits is carried out before its time",
        (Change("cairn.plans.model:Plan.erases", "self.until <= now", "True"),),
        seed=84,
        game=PLANS,
    ),
    Mutant(
        "a memory is not kept again as its forgetting is taken back",
        (
            Change(
                "cairn.custody.planned_forgetting:PlannedForgetting.undo",
                'restore(self._services, session, request.user_id, request.id, how="beside")',
                "pass",
            ),
        ),
        seed=43,
        game=PLANS,
    ),
    Mutant(
        "a key is rotated by a run of its plan that another overtook",
        (
            Change(
                "cairn.access.key_store:Credentials.rotate",
                "[write, ending, *void, *only_if]",
                "[write, ending, *void]",
            ),
        ),
        seed=352,
        game=PLANS,
    ),
    Mutant(
        "an erasure is called final though another run of it goes on",
        (Change("cairn.plans.planning:Plans._carry_out", "if self._goes_on(plan):", "if False:"),),
        seed=522,
        game=PLANS,
    ),
    Mutant(
        "a policy that a stopped run has set is unknown once another has replaced it",
        (
            Change(
                "cairn.custody.planned_policy:PlannedPolicy._set",
                "if self._store.set_by(over + 1) == plan.id:",
                "if False:",
            ),
        ),
        seed=136,
        game=PLANS,
    ),
    Mutant(
        "a branch is added to that is being closed",
        (Change("cairn.log.branches:Branches.adding", "Check(branch.key, branch.is_open), ", ""),),
        seed=10,
        game=BRANCHES,
    ),
    Mutant(
        "a turn that is merged is not marked as processed",
        (
            Change(
                "cairn.branches.merge:_Merging._turn_writes",
                'self._services.guards.processed(held.session, TurnId(turn["id"])),',
                "",
            ),
        ),
        seed=79,
        game=BRANCHES,
    ),
    Mutant(
        "a merge leaves out what was kept on the branch in no turn",
        (Change("cairn.branches.merge:_Merging.run", "self._change(entry)", "pass"),),
        seed=68,
        game=BRANCHES,
    ),
    Mutant(
        "a session on a branch goes on from one turn fewer",
        (
            Change(
                "cairn.sessions.branched:BranchedSessions._through",
                'return number(item, "seq")',
                'return number(item, "seq") - 1',
            ),
        ),
        game=BRANCHES,
    ),
    Mutant(
        "a statement is believed beside what it ends",
        (Change("cairn.turns.stating:_Stating._claim", "key=old.key", "key=own.key"),),
        game=STATEMENTS,
    ),
    Mutant(
        "a statement is merged into what was read before the lease",
        (
            Change(
                "cairn.turns.after_turn:_Commit._held_lease",
                "if read != self._lease.seq or not self._services.log.has_read(*self._place, self._owner, read_into):",
                "if False:",
            ),
        ),
        seed=10,
        game=STATEMENTS,
    ),
    Mutant(
        "a snapshot says that it is there before its blobs are",
        (
            Change(
                "cairn.local.backup.backup:back_up_of",
                "storage.put(draft.table_file, opened)",
                "storage.put(draft.table_file, opened)\n            draft.keep(storage)",
            ),
        ),
        seed=3,
        game=BACKUPS,
    ),
    Mutant(
        "who was erased since a backup comes back with it",
        (
            Change(
                "cairn.local.backup.restore:erase_again",
                "EraseUser(services, inventory, pause=_at_once).run(scope)",
                "pass",
            ),
        ),
        seed=7,
        game=BACKUPS,
    ),
    Mutant(
        "blobs go that only the oldest snapshot has of those that are kept",
        (Change("cairn.local.backup.backup:_prune", "for name in kept for blob", "for name in kept[1:] for blob"),),
        seed=26,
        game=BACKUPS,
    ),
    Mutant(
        "a snapshot that a backup removed while it was read is called damaged",
        (Change("cairn.local.backup.restore:restore", "with in_use(storage, manifest.name):", "if True:"),),
        seed=149,
        game=BACKUPS,
    ),
    Mutant(
        "a manifest makes a snapshot whose files are gone",
        (Change("cairn.local.backup.manifest:snapshots", "if name in listed", ""),),
        seed=120,
        game=BACKUPS,
    ),
    Mutant(
        "an erasure that a snapshot has on record is done again",
        (Change("cairn.custody.erasures:_scopes", "and copy.get(Key.of(item)) is None", ""),),
        seed=26,
        game=BACKUPS,
    ),
)
