"""What a question needs of few documents of a full segment, in pages that are sealed and read each by itself.

A page holds the vectors, the pairs of terms and the content of 40 documents that follow one another. What every
question goes through, as words and sketches of vectors, is in the segment's head.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import accumulate, chain, islice
from struct import Struct, error
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cairn.ground.bounded import BoundedCache
from cairn.ground.codec import compress, decompress, pack, unpack
from cairn.ground.errors import CorruptData, NotFound, Unavailable
from cairn.log.columns import ColumnFile, ColumnWriter
from cairn.log.documents import Kind

if TYPE_CHECKING:
    from cairn.ground.ports import Parallel

PAGED: Final[tuple[Kind, ...]] = ("texts", "memories")
"""The kinds that are kept in pages; facts are held by the ledger, and few."""
LONG = 20_000
"""From how many documents on a kind is kept in pages, where its segment is full, and a log is ranked in two steps."""
DOCUMENTS = 40
"""How many documents a page holds: some 25 KB, which a request brings about as fast as a single one."""
_DIGEST_BYTES = 16
_LENGTHS = Struct("=IIII")
_LEVEL = 3
CACHE_BYTES = 16 * 1024 * 1024
"""How much of what was read last a process keeps."""


class Page(NamedTuple):
    """What is read of some documents: the packed list of their contents, their pairs, where each one's end, vectors."""

    kept: bytes
    pairs: memoryview
    ends: Sequence[int]
    vectors: bytes

    def pairs_of(self, place: int) -> memoryview:
        """Return the hashes of the pairs of terms of the document at this place."""
        return self.pairs[self.ends[place - 1] if place else 0 : self.ends[place]]

    def to_bytes(self) -> bytes:
        """Return it as it is sealed: lengths, content, pairs, then ends and vectors, which alone shrink when packed."""
        ends = array("I", self.ends).tobytes()
        lengths = _LENGTHS.pack(len(self.kept), self.pairs.nbytes, len(ends), len(self.vectors))
        return b"".join([lengths, self.kept, self.pairs, compress(ends + self.vectors, _LEVEL)])

    @classmethod
    def of(cls, data: bytes) -> Page:
        """Return the page that was sealed so; CorruptData for other bytes."""
        try:
            kept, pairs, ends, vectors = _LENGTHS.unpack_from(data)
            first, second = _LENGTHS.size + kept, _LENGTHS.size + kept + pairs
            packed = decompress(memoryview(data)[second:], ends + vectors)
            hashes = memoryview(data[first:second]).cast("I")
            return cls(data[_LENGTHS.size : first], hashes, memoryview(packed[:ends]).cast("I"), packed[ends:])
        except (error, ValueError, TypeError) as fault:
            raise CorruptData("a page is malformed") from fault


class PageBytes(NamedTuple):
    """Where a page's bytes are, unsealed and laid end to end with those of all: its number, its start, its length."""

    number: int
    start: int
    length: int


class PageSource(NamedTuple):
    """How a process reads pages: one by one, some at once, and where it keeps the last few."""

    read: Callable[[PageBytes], bytes]
    parallel: Parallel
    cache: BoundedCache[bytes, Page]


def page_cache() -> BoundedCache[bytes, Page]:
    """Return a cache of pages, by their digests."""
    return BoundedCache(weight=CACHE_BYTES, weigh=lambda page: len(page.kept) + len(page.vectors) + page.pairs.nbytes)


class Pages:
    """The pages of one segment; each is read when it is asked for, unless it was a moment ago."""

    def __init__(self, columns: ColumnFile, source: PageSource) -> None:
        """Find where they are; CorruptData where the head does not say."""
        self._ends = columns.column("pages.ends")
        self._digests = columns.column("pages.digests")
        self._source = source
        self.is_lost = False

    def __getitem__(self, number: int) -> Page:
        """Return a page; Unavailable where its segment's blob is gone, as after an erasure, or is damaged.

        That is told by `is_lost` from then on: who reads the log next reads it anew.
        """
        digest = self._digest(number)
        page = self._source.cache.get(digest)
        if page is None:
            try:
                self._source.cache.put(digest, page := self._read(number, digest))
            except (NotFound, CorruptData) as fault:
                self.is_lost = True
                raise Unavailable("part of a log was replaced or is damaged; ask again") from fault
        return page

    def _read(self, number: int, digest: bytes) -> Page:
        start = self._ends[number - 1] if number else 0
        data = self._source.read(PageBytes(number, start, self._ends[number] - start))
        if sha256(data).digest()[:_DIGEST_BYTES] != digest:
            raise CorruptData("a page is not its segment's")
        return Page.of(data)

    def missing(self, numbers: Iterable[int]) -> list[int]:
        """Return those of these pages that are not at hand."""
        return [number for number in numbers if self._source.cache.peek(self._digest(number)) is None]

    def at_once(self, calls: Sequence[Callable[[], object]]) -> None:
        """Make the calls at once."""
        self._source.parallel(calls)

    def _digest(self, number: int) -> bytes:
        return bytes(self._digests[number * _DIGEST_BYTES : (number + 1) * _DIGEST_BYTES])


class DocumentPages:
    """What pages hold of the documents of one kind, which are numbered from 0."""

    def __init__(self, columns: ColumnFile, kind: Kind, pages: Pages) -> None:
        """Find the kind's pages among its segment's; `embedder` made its vectors, "" where there are none."""
        self.of = pages
        self._first, self._documents = map(int, columns.json(f"{kind}.pages"))
        self.embedder: str = columns.json(f"{kind}.embedder")
        self.sketch = columns.column(f"{kind}.sketch")
        """Of all vectors, as recall.sketch lays it out: numbers of 64 bits."""
        self._size, self.dimensions = map(int, columns.json(f"{kind}.size"))
        self._count = len(columns.column(f"{kind}.length"))
        self._open: tuple[int, list[Any]] = (-1, [])

    def numbers(self, docs: Iterable[int]) -> list[int]:
        """Return the numbers of the pages that hold these documents, each once."""
        return [self._first + page for page in dict.fromkeys(doc // self._documents for doc in docs)]

    def __getitem__(self, doc: int) -> Any:
        """Return a document's content, as a segment's blocks have it."""
        number, place = divmod(doc, self._documents)
        # As a block does: the one that was read last stays unpacked, since neighbours are often read in a row.
        opened = self._open
        if opened[0] != number:
            self._open = opened = (number, unpack(self._page(number).kept))
        return opened[1][place]

    def __iter__(self) -> Iterator[Any]:
        """Yield the content of all documents."""
        for _, kept in self.packed():
            yield from unpack(kept)

    def vectors(self, docs: Sequence[int]) -> bytes:
        """Return the vectors of these documents end to end, without the signs of their numbers."""
        size = self._size
        held = {page: self._page(page).vectors for page in {doc // self._documents for doc in docs}}
        places = (divmod(doc, self._documents) for doc in docs)
        return b"".join(held[page][at * size : (at + 1) * size] for page, at in places)

    def pairs(self, docs: Sequence[int]) -> list[memoryview]:
        """Return the hashes of the pairs of terms of each of these documents, 32 bits each at most."""
        pages = {number: self._page(number) for number in {doc // self._documents for doc in docs}}
        return [pages[doc // self._documents].pairs_of(doc % self._documents) for doc in docs]

    def packed(self) -> Iterator[tuple[int, bytes]]:
        """Yield the content of all documents as a segment's blocks have it."""
        for start in range(0, self._count, self._documents):
            yield min(self._documents, self._count - start), self._page(start // self._documents).kept

    def _page(self, number: int) -> Page:
        return self.of[self._first + number]


def fetch(wanted: Sequence[tuple[Pages, Sequence[int]]]) -> None:
    """Read these pages of several segments, all at once, as far as they are not at hand."""
    lacking = [(pages, number) for pages, numbers in wanted for number in pages.missing(numbers)]
    for pages, _ in lacking[:1]:
        pages.at_once([lambda pages=pages, number=number: pages[number] for pages, number in lacking])


def written_pages(
    values: Iterable[Any], pairs: Iterable[Sequence[int]], vectors: bytes | memoryview, size: int
) -> Iterator[bytes]:
    """Yield the pages of documents: the content of each, its pairs, and its vector of `size` bytes."""
    contents, hashes, start = iter(values), iter(pairs), 0
    while held := list(islice(contents, DOCUMENTS)):
        of_these, end = list(islice(hashes, len(held))), start + len(held) * size
        flat = memoryview(array("I", chain.from_iterable(of_these)))
        yield Page(pack(held), flat, list(accumulate(map(len, of_these))), bytes(vectors[start:end])).to_bytes()
        start = end


def write_index(out: ColumnWriter, pages: Sequence[bytes]) -> None:
    """Write into a segment's head where its pages end and what they are known by."""
    out.column("pages.ends", list(accumulate(map(len, pages))))
    out.raw("pages.digests", b"".join(sha256(page).digest()[:_DIGEST_BYTES] for page in pages))
