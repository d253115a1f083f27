"""Documents: the texts, memories and facts that recall can find in a stretch of a log, with the columns it ranks by.

There are three kinds: texts of turns, memories and facts. Each is numbered from 0 in the order of the log.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol, TypeAlias

from cairn.language.index_terms import IndexTerms

if TYPE_CHECKING:
    from cairn.log.pages import DocumentPages

Kind: TypeAlias = Literal["texts", "memories", "facts"]
Label: TypeAlias = Literal["speaker", "session", "type", "confidence", "trust"]
Number: TypeAlias = Literal["at", "cues", "length"]
KINDS: Final[tuple[Kind, ...]] = ("texts", "memories", "facts")
LABELS: Final[tuple[Label, ...]] = ("speaker", "session", "type", "confidence", "trust")
"""What is said of a document in words of which there are few."""
NUMBERS: Final[tuple[Number, ...]] = ("at", "cues", "length")
"""What is said of it in numbers: microseconds since 1970 UTC, its traits, how many terms."""


class Vectors(NamedTuple):
    """The vectors of documents, and the name of what made them; `docs` are the documents they are of, None for all.

    `data` are int8 numbers end to end, as many for each document: those of its vector, then its tokens' codes where
    there are any (recall.token_vectors). With a `sketch`, which has the signs of the vectors' numbers, `data` has only
    how far these are from 0; `dimensions` is then how many they are (recall.sketch).
    """

    embedder: str
    data: bytes | memoryview
    docs: Sequence[int] | None = None
    sketch: bytes = b""
    dimensions: int = 0


class Ids(Protocol):
    """The ids of documents."""

    def __len__(self) -> int:
        """Return how many there are."""
        ...

    def __getitem__(self, index: int, /) -> str:
        """Return one id."""
        ...


class Documents(Protocol):
    """Documents of one kind."""

    def __len__(self) -> int:
        """Return how many there are."""
        ...

    @property
    def ids(self) -> Ids:
        """Return their ids: those of events, memories or facts."""
        ...

    def doc_of(self, name: str) -> int | None:
        """Return the document of this id, the newest where there are several, None where there is none."""
        ...

    def matches(self, term: str) -> tuple[Sequence[int], Sequence[int]]:
        """Return the documents that have the term, in order, and how often each has it."""
        ...

    def beginning(self, opening: str) -> Iterator[str]:
        """Yield the terms that begin so."""
        ...

    def postings(self) -> Iterator[tuple[str, Sequence[int], Sequence[int]]]:
        """Yield each term, in their order, with the documents that have it and how often."""
        ...

    def number(self, name: Number) -> Sequence[int]:
        """Return a number of each document."""
        ...

    def label(self, name: Label) -> tuple[Sequence[str], Sequence[int]]:
        """Return the words of a label, and the number of its word for each document."""
        ...

    def pairs(self) -> tuple[Sequence[int], Sequence[int]]:
        """Return the hashes of pairs of terms, document after document, and where each one's end."""
        ...

    @property
    def vectors(self) -> Vectors | None:
        """Return what vectors are at hand."""
        ...

    @property
    def pages(self) -> DocumentPages | None:
        """Return the pages that pairs and vectors are read from, None where they are at hand."""
        ...


class Described(NamedTuple):
    """A document to add; `session` groups documents that were said one after another."""

    id: str
    at: int
    speaker: str
    session: str
    type: str
    confidence: float
    index_terms: Callable[[], IndexTerms]
    """Computes what it is found by; called at most once."""
    text: str
    """What is turned into a vector."""
    trust: str = ""
    """Whose word it is, as ground.trust names it; nothing where nobody asks."""


class GrowingDocuments:
    """Documents in memory, added one by one; their vectors may come later.

    What they are found by is computed when it is first asked for: most calls that read a log search nothing in it.
    """

    pages = None

    def __init__(self) -> None:
        """Start empty."""
        self.ids: list[str] = []
        self._docs: dict[str, int] = {}
        self._texts: list[str] = []
        self._postings: dict[str, tuple[list[int], list[int]]] = {}
        self._in_order: list[str] = []
        self._numbers: dict[Number, list[int]] = {name: [] for name in NUMBERS}
        self._labels: dict[Label, tuple[dict[str, int], list[int]]] = {name: ({}, []) for name in LABELS}
        self._pairs: list[int] = []
        self._pair_ends: list[int] = []
        self._unindexed: list[Callable[[], IndexTerms]] = []
        self._vectors: dict[int, bytes] = {}
        # Kept beside _vectors: what has none is found without a walk over all documents.
        self._without_vector: dict[int, str] = {}
        self._embedder = ""

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.ids)

    def add(self, document: Described) -> None:
        """Add a document."""
        number = len(self.ids)
        self.ids.append(document.id)
        self._docs[document.id] = number
        self._texts.append(document.text)
        self._without_vector[number] = document.text
        self._unindexed.append(document.index_terms)
        self._numbers["at"].append(document.at)
        self._label("speaker", document.speaker)
        self._label("session", document.session)
        self._label("type", document.type)
        # A label, since agents use few confidences: a number of each document would be 8 bytes.
        self._label("confidence", repr(document.confidence))
        self._label("trust", document.trust)

    def doc_of(self, name: str) -> int | None:
        """Return the document of this id, the newest where there are several, None where there is none."""
        return self._docs.get(name)

    def matches(self, term: str) -> tuple[Sequence[int], Sequence[int]]:
        """Return the documents that have the term, in order, and how often each has it."""
        self._index()
        return self._postings.get(term, ((), ()))

    def beginning(self, opening: str) -> Iterator[str]:
        """Yield the terms that begin so, in their order."""
        self._index()
        if len(self._in_order) < len(self._postings):
            self._in_order = sorted(self._postings)
        following = range(bisect_left(self._in_order, opening), len(self._in_order))
        return takewhile(lambda term: term.startswith(opening), (self._in_order[at] for at in following))

    def postings(self) -> Iterator[tuple[str, Sequence[int], Sequence[int]]]:
        """Yield each term, in their order, with the documents that have it and how often."""
        self._index()
        # As a segment has them, so that both can be merged.
        for term, (docs, counts) in sorted(self._postings.items()):
            yield term, docs, counts

    def number(self, name: Number) -> Sequence[int]:
        """Return a number of each document."""
        if name != "at":
            self._index()
        return self._numbers[name]

    def label(self, name: Label) -> tuple[Sequence[str], Sequence[int]]:
        """Return the words of a label, and the number of its word for each document."""
        words, numbers = self._labels[name]
        return list(words), numbers

    def pairs(self) -> tuple[Sequence[int], Sequence[int]]:
        """Return the hashes of pairs of terms, document after document, and where each one's end."""
        self._index()
        return self._pairs, self._pair_ends

    @property
    def vectors(self) -> Vectors | None:
        """Return what vectors there are, in the order of their documents."""
        docs = sorted(self._vectors)
        return Vectors(self._embedder, b"".join(self._vectors[doc] for doc in docs), docs) if docs else None

    def without_vector(self, embedder: str) -> Sequence[tuple[int, str]]:
        """Return the documents that have no vector of this embedder, the newest first, each with its text."""
        if self._embedder != embedder:
            # Vectors of two embedders are of different spaces and never meet (decision 36).
            self._vectors.clear()
            self._without_vector = dict(enumerate(self._texts))
            self._embedder = embedder
        # There is time for some at each question, and the newest is asked for most.
        return list(reversed(self._without_vector.items()))

    def keep(self, doc: int, embedder: str, vector: bytes) -> None:
        """Keep a document's vector that was stored, unless those here are of another embedder."""
        self._embedder = self._embedder or embedder
        if self._embedder == embedder and doc in self._without_vector:
            self.place(doc, vector)

    def place(self, doc: int, vector: bytes) -> None:
        """Keep the vector of a document, made by the embedder that was named last."""
        self._vectors[doc] = vector
        del self._without_vector[doc]

    def texts(self) -> Iterable[str]:
        """Return what is turned into vectors."""
        return self._texts

    def _index(self) -> None:
        """Compute what those documents are found by that were added since the last time."""
        first = len(self.ids) - len(self._unindexed)
        waiting, self._unindexed = self._unindexed, []
        for number, computed in enumerate(waiting, first):
            index_terms = computed()
            for term, count in Counter(index_terms.terms).items():
                # Documents come in order, so that every run is ascending without being sorted.
                docs, counts = self._postings.setdefault(term, ([], []))
                docs.append(number)
                counts.append(count)
            self._numbers["cues"].append(index_terms.traits)
            self._numbers["length"].append(len(index_terms.terms))
            self._pairs.extend(index_terms.pairs)
            self._pair_ends.append(len(self._pairs))

    def _label(self, name: Label, word: str) -> None:
        words, numbers = self._labels[name]
        numbers.append(words.setdefault(word, len(words)))
