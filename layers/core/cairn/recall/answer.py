"""Answer a question from all collections at once, best first, with reasons."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from cairn.ground.explanation import Explanation
from cairn.language import bm25
from cairn.log.documents import Kind
from cairn.recall.collection import Collection, Found
from cairn.recall.corpus import Mask, QueryVectors, Scores, without_vector
from cairn.recall.filter import SearchMode
from cairn.recall.joined import Joined, side_by_side
from cairn.recall.likelihood import Likelihood, likelihood
from cairn.recall.question import question
from cairn.recall.ranker import NOTHING, Ranking, Tier, rank, tier

Embed = Callable[[str, str], QueryVectors | None]
"""Turns what is meant, and how it was put, into vectors; None where there are none."""
# The first day that date.fromordinal takes.
_ONE_DAY_FROM = 1


class Hit(NamedTuple):
    """A result and its score: of hits() its share, and the shares of all that match add up to 1; of scored() raw."""

    kind: Kind
    score: float
    place: int


@dataclass(frozen=True)
class Answer:
    """The documents that match a question, of those that are `allowed`: bool of shape (rows,) of the corpus.

    `likelihood` is how likely something of what was weighed answers. `without_vector` of the allowed have no vector yet
    where vectors were asked for.
    """

    ranking: Ranking
    collections: Sequence[Collection]
    corpus: Joined
    allowed: Mask
    likelihood: Likelihood
    without_vector: int = 0
    _opened: dict[int, Found] = field(init=False, compare=False, repr=False, default_factory=dict[int, Found])

    @property
    def searched(self) -> int:
        """Return how many documents might have been found."""
        return int(self.allowed.sum())

    @property
    def matched(self) -> int:
        """Return how many match."""
        return int(self.ranking.matched.sum())

    def hits(self) -> Iterator[Hit]:
        """Return what matches, the best first."""
        shares = self.ranking.shares()
        return (self._hit(place, shares) for place in np.flatnonzero(self.ranking.matched).tolist())

    def scored(self) -> Iterator[Hit]:
        """Return all that was weighed with its raw score, the best first, whether it matches or not.

        Raw scores tell how well a text answers, on any question's scale alike; shares tell how much better than others.
        """
        leaves = self.corpus.leaves
        numbers: list[int] = (np.searchsorted([leaf.first for leaf in leaves], self.ranking.rows, "right") - 1).tolist()
        scores: list[float] = self.ranking.scores.tolist()
        found = enumerate(zip(numbers, scores, strict=True))
        return (Hit(leaves[number].kind, score, place) for place, (number, score) in found)

    def _hit(self, place: int, scores: Scores) -> Hit:
        number, _ = self.corpus.leaf_of(int(self.ranking.rows[place]))
        return Hit(self.corpus.leaves[number].kind, float(scores[place]), place)

    def is_related(self, hit: Hit) -> bool:
        """Tell whether it has to do with the question by a word or by meaning."""
        return bool(self.ranking.related[hit.place])

    def place(self, hit: Hit) -> tuple[int, int]:
        """Return the row of what was found, and that of what was said just before it, -1 for none."""
        row = int(self.ranking.rows[hit.place])
        return row, int(self.corpus.columns.before[row])

    def idf(self, term: str) -> float:
        """Return how rare a term is in what was searched."""
        count = self.ranking.document_frequency.get(term)
        return bm25.idf(len(self.corpus), len(self.corpus.postings(term).rows) if count is None else count)

    def collection_of(self, hit: Hit) -> int:
        """Return the number of the collection in which it was found."""
        return bisect_right(self._firsts, int(self.ranking.rows[hit.place])) - 1

    def read(self, hit: Hit) -> Found:
        """Return what was found; what was looked at before need not be unpacked again."""
        if hit.place not in self._opened:
            self._opened[hit.place] = self._found(int(self.ranking.rows[hit.place]))
        return self._opened[hit.place]

    def standing(self, hit: Hit) -> tuple[float, int, str]:
        """Return the confidence, the moment and the id of what was found, which need not be unpacked for that."""
        number, doc = self.corpus.leaf_of(int(self.ranking.rows[hit.place]))
        documents = self.corpus.leaves[number].documents
        words, numbers = documents.label("confidence")
        return float(words[numbers[doc]]), documents.number("at")[doc], documents.ids[doc]

    def newest(self) -> Iterator[Found]:
        """Yield all that may be found, the newest first, whatever was asked."""
        # Over all leaves at once, since logs of several owners interleave in time.
        rows = np.flatnonzero(self.allowed)
        at = np.concatenate([np.asarray(leaf.documents.number("at"), np.int64) for leaf in self.corpus.leaves])[rows]
        return map(self._found, rows[np.lexsort((-rows, -at))].tolist())

    def _found(self, row: int) -> Found:
        number = bisect_right(self._firsts, row) - 1
        return self.collections[number].found(row - self._firsts[number])

    @cached_property
    def _firsts(self) -> Sequence[int]:
        """Return the row of each collection's first document."""
        return list(accumulate((len(each.corpus) for each in self.collections), initial=0))

    @property
    def tier(self) -> Tier:
        """Return by how much there was to go by."""
        return tier(self.ranking.features)

    def why(self, hit: Hit) -> Explanation:
        """Return why it stands where it does."""
        return self.ranking.explanation(hit.place)

    @property
    def found_by(self) -> SearchMode:
        """Return by what it was found, as far as there was anything to go by."""
        if "meaning" not in self.ranking.features:
            return "text"
        return "hybrid" if len(self.ranking.weights.names) > 1 else "semantic"


def answer(  # noqa: PLR0913 - what a question is put to, and how
    collections: Sequence[Collection],
    text: str,
    today: date,
    embed: Embed,
    mode: SearchMode = "hybrid",
    *,
    english_only: bool = False,
) -> Answer:
    """Put a question to the collections, of which those of one kind stand together; nothing matches an empty one.

    What is related matches and, where they likely hold an answer, every text that is nearly as good as the best.
    What embeds English only is not asked about a question in another script, unless meaning alone is to decide: of the
    languages that share its letters it knows names and words that look alike.
    """
    # What has no rows adds nothing, and to join even one with it copies all columns.
    corpus = side_by_side(
        [each.corpus for each in collections if len(each.corpus)] or [each.corpus for each in collections]
    )
    allowed = np.concatenate([each.allowed for each in collections]) if collections else np.zeros(0, np.bool_)
    if not text or not allowed.any():
        return Answer(NOTHING, collections, corpus, allowed, Likelihood())
    days = corpus.columns.day
    # A date without a year is meant in a year that something was said in.
    years = range(_year(int(days.min())), _year(int(days.max())) + 1)
    asked = question(text, corpus.columns.speakers, today, years, corpus.stands)
    # A question that the embedder cannot read has a vector all the same, and that one says nothing.
    by_words = mode == "text" or (mode == "hybrid" and english_only and not asked.is_latin)
    query_vectors = None if by_words else embed(asked.text, text)
    lacking = 0 if query_vectors is None else without_vector(corpus, query_vectors.embedder, allowed)
    ranking = rank(corpus, asked, query_vectors, allowed, mode)
    chance = likelihood(ranking, int(allowed.sum()))
    # An answer may share no word with its question and mean something else by itself: then the ranker alone knows it.
    found = ranking.with_the_nearly_best(_of_texts(corpus)) if chance.is_likely else ranking
    return Answer(found, collections, corpus, allowed, chance, lacking)


def _of_texts(corpus: Joined) -> Mask:
    """Return which rows are texts; a fact says too little to answer what it has nothing to do with."""
    are_texts = np.zeros(len(corpus), np.bool_)
    for leaf in corpus.leaves:
        are_texts[leaf.first : leaf.first + len(leaf.documents)] = leaf.kind == "texts"
    return are_texts


def _year(day: int) -> int:
    return date.fromordinal(max(day, _ONE_DAY_FROM)).year
