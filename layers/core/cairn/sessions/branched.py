"""Sessions on branches: each goes on from what its project's was at the branch's moment, which is read and not copied.

The head of one says how many turns it goes on from, once the branch adds to it. The project's turns are read there each
time, so that what is erased or taken back is gone from the branch as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain

from cairn.conversation.events import Event
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.attributes import moment, number
from cairn.ground.bounded import BoundedCache
from cairn.ground.codec import rfc3339
from cairn.ground.damage import sound, sound_or_none
from cairn.ground.errors import TransactionRefused, Unavailable
from cairn.ground.paging import every
from cairn.ground.session import Session, on_trunk
from cairn.ground.table import Attributes, Check, Key, Missing, Page, Query, Update, prefix_range
from cairn.log.branches import Branch, Branches, spoke
from cairn.sessions.head import BEGINS, COMPACTED_AT, Head, naming
from cairn.sessions.layout import (
    COMPACTED,
    FIRST_EVENT,
    HEAD,
    LAST_EVENT,
    MEMORY_COUNT,
    PACKED,
    compact_sk,
    event_sk,
    session_pk,
)
from cairn.sessions.recent_turns import Recent, RecentTurns, Turn, events_of, turns_of
from cairn.sessions.summary import Summary
from cairn.vault.vault import Vault

_MOST = 4096
_LATER = 4
"""How many turns are read at first to find the newest that a branch knows: most branches are made of the newest."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a session on a branch goes on from: the project's, up to turn `seq`, and what its head says."""

    branch: Branch
    of: Session
    seq: int
    head: Head | None
    is_open: bool = False
    """Whether the branch's own head says so."""


class BranchedSessions:
    """Reads sessions on branches, and opens them for what a branch adds."""

    def __init__(self, adapters: Adapters, vault: Vault, branches: Branches, recent: RecentTurns) -> None:
        """Know of no session."""
        self._adapters = adapters
        self._vault = vault
        self._branches = branches
        self._recent = recent
        self._known: BoundedCache[Session, Beginning] = BoundedCache(entries=_MOST)

    def recent(self, session: Session, items: int) -> Recent:
        """Return the newest turns that together hold at least `items` items: the branch's own, and those before them.

        What was archived is told by the summary, as in the project.
        """
        begun = self.beginning(session)
        own = Pending(lambda: self._recent.read(session, items))
        earlier = Pending(lambda: self._newest(begun, items))
        summary = Pending(lambda: self._summary(begun))
        memories = Pending(lambda: self._adapters.table.get(Key(session_pk(begun.of), MEMORY_COUNT)))
        self._adapters.parallel([own, earlier, summary, memories])
        found = own.result
        turns, held = list(found.turns), sum(len(events) for _, events in found.turns)
        for turn in earlier.result:
            if held >= items:
                break
            turns.insert(0, turn)
            held += len(turn[1])
        counted = found.memories or ("0" if memories.result is not None else "")
        return replace(
            found,
            head=head_of(session, begun, found.head),
            turns=tuple(turns),
            memories=counted,
            summary=summary.result,
        )

    def beginning(self, session: Session) -> Beginning:
        """Return what a session goes on from, read once a process; InvalidArgument where it is not on the branch."""
        known, branch = self._known.peek(session), self._branches.known(session)
        if known is not None and known.branch.id == branch.id:
            return known
        # Afterwards: turns that were read before the branch was made would be without those that it knows.
        of = on_trunk(session)
        own, there = (Pending(partial(self._adapters.table.get, Key(session_pk(each), HEAD))) for each in (session, of))
        newest = Query(session_pk(of), FIRST_EVENT, LAST_EVENT, descending=True, limit=_LATER)
        page = Pending(lambda: self._adapters.table.query(newest))
        self._adapters.parallel([own, there, page])
        head = sound_or_none(self._adapters, there.result, Head.of)
        if own.result is not None and BEGINS in own.result:
            begun = Beginning(branch, of, number(own.result, BEGINS), head, is_open=True)
        else:
            begun = Beginning(branch, of, self._through(branch, of, page.result), head)
        self._known.put(session, begun)
        return begun

    def open(self, session: Session) -> None:
        """Have the branch know of a session, and a head of its own say what it goes on from, before it is added to.

        NotFound or Conflict where the branch is gone, or is being closed.
        """
        begun = self.beginning(session)
        if begun.is_open:
            return
        head = Update(Key(session_pk(session), HEAD), set=_said(begun), add={"fence": 1}, condition=Missing("seq"))
        writes = [head, spoke(session), Check(begun.branch.key, begun.branch.is_open)]
        try:
            self._adapters.table.transact(writes)
        except TransactionRefused as refused:
            self._known.evict(session)
            self._branches.read(session.tenant, session.project)
            if refused.reasons[0] is None or refused.reasons[0].code != "condition":
                raise Unavailable("the store refused to open a session; try again") from refused
        else:
            self._known.put(session, replace(begun, is_open=True))

    def _through(self, branch: Branch, of: Session, page: Page) -> int:
        """Return the number of the newest turn that the branch knows, 0 where it knows none; a page of them is read."""
        rest = Query(session_pk(of), FIRST_EVENT, LAST_EVENT, descending=True, start=page.next)
        for item in chain(page.items, every(self._adapters.table, rest) if page.next else ()):
            if branch.knows(moment(item, "at")):
                return number(item, "seq")
        shards = every(self._adapters.table, Query(session_pk(of), *prefix_range(PACKED), descending=True, limit=1))
        turns: Iterator[Turn] = chain.from_iterable(
            reversed(each) for each in sound(self._adapters, shards, lambda shard: turns_of(self._vault, of, shard))
        )
        return next((seq for seq, events in turns if branch.knows(_said_at(events))), 0)

    def _newest(self, begun: Beginning, items: int) -> Sequence[Turn]:
        """Return the newest of the project's turns that the branch knows, the newest first."""
        query = Query(session_pk(begun.of), FIRST_EVENT, event_sk(begun.seq), descending=True, limit=items // 2 + 1)
        found, held = list[Turn](), 0
        for seq, events in sound(self._adapters, self._known_to(begun, query), lambda item: self._opened(begun, item)):
            found.append((seq, events))
            held += len(events)
            if held >= items:
                break
        return found

    def _known_to(self, begun: Beginning, query: Query) -> Iterator[Attributes]:
        # One that was taken back may have been followed by another of its number, which the branch does not know.
        return (item for item in every(self._adapters.table, query) if begun.branch.knows(moment(item, "at")))

    def _opened(self, begun: Beginning, item: Attributes) -> Turn:
        return number(item, "seq"), events_of(self._vault, begun.of, item)

    def _summary(self, begun: Beginning) -> Summary | None:
        """Return the newest summary of turns that the branch knows: the project's, as a branch has none of its own."""
        query = Query(session_pk(begun.of), COMPACTED, compact_sk(begun.seq), descending=True, limit=1)
        item = next(iter(self._adapters.table.query(query).items), None)
        return sound_or_none(
            self._adapters, item, lambda found: Summary.from_record(self._vault.unseal(begun.of.tenant, found))
        )


def _said_at(events: Sequence[Event]) -> datetime:
    return events[0].ts


def _said(begun: Beginning) -> dict[str, str | int]:
    """Return what a head says of what it goes on from."""
    head = begun.head
    if head is None or not begun.seq:
        return {BEGINS: 0}
    compacted = head.compacted_at
    known = {COMPACTED_AT: rfc3339(compacted)} if compacted is not None and begun.branch.knows(compacted) else {}
    return {BEGINS: begun.seq, "seq": begun.seq, "updated_at": head.updated_at, **naming(head.owners), **known}


def head_of(session: Session, begun: Beginning, own: Head | None) -> Head | None:
    """Return the head that a session has on a branch, whose own it may have none of yet; None where it is not there."""
    head = own if own is not None and own.seq else _virtual(session, begun)
    if head is None or begun.head is None:
        return head
    return replace(head, erased=head.erased + begun.head.erased)


def _virtual(session: Session, begun: Beginning) -> Head | None:
    """Return the head that a session has on a branch which has not added to it, None where it has none there."""
    said = _said(begun)
    return Head.of({"pk": session_pk(session), "sk": HEAD, **said}) if begun.seq else None
