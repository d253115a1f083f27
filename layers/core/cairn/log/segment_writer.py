"""Write a view as one segment: the segments it stands on and its tail, merged as a fold of all would be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import merge
from itertools import accumulate, chain, groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

from cairn.ground.codec import unpack
from cairn.ground.ids import SessionId
from cairn.log import pages
from cairn.log.columns import ColumnWriter
from cairn.log.documents import KINDS, LABELS, NUMBERS, Documents, Kind, Label, Vectors
from cairn.log.memories import ending_record
from cairn.log.packed import write_blocks
from cairn.log.stretch import KEPT, Said, Stretch, microseconds
from cairn.log.view import MemoryView


class Written(NamedTuple):
    """A segment: its head, and the pages that a full one has beside."""

    head: bytes
    pages: Sequence[bytes] = ()

    @property
    def size(self) -> int:
        """Return how many bytes it takes."""
        return len(self.head) + sum(map(len, self.pages))


def written(
    view: MemoryView, low: str, through: str, vectors: Mapping[Kind, Vectors], paged: Sequence[Kind] = ()
) -> Written:
    """Return the segment that holds what the view does: the entries after `low`, up to and with `through`.

    A `low` of "" is the log's beginning. Nothing is said anew: postings are merged, packed texts copied. `vectors` are
    those of all documents of a kind, where they could be made. What is not needed of all documents of the `paged` kinds
    at once stands in pages.
    """
    out, stored = ColumnWriter(), list[bytes]()
    out.json("bounds", {"low": low, "through": through})
    # A log's beginning has nothing before it that a later "said again" could be about.
    out.json("beliefs", view.ledger.to_records(from_beginning=not low))
    out.json("endings", [ending_record(ending) for stretch in view.stretches for ending in stretch.endings()])
    out.json("released", [digest for stretch in view.stretches for digest in stretch.released()])
    for kind in KINDS:
        parts, made = [stretch.documents(kind) for stretch in view.stretches], vectors.get(kind)
        _write_documents(out, kind, parts)
        out.json(f"{kind}.embedder", made.embedder if made else "")
        if kind in paged:
            out.json(f"{kind}.pages", [len(stored), pages.DOCUMENTS])
            stored += _pages(out, kind, view, made)
        else:
            _write_pairs(out, kind, parts)
            out.raw(f"{kind}.vectors", bytes(made.data) if made else b"")
    firsts = _numbered([stretch.documents("texts") for stretch in view.stretches])
    numbered = [(part, first) for part, (_, first) in zip(view.stretches, firsts, strict=True)]
    _write_turns(out, numbered)
    out.json("held", [(first + doc, said) for part, first in numbered for doc, said in part.held()])
    for what in KEPT:
        if what not in paged:
            write_blocks(out, what, chain.from_iterable(stretch.packed(what) for stretch in view.stretches))
    if paged:
        pages.write_index(out, stored)
    return Written(out.file(), stored)


def paged_of(view: MemoryView) -> list[Kind]:
    """Return the kinds of which there are so many that a full segment keeps them in pages."""
    return [kind for kind in pages.PAGED if sum(len(part.documents(kind)) for part in view.stretches) >= pages.LONG]


def _pages(out: ColumnWriter, kind: Kind, view: MemoryView, vectors: Vectors | None) -> Iterator[bytes]:
    """Yield the pages of a kind, and write into the head what of their vectors every question goes through."""
    size = len(vectors.data) // sum(len(part.documents(kind)) for part in view.stretches) if vectors else 0
    out.json(f"{kind}.size", [size, vectors.dimensions if vectors else 0])
    out.raw(f"{kind}.sketch", vectors.sketch if vectors else b"", "Q")
    kept = (unpack(block) for stretch in view.stretches for _, block in stretch.packed(kind))
    pairs = chain.from_iterable(_pairs(stretch.documents(kind)) for stretch in view.stretches)
    return pages.written_pages(chain.from_iterable(kept), pairs, vectors.data if vectors else b"", size)


def _pairs(part: Documents) -> Iterator[Sequence[int]]:
    hashes, ends = part.pairs()
    return (hashes[start:end] for start, end in pairwise(chain([0], ends)))


def _numbered(parts: Sequence[Documents]) -> list[tuple[Documents, int]]:
    """Return each part with the number that its first document gets among the documents of all."""
    return list(zip(parts, accumulate(map(len, parts), initial=0), strict=False))


def _write_turns(out: ColumnWriter, stretches: Sequence[tuple[Stretch, int]]) -> None:
    """Write the turns session by session, so that those of one stand together."""
    # In the order in which they first appear: the same log gives the same bytes, however it was cut into parts.
    sessions = list(dict.fromkeys(session for stretch, _ in stretches for session in stretch.sessions()))
    told = [list(_said(stretches, session)) for session in sessions]
    turns = [said for each in told for said in each]
    # The way back from a text to its turn.
    doc_turns = [0] * sum(len(stretch.documents("texts")) for stretch, _ in stretches)
    for number, said in enumerate(turns):
        doc_turns[said.first : said.first + said.texts] = [number] * said.texts
    out.json("sessions", sessions)
    out.column("session.ends", list(accumulate(map(len, told))))
    out.strings("turn.id", (said.stamp.turn_id for said in turns))
    out.column("turn.seq", [said.stamp.seq for said in turns])
    out.column("turn.at", [microseconds(said.stamp.at) for said in turns])
    out.column("turn.events", [said.stamp.events for said in turns])
    out.column("turn.first", [said.first for said in turns])
    out.column("turn.texts", [said.texts for said in turns])
    out.column("doc.turn", doc_turns)


def _said(stretches: Sequence[tuple[Stretch, int]], session: SessionId) -> Iterator[Said]:
    for stretch, first in stretches:
        for said in stretch.said(session):
            # Texts are numbered anew across the parts.
            yield said._replace(first=said.first + first)


def _write_documents(out: ColumnWriter, kind: Kind, parts: Sequence[Documents]) -> None:
    out.strings(f"{kind}.id", (part.ids[doc] for part in parts for doc in range(len(part))))
    _write_postings(out, kind, _numbered(parts))
    for name in NUMBERS:
        out.column(f"{kind}.{name}", [number for part in parts for number in part.number(name)])
    for name in LABELS:
        _write_label(out, kind, name, parts)


def _write_pairs(out: ColumnWriter, kind: Kind, parts: Sequence[Documents]) -> None:
    pairs = [part.pairs() for part in parts]
    out.column(f"{kind}.pairs", [pair for hashes, _ in pairs for pair in hashes])
    firsts = accumulate((len(hashes) for hashes, _ in pairs), initial=0)
    # Where a document's pairs end, counted across the parts.
    pair_ends = [first + end for first, (_, ends) in zip(firsts, pairs, strict=False) for end in ends]
    out.column(f"{kind}.pairs.ends", pair_ends)


def _write_label(out: ColumnWriter, kind: Kind, name: Label, parts: Sequence[Documents]) -> None:
    words: dict[str, int] = {}
    numbers: list[int] = []
    for part in parts:
        said, of = part.label(name)
        # Words of a label are numbered per part: the same word gets one number.
        number = [words.setdefault(word, len(words)) for word in said]
        numbers.extend(number[each] for each in of)
    out.json(f"{kind}.{name}.words", list(words))
    out.column(f"{kind}.{name}", numbers)


def _write_postings(out: ColumnWriter, kind: Kind, parts: Sequence[tuple[Documents, int]]) -> None:
    terms: list[str] = []
    ends: list[int] = []
    docs: list[int] = []
    counts: list[int] = []
    # Each part yields its terms sorted, and equal ones in the order of the parts: documents stay ascending, and nothing
    # is sorted again.
    runs = merge(*(_postings(part, first) for part, first in parts), key=itemgetter(0))
    for term, same in groupby(runs, key=itemgetter(0)):
        for _, found, times in same:
            docs.extend(found)
            counts.extend(times)
        terms.append(term)
        ends.append(len(docs))
    out.strings(f"{kind}.terms", terms)
    out.column(f"{kind}.postings.ends", ends)
    out.column(f"{kind}.postings.docs", docs)
    out.column(f"{kind}.postings.counts", counts)


def _postings(part: Documents, first: int) -> Iterator[tuple[str, list[int], Sequence[int]]]:
    for term, docs, counts in part.postings():
        yield term, [doc + first for doc in docs], counts
