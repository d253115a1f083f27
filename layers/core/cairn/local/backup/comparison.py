"""Compare a restored store with the one that it is of: what there is, each item, and what is recalled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Final, TypeAlias, cast

from cairn.custody.holdings import Count
from cairn.custody.quarantine import blobs_named
from cairn.custody.scope import DataScope, parts_of
from cairn.ground.codec import canonical
from cairn.ground.errors import CorruptData, NotFound
from cairn.ground.ids import Digest, SessionId, Tenant, UserId
from cairn.ground.ports import Snapshot, Table
from cairn.ground.session import Session
from cairn.ground.table import Attributes, Key, Scalar
from cairn.local.tables import counted
from cairn.log.layout import is_entry, log_of
from cairn.memories.model import RecallRequest
from cairn.memories.recall import recall
from cairn.services import Services

RECALLS: Final = 10
_OF_CALLS = {"audit", "rates"}
_WORDS, _CHARACTERS, _FOUND = 12, 200, 10
Say: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Side:
    """A store in which nothing changes as far as it can hold a state, and services that only read."""

    services: Services
    state: Snapshot

    @classmethod
    def of(cls, services: Services, state: Snapshot) -> Side:
        """Take the store of these services, as this state of it is."""
        reading = replace(services.adapters, table=cast("Table", state))
        return cls(Services(services.settings, services.store, reading), state)


@dataclass(frozen=True, slots=True)
class Question:
    """Words that somebody said, asked where and by whom they were said."""

    session: Session
    user: UserId | None
    text: str

    def is_about(self, key: Key) -> bool:
        """Tell whether what is recalled may depend on an item."""
        kind, project, owner = parts_of(key.pk)
        return kind in {"m", "s"} and (project == self.session.project or owner == f"u:{self.user}")


def compare(live: Side, restored: Side, tenant: Tenant, say: Say, *, strict: bool) -> bool:
    """Tell what is the same and what is not, and return whether all is; unless `strict`, what was written since may be.

    A recall counts only where nothing was written to what it reads.
    """
    say(f"Tenant {tenant}")
    counts = [asdict(Count(side.services, side.state, DataScope(tenant)).run()) for side in (live, restored)]
    say(f"  {'':16}{'store':>12}{'restored':>12}")
    for name in counts[0]:
        say(f"  {name:16}{counts[0][name]:12}{counts[1][name]:12}")
    ours, theirs = _digests(live.state, tenant), _digests(restored.state, tenant)
    changed = {key for key in ours.keys() & theirs.keys() if ours[key] != theirs[key]}
    more, fewer = ours.keys() - theirs.keys(), theirs.keys() - ours.keys()
    say(
        f"  Items: {len(ours.keys() & theirs.keys()) - len(changed)} the same, {len(changed)} different, "
        f"{len(more)} only in the store, {len(fewer)} only in the backup"
    )
    differing = {*changed, *more, *fewer}
    lost = _lost(live, restored, tenant, differing)
    if lost:
        say(f"  {counted(len(lost), 'blob')} of the store NOT in the backup: {', '.join(lost)}")
    asked = [_same(live, restored, each, differing, say) for each in _questions(restored, tenant)]
    return all(asked) and not lost and not (strict and differing)


def _digests(state: Snapshot, tenant: Tenant) -> Mapping[Key, bytes]:
    """Return a digest of each item but those that every call leaves."""
    return {
        Key.of(item): sha256(canonical({name: _shown(value) for name, value in item.items()})).digest()
        for item in state.items(tenant)
        if parts_of(str(item["pk"]))[0] not in _OF_CALLS
    }


def _lost(live: Side, restored: Side, tenant: Tenant, differing: set[Key]) -> list[Digest]:
    """Return the blobs of items that are the same which the store can read and the restored one cannot."""
    named = {
        digest for item in restored.state.items(tenant) if Key.of(item) not in differing for digest in blobs_named(item)
    }
    return sorted(each for each in named if not _has(restored, tenant, each) and _has(live, tenant, each))


def _has(side: Side, tenant: Tenant, digest: Digest) -> bool:
    try:
        side.services.adapters.blobs.get(tenant, digest)
    except (NotFound, CorruptData):
        return False
    return True


def _shown(value: Scalar) -> object:
    return {"b": value.hex()} if isinstance(value, bytes) else value


def _questions(side: Side, tenant: Tenant) -> Iterator[Question]:
    """Yield questions about ten things that were said or kept, spread over all that are in memory logs."""
    entries = [Key.of(item) for item in side.state.items(tenant) if _is_entry(item)]
    for number in range(min(RECALLS, len(entries))):
        key = entries[number * len(entries) // min(RECALLS, len(entries))]
        item = side.state.get(key)
        if item is not None:
            yield from _question(side, tenant, key, item)


def _is_entry(item: Attributes) -> bool:
    key = Key.of(item)
    kind, project, owner = parts_of(key.pk)
    return kind == "m" and project != "~" and owner is not None and is_entry(key.sk)


def _question(side: Side, tenant: Tenant, key: Key, item: Attributes) -> Iterator[Question]:
    record = side.services.vault.unseal(tenant, item)
    _, project, owner = log_of(key.pk)
    user = UserId(owner[2:]) if owner.startswith("u:") else None
    texts = [text for _, _, text, *_ in (record["turn"] or {"texts": ()})["texts"]]
    for text in [*texts, *(memory["content"] for memory in record["remembered"])][:1]:
        where = Session(tenant, project, SessionId(record["session"]))
        yield Question(where, user, " ".join(text.split()[:_WORDS])[:_CHARACTERS])


def _same(live: Side, restored: Side, question: Question, differing: set[Key], say: Say) -> bool:
    """Ask both, tell whether the same is found in the same order, and return False where it is not and should be."""
    ours, theirs = recalled(live, question), recalled(restored, question)
    who = f"user {question.user}" if question.user else f"session {question.session.session_id}"
    told = f"  recall: project {question.session.project}, {who}: {len(theirs)} found"
    if ours == theirs:
        say(f"{told}, the same in the same order")
        return True
    if any(map(question.is_about, differing)):
        say(f"{told}; other things than in the store, where this memory was written to since")
        return True
    say(f"{told}; NOT what the store finds")
    return False


def recalled(side: Side, question: Question) -> Sequence[str]:
    """Return the ids of what a side finds, the best first."""
    request = RecallRequest(
        query=question.text,
        limit=_FOUND,
        user_id=question.user,
        scope="user" if question.user else "session",
    )
    return [each.id for each in recall(side.services, question.session, request).found]
