"""Search documents by a question: rank their texts as recall does, then filter by their values.

A process reads a collection once and keeps it. What changed since is told beside the documents: each change is one item
and is counted, so that a reader knows whether it has met them all; where it has not, it reads the collection again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NoReturn

from cairn.documents import contents
from cairn.documents.changes import usage_key
from cairn.documents.layout import changes_since
from cairn.documents.model import Held, Hit, Owner, Sought, Usage
from cairn.documents.reading import Reading
from cairn.documents.shelf import Kept, Shelf
from cairn.documents.texts import texts_of
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.bounded import BoundedCache
from cairn.ground.damage import sound
from cairn.ground.ids import time_ordered_id
from cairn.ground.paging import every
from cairn.ground.table import Attributes, Key, Page, Query
from cairn.recall.answer import Answer, answer
from cairn.recall.collection import Collection
from cairn.recall.embedding import Embedding
from cairn.recall.joined import of
from cairn.vault.vault import Vault

if TYPE_CHECKING:
    from cairn.ground.ports import Embedder

MAX_BYTES = 96 * 1024 * 1024
"""How much of all collections together a process keeps in memory; its Lambda has 512 MB."""
LATE = timedelta(minutes=2)
"""How much earlier than it was told a change may say it was: clocks differ, and a call takes its time."""
MOST_NEWS = 200
"""How many changes a process reads one by one."""
_AT_ONCE = 20
"""How many items are opened at a time."""
_TRIES = 2


class Searching:
    """Searches the documents of all owners by words and meaning."""

    def __init__(
        self, adapters: Adapters, vault: Vault, reading: Reading, embedder: Callable[[], Embedder | None]
    ) -> None:
        """Know of no collection yet; the embedder is asked for with the first question."""
        self._adapters = adapters
        self._vault = vault
        self._reading = reading
        self._embedder = embedder
        self._shelves: BoundedCache[tuple[str, str], Shelf] = BoundedCache(
            weight=MAX_BYTES, weigh=lambda shelf: shelf.weight
        )

    def search(self, owner: Owner, sought: Sought) -> Iterator[Hit]:
        """Yield what matches the filter, the best answers first, then what is not searched by words.

        What answers nothing of the question has a score of 0. Raises nothing where an embedder fails.
        """
        name = (owner.pk, Shelf.of(sought.collection).low)
        shelf = self._shelves.get_or_put(name, lambda: Shelf.of(sought.collection))
        with shelf.lock:
            usage = self._bring_up_to_date(owner, sought, shelf)
            now = self._adapters.clock.now()
            ranked, kept = self._ranked(shelf, sought.query, now), dict(shelf.kept)
        self._shelves.put(name, shelf)
        left = _in_order(ranked, kept, now)
        while some := list(islice(left, _AT_ONCE)):
            scores = dict(some)
            matching = self._reading.matching(owner, [kept[sk].item for sk in scores], sought.filter)
            yield from (Hit(document, scores[document.place.sk]) for document in matching)
        if usage.plain:
            items = self._reading.items(owner, sought.collection)
            plain = (item for item in items if not Held.of(item).indexed and Key.of(item).sk not in kept)
            yield from map(Hit, self._reading.matching(owner, plain, sought.filter))

    def _ranked(self, shelf: Shelf, query: str, now: datetime) -> Mapping[str, float]:
        """Return the keys of the documents on a shelf that are there and were weighed, the best first, with scores."""
        there = shelf.there(now)
        corpus = of(shelf.texts, "memories")
        embedding = Embedding(self._adapters, self._embedder())
        found = answer(
            [Collection(corpus, there, _unread)],
            query,
            now.date(),
            partial(embedding.query_vectors, [shelf.texts]),
            english_only=embedding.english_only,
        )
        self._adapters.tally.recalled(found.found_by, found.without_vector)
        ranked = dict[str, float]()
        for row, score in _scores(found):
            ranked.setdefault(shelf.rows[row], score)
        return ranked

    def _bring_up_to_date(self, owner: Owner, sought: Sought, shelf: Shelf) -> Usage:
        """Read what the shelf does not know, and return what the owner's documents count."""
        for _ in range(0 if shelf.read_at is None else _TRIES):
            usage, page = self._told(owner, shelf)
            fresh = [item for item in page.items if Key.of(item).sk not in shelf.met]
            # Clocks may differ by more than LATE, what was told may be gone, or come between the two reads.
            if page.next is None and shelf.changes + len(fresh) == usage.changes:
                self._apply(owner, shelf, fresh)
                return usage
        return self._read(owner, sought, shelf)

    def _told(self, owner: Owner, shelf: Shelf) -> tuple[Usage, Page]:
        """Return what the owner's documents count, and the changes that were told since the shelf was read."""
        counter = Pending(lambda: self._adapters.table.get(usage_key(owner)))
        told = Pending(
            lambda: self._adapters.table.query(Query(owner.pk, *changes_since(shelf.since), limit=MOST_NEWS))
        )
        self._adapters.parallel([counter, told])
        return Usage.of(counter.result), told.result

    def _recent(self) -> str:
        return time_ordered_id(self._adapters.clock.now() - LATE, bytes(10))

    def _apply(self, owner: Owner, shelf: Shelf, fresh: Sequence[Attributes]) -> None:
        """Read the documents that changes are about."""
        changed = {sk for item in fresh for sk in str(item["changed"]).split("\n") if shelf.covers(sk)}
        reads = {sk: Pending(partial(self._adapters.table.get, Key(owner.pk, sk))) for sk in sorted(changed)}
        if reads:
            self._adapters.parallel(list(reads.values()))
        for sk in reads:
            shelf.take(sk)
        self._put(owner, shelf, [read.result for read in reads.values() if read.result is not None])
        shelf.changes += len(fresh)
        shelf.met |= {Key.of(item).sk for item in fresh}
        if len(shelf.met) > MOST_NEWS // 2:
            since = self._recent()
            shelf.since, shelf.met = since, {sk for sk in shelf.met if sk >= changes_since(since)[0]}
        shelf.tidy()

    def _read(self, owner: Owner, sought: Sought, shelf: Shelf) -> Usage:
        """Read the whole collection, and before that how many changes there were and which are the newest."""
        shelf.clear()
        began, shelf.since = self._adapters.clock.now(), self._recent()
        usage = Usage()
        for _ in range(_TRIES):
            before = Usage.of(self._adapters.table.get(usage_key(owner)))
            told = list(every(self._adapters.table, Query(owner.pk, *changes_since(shelf.since))))
            usage = Usage.of(self._adapters.table.get(usage_key(owner)))
            # Too few at worst: then it is read again the next time.
            shelf.changes, shelf.met = before.changes, {Key.of(item).sk for item in told}
            if before.changes == usage.changes:
                break
        left = self._reading.items(owner, sought.collection)
        while some := list(islice(left, _AT_ONCE)):
            self._put(owner, shelf, some)
        shelf.read_at = began  # not before: what was read in part is read again
        return usage

    def _put(self, owner: Owner, shelf: Shelf, items: Sequence[Attributes]) -> None:
        """Put documents on the shelf that are searched by words; those that are damaged are left out."""
        now = self._adapters.clock.now()
        held = sound(self._adapters, items, lambda item: (item, Held.of(item)))
        there = [item for item, each in held if each.indexed and each.is_there(now)]
        blobs = contents.fetched(self._adapters, self._vault, owner.tenant, there)
        read = {Key.of(item).sk: blob for item, blob in zip(there, blobs, strict=True)}

        def opened(item: Attributes) -> tuple[Attributes, contents.Content]:
            return item, contents.opened(self._vault, owner.tenant, item, read[Key.of(item).sk])

        for item, content in sound(self._adapters, there, opened):
            shelf.put(item, texts_of(content.value, content.index))


def _in_order(
    ranked: Mapping[str, float], kept: Mapping[str, Kept], now: datetime
) -> Iterator[tuple[str, float | None]]:
    """Yield the keys of all documents that are there: those that are ranked, the others, those without a text."""
    yield from ranked.items()
    rest = [sk for sk in sorted(kept.keys() - ranked.keys()) if kept[sk].is_there(now)]
    yield from ((sk, 0.0) for sk in rest if kept[sk].texts)
    yield from ((sk, None) for sk in rest if not kept[sk].texts)


def _scores(found: Answer) -> Iterator[tuple[int, float]]:
    """Yield the rows that were weighed, the best first, with their share of what matches, or 0."""
    matched = {found.place(hit)[0]: hit.score for hit in found.hits()}
    yield from matched.items()
    yield from ((row, 0.0) for row in (found.place(hit)[0] for hit in found.scored()) if row not in matched)


def _unread(row: int) -> NoReturn:
    raise LookupError(row)
