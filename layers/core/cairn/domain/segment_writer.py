"""Writing a view down as a segment: segments that it stands on and its tail become one, as a fold of all would be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import accumulate, groupby
from operator import itemgetter

from cairn.domain.ids import SessionId
from cairn.domain.memory_view import MemoryView
from cairn.domain.sections import SectionWriter
from cairn.domain.segment import microseconds
from cairn.domain.stretch import Said, Stretch


def written(view: MemoryView, low: str, through: str) -> bytes:
    """Return the segment that holds what the view does: the entries after `low`, up to and with `through`.

    A `low` of "" is the log's beginning. Nothing is said anew: postings are merged, packed texts copied.
    """
    out = SectionWriter()
    out.json("bounds", {"low": low, "through": through})
    out.json("beliefs", view.ledger.to_records(from_beginning=not low))
    firsts = list(accumulate((len(stretch.index) for stretch in view.stretches), initial=0))
    documents = firsts.pop()
    stretches = list(zip(view.stretches, firsts, strict=True))
    _write_turns(out, stretches, documents)
    _write_postings(out, stretches)
    _write_blocks(out, view.stretches)
    return out.file()


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


def _write_postings(out: SectionWriter, stretches: Sequence[tuple[Stretch, int]]) -> None:
    terms: list[str] = []
    ends: list[int] = []
    docs: list[int] = []
    counts: list[int] = []
    runs = merge(*(_postings(stretch, first) for stretch, first in stretches), key=itemgetter(0))
    for term, same in groupby(runs, key=itemgetter(0)):
        for _, found, times in same:
            docs.extend(found)
            counts.extend(times)
        terms.append(term)
        ends.append(len(docs))
    out.strings("terms", terms)
    out.column("postings.ends", ends)
    out.column("postings.docs", docs)
    out.column("postings.counts", counts)
    out.column("doc.length", [s.index.length(doc) for s, _ in stretches for doc in range(len(s.index))])


def _postings(stretch: Stretch, first: int) -> Iterator[tuple[str, list[int], Sequence[int]]]:
    for term, docs, counts in stretch.index.postings():
        yield term, [doc + first for doc in docs], counts


def _write_blocks(out: SectionWriter, stretches: Sequence[Stretch]) -> None:
    blocks = [block for stretch in stretches for block in stretch.blocks()]
    out.column("block.docs", list(accumulate(docs for docs, _ in blocks)))
    out.column("block.ends", list(accumulate(len(packed) for _, packed in blocks)))
    out.raw("blocks", b"".join(packed for _, packed in blocks))
