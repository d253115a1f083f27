"""Select the documents of a log that a question may find."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

import numpy as np

from cairn.facts.facts import Fact
from cairn.ground.ids import SessionId
from cairn.ground.trust import Trust
from cairn.log.documents import Kind, Label
from cairn.log.entries import Chunk
from cairn.log.memories import Memory
from cairn.log.stretch import Stretch, microseconds
from cairn.log.view import MemoryView
from cairn.recall.corpus import Mask
from cairn.recall.filter import Filter
from cairn.recall.joined import Joined, linked, of, side_by_side

Found: TypeAlias = Chunk | Memory | Fact


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents, with a mask of those that may be found, and the way from a row to what it is of.

    The mask is bool of shape (rows,) of the corpus.
    """

    corpus: Joined
    allowed: Mask
    found: Callable[[int], Found]


def texts(view: MemoryView, session: SessionId | None, filter_: Filter) -> Collection:
    """Return the texts of one session or of all that were said by then, are trusted so far and are not held back."""
    corpus = _corpus(view, "texts")
    allowed = _until(corpus, filter_.at) & _trusted(corpus, filter_.min_trust)
    for number, doc in view.held():
        allowed[corpus.leaves[number].first + doc] = False
    if session is not None:
        allowed &= corpus.columns.session == corpus.names.get(session, -1)
    return Collection(corpus, allowed, _reading(view, corpus, lambda stretch, doc: stretch.chunk(doc)))


def memories(view: MemoryView, filter_: Filter) -> Collection:
    """Return the memories that pass the filter."""
    corpus = _corpus(view, "memories")
    allowed = _until(corpus, filter_.at) & _trusted(corpus, filter_.min_trust)
    if filter_.type is not None:
        allowed &= _labelled(corpus, "type", lambda word: word == filter_.type)
    # Labels are words: each of the few is read as a number once.
    if filter_.min_confidence > 0:
        allowed &= _labelled(corpus, "confidence", lambda word: float(word) >= filter_.min_confidence)
    for ending in view.endings.values():
        if filter_.excludes(ending):
            for leaf in corpus.leaves:
                doc = leaf.documents.doc_of(ending.id)
                if doc is not None:
                    allowed[leaf.first + doc] = False
    return Collection(corpus, allowed, _reading(view, corpus, lambda stretch, doc: stretch.memory(doc)))


def facts(view: MemoryView, held: Sequence[Fact]) -> Collection:
    """Return the facts of the view that are held, as they are held."""
    corpus = _corpus(view, "facts")
    places: dict[str, int] = {}
    for leaf in corpus.leaves:  # a later one has a fact as it was told last
        docs = ((fact.id, leaf.documents.doc_of(fact.id)) for fact in held)
        places.update((name, leaf.first + doc) for name, doc in docs if doc is not None)
    rows = {places[fact.id]: fact for fact in held if fact.id in places}
    allowed = np.zeros(len(corpus), np.bool_)
    allowed[list(rows)] = True
    return Collection(corpus, allowed, rows.__getitem__)


def _corpus(view: MemoryView, kind: Kind) -> Joined:
    """Return the view's documents; what is made of its segments is kept with it."""
    join = linked if kind == "texts" else side_by_side
    tail = of(view.tail.documents(kind), kind)
    # A young log has a tail and nothing to join it to.
    if len(view.stretches) == 1:
        return tail
    if kind not in view.joined:
        segments = view.stretches[:-1]
        view.joined[kind] = join([of(segment.documents(kind), kind) for segment in segments])
    base: Joined = view.joined[kind]
    # The joined segments never change; only the tail is joined at each question.
    return join([base, tail]) if len(tail) else base


def _reading(view: MemoryView, corpus: Joined, read: Callable[[Stretch, int], Found]) -> Callable[[int], Found]:
    """Return the way from a row to the document that a stretch of the view has there."""

    def found(row: int) -> Found:
        number, doc = corpus.leaf_of(row)
        return read(view.stretches[number], doc)

    return found


def _until(corpus: Joined, until: datetime | None) -> Mask:
    if until is None:
        return np.ones(len(corpus), np.bool_)
    latest = microseconds(until)
    parts = [np.asarray(leaf.documents.number("at"), np.int64) <= latest for leaf in corpus.leaves]
    return np.concatenate(parts)


def _trusted(corpus: Joined, least: Trust) -> Mask:
    """Return which documents are trusted so far; what was held back is from outside where it was released."""
    if least <= Trust.OUTSIDE:
        return np.ones(len(corpus), np.bool_)
    return _labelled(corpus, "trust", lambda word: Trust.of(word) >= least)


def _labelled(corpus: Joined, name: Label, filter_: Callable[[str], bool]) -> Mask:
    """Return which documents have a label that is wanted."""
    labels = [leaf.documents.label(name) for leaf in corpus.leaves]
    parts = [np.array([*map(filter_, words), False], np.bool_)[np.asarray(of, np.int64)] for words, of in labels]
    return np.concatenate(parts)
