"""Writing a view down as a segment: segments that it stands on and its tail become one, as a fold of all would be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import accumulate, chain, groupby
from operator import itemgetter
from typing import get_args

from cairn.domain.blocks import write_blocks
from cairn.domain.ids import SessionId
from cairn.domain.memories import ending_record
from cairn.domain.memory_view import MemoryView
from cairn.domain.sections import SectionWriter
from cairn.domain.segment import microseconds
from cairn.domain.stretch import Kept, Postings, Said, Stretch


def written(view: MemoryView, low: str, through: str) -> bytes:
    """Return the segment that holds what the view does: the entries after `low`, up to and with `through`.

    A `low` of "" is the log's beginning. Nothing is said anew: postings are merged, packed texts copied.
    """
    out = SectionWriter()
    out.json("bounds", {"low": low, "through": through})
    out.json("beliefs", view.ledger.to_records(from_beginning=not low))
    out.json("endings", [ending_record(ending) for stretch in view.stretches for ending in stretch.endings()])
    texts = _numbered([stretch.index for stretch in view.stretches])
    stretches = [(stretch, first) for stretch, (_, first) in zip(view.stretches, texts, strict=True)]
    _write_turns(out, stretches, sum(len(index) for index, _ in texts))
    _write_postings(out, "texts", texts)
    _write_postings(out, "memories", _numbered([stretch.memory_index for stretch in view.stretches]))
    for what in get_args(Kept):
        write_blocks(out, what, chain.from_iterable(stretch.packed(what) for stretch in view.stretches))
    return out.file()


def _numbered(indexes: Sequence[Postings]) -> list[tuple[Postings, int]]:
    """Return each index with the number that its first document gets among the documents of all."""
    return list(zip(indexes, accumulate(map(len, indexes), initial=0), strict=False))


def _write_turns(out: SectionWriter, stretches: Sequence[tuple[Stretch, int]], documents: int) -> None:
    """Write the turns session by session, so that those of one stand together."""
    sessions = list(dict.fromkeys(session for stretch, _ in stretches for session in stretch.sessions()))
    told = [list(_said(stretches, session)) for session in sessions]
    turns = [said for each in told for said in each]
    doc_turns = [0] * documents
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
            yield said._replace(first=said.first + first)


def _write_postings(out: SectionWriter, of: Kept, indexes: Sequence[tuple[Postings, int]]) -> None:
    terms: list[str] = []
    ends: list[int] = []
    docs: list[int] = []
    counts: list[int] = []
    runs = merge(*(_postings(index, first) for index, first in indexes), key=itemgetter(0))
    for term, same in groupby(runs, key=itemgetter(0)):
        for _, found, times in same:
            docs.extend(found)
            counts.extend(times)
        terms.append(term)
        ends.append(len(docs))
    out.strings(f"{of}.terms", terms)
    out.column(f"{of}.postings.ends", ends)
    out.column(f"{of}.postings.docs", docs)
    out.column(f"{of}.postings.counts", counts)
    out.column(f"{of}.length", [index.length(doc) for index, _ in indexes for doc in range(len(index))])


def _postings(index: Postings, first: int) -> Iterator[tuple[str, list[int], Sequence[int]]]:
    for term, docs, counts in index.postings():
        yield term, [doc + first for doc in docs], counts
