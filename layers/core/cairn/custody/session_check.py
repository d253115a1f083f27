"""Check that a session's items agree with one another and with the logs, and make its head anew where it is lost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from cairn.custody.findings import Finding
from cairn.custody.quarantine import moving
from cairn.custody.survey import Events, Seen, SessionSeen, all_owners, shown
from cairn.files.layout import file_part_sk, file_sk
from cairn.ground.codec import epoch_ms, rfc3339
from cairn.ground.errors import TransactionRefused
from cairn.ground.ids import SessionId, Tenant, is_branch, time_ordered_id
from cairn.ground.session import NO_SESSION, Session
from cairn.ground.table import ABSENT, Attributes, Equals, Key, Put, Update, Write
from cairn.ground.trust import Trust
from cairn.log.entries import LogEntry
from cairn.log.layout import KEPT_COUNT, log_of, log_owner, log_sk, registry_pk, session_named
from cairn.sessions import due
from cairn.sessions.head import ACROSS, BEGUN, REMOVALS, naming
from cairn.sessions.layout import HEAD, MEMORY_COUNT, session_of, session_pk
from cairn.sessions.services import SessionServices
from cairn.sessions.transacting import transact
from cairn.turns.telling import Words

_LATEST = b"\xff" * 10


class SessionCheck:
    """Checks the sessions of a tenant."""

    def __init__(self, services: SessionServices, tenant: Tenant) -> None:
        """Look at this tenant's."""
        self._services = services
        self._tenant = tenant
        self._table = services.adapters.table

    def findings(self, seen: Seen) -> Iterator[Finding]:
        """Yield what is wrong."""
        sizes: Counter[str] = Counter()
        for pk, session in seen.sessions.items():
            where = session_of(pk)
            yield from self._of_head(where, session)
            if session.head is not None and not is_branch(where.project):
                yield from self._of_turns(where, session)
            yield from self._of_files(pk, session)
            sizes[registry_pk(self._tenant, where.project)] += sum(each.size for each in session.files.values())
        yield from self._of_memories(seen)
        for pk in {*sizes, *seen.file_bytes}:
            if sizes[pk] != seen.file_bytes.get(pk, 0):
                put = Put({"pk": pk, "sk": "files", "bytes": sizes[pk]})
                yield Finding("counter", shown(Key(pk, "files")), f"files have {sizes[pk]} bytes", self._put(put))

    def _of_head(self, where: Session, seen: SessionSeen) -> Iterator[Finding]:
        place = shown(Key(session_pk(where), HEAD))
        if seen.head is None or not seen.turns:
            if seen.turns:
                head = Put(self._head(where, seen), ABSENT)
                yield Finding("missing", place, "a session with turns has no head", self._put(head))
            return
        head, newest = seen.head, max(seen.turns)
        if head.seq < newest:
            anew = {name: value for name, value in self._head(where, seen).items() if name not in {"pk", "sk", "fence"}}
            update = Update(head.key, set=anew, add={"fence": 1})
            problem = f"the head counts {head.seq} turns and the newest is number {newest}"
            yield Finding("counter", place, problem, lambda: _ignore(self._table.update(update)))
            return
        lost = head.seq - head.begins - head.erased - len(seen.turns)
        if lost > 0:
            update = Update(head.key, add={"erased": lost, REMOVALS: 1}, condition=Equals("fence", head.fence))
            yield Finding("missing", place, f"{lost} turns are gone", lambda: _ignore(self._table.update(update)))

    def _head(self, where: Session, seen: SessionSeen) -> dict[str, str | int | bytes | bool]:
        """Return a head made of what the turns say; nobody who knew the one before can write under it."""
        now, newest = self._services.adapters.clock.now(), max(seen.turns)
        owners = [log_owner(user, where.session_id) for user in all_owners(seen)]
        return {
            "pk": session_pk(where),
            "sk": HEAD,
            "fence": epoch_ms(now),
            "seq": newest,
            "turn_id": seen.turns[newest][0].turn_id,
            "updated_at": rfc3339(seen.turns[newest][0].ts),
            "erased": newest - len(seen.turns),
            "archived_through": seen.archived_through,
            "events": sum(map(len, seen.turns.values())),
            ACROSS: log_sk(time_ordered_id(now, _LATEST)),  # there may be some, and none is newer
            BEGUN: self._services.adapters.entropy.token(12).hex(),
            **naming(dict.fromkeys(owners)),
            **due.at(where, now).set,
        }

    def _of_turns(self, where: Session, seen: SessionSeen) -> Iterator[Finding]:
        """Yield the turns that no log tells of: nothing said in them is recalled."""
        owners: defaultdict[str, dict[int, Events]] = defaultdict(dict)
        for seq, events in seen.turns.items():
            owners[log_owner(events[0].user_id, where.session_id)][seq] = events
        for owner, turns in owners.items():
            for seq in sorted(turns.keys() - self._logged(where, owner)):
                place = f"{shown(Key(session_pk(where), HEAD))}: turn {seq}"
                yield Finding(
                    "missing", place, "its log does not tell of it", partial(self._log, where, owner, seq, turns[seq])
                )

    def _logged(self, where: Session, owner: str) -> set[int]:
        log = self._services.log
        log.refresh(where.tenant, where.project, owner)
        with log.view(where.tenant, where.project, owner) as view:
            return {stamp.seq for stamp in view.turns(where.session_id)}

    def _log(self, where: Session, owner: str, seq: int, events: Events) -> None:
        """Append a turn to its log; what was learnt from it when it was said is not learnt again.

        Whether it was brought along is not known any more, so that it is not trusted further.
        """
        if seq in self._logged(where, owner):
            return
        words = Words.of(events)
        turn = words.entry(events[0].turn_id, seq, events, words.may_hide)
        entry = LogEntry(session_id=where.session_id, at=events[0].ts, turn=turn, most=Trust.IMPORT)
        log, now = self._services.log, self._services.adapters.clock.now

        def writes() -> list[Write]:
            append = log.append(where.tenant, where.project, owner, entry, now())
            return [append, *log.in_order(append), *self._services.registry.writes(where, owner)]

        transact(self._services, writes, _never_settled)

    def _of_files(self, pk: str, seen: SessionSeen) -> Iterator[Finding]:
        named: set[str] = set()
        for name, parts in seen.file_parts.items():
            sks = {file_part_sk(name, part) for part in parts}
            named |= sks
            if sks - seen.parts.keys():
                where = Key(pk, file_sk(name))
                yield Finding("record", shown(where), "a part of the file is gone", self._move(where))
        for sk in seen.parts.keys() - named:
            yield Finding("orphan", shown(Key(pk, sk)), "it is a part of no file", self._move(Key(pk, sk)))
        newest = max((record.version for record in seen.files.values()), default=0)
        if (seen.tree or 0) < 1 and newest:
            put = Put({"pk": pk, "sk": "files", "tree": newest})
            yield Finding(
                "missing", shown(Key(pk, "files")), "a session with files has no count of them", self._put(put)
            )

    def _of_memories(self, seen: Seen) -> Iterator[Finding]:
        kept: Counter[str] = Counter()
        for pk, log in seen.logs.items():
            alone = 0
            for name in log.remembered.values():
                project, session_id = session_named(log_of(pk)[1], SessionId(name))
                if session_id == NO_SESSION:
                    alone += 1
                else:
                    kept[session_pk(Session(self._tenant, project, session_id))] += 1
            if alone and not log.counts_memories:
                put = Put({"pk": pk, "sk": KEPT_COUNT, "kept": alone}, ABSENT)
                yield Finding("missing", shown(Key(pk, KEPT_COUNT)), "memories are not counted", self._put(put))
        for pk, count in kept.items():
            if pk not in seen.sessions or not seen.sessions[pk].counts_memories:
                put = Put({"pk": pk, "sk": MEMORY_COUNT, "kept": count}, ABSENT)
                yield Finding("missing", shown(Key(pk, MEMORY_COUNT)), "memories are not counted", self._put(put))

    def _move(self, where: Key) -> Callable[[], None]:
        def mend() -> None:
            item: Attributes | None = self._table.get(where)
            if item is not None:
                self._table.transact(moving(self._tenant, item, self._services.adapters.clock.now()))

        return mend

    def _put(self, write: Put) -> Callable[[], None]:
        return partial(self._table.put, write)


def _never_settled(_: Sequence[Write], _refused: TransactionRefused) -> None:
    """Tell that a refused append is to be tried again."""


def _ignore(_: object) -> None:
    return None
