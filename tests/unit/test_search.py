from __future__ import annotations

from collections.abc import Callable
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.domain.search import Corpus, search


def corpus_of(**documents: str) -> Corpus[str]:
    corpus = Corpus[str]()
    for doc_id, text in documents.items():
        corpus.add(doc_id, text.split())
    return corpus


def searched(
    corpus: Corpus[str], terms: list[str], *, limit: int, allowed: Callable[[str], bool] | None = None
) -> list[tuple[str, float]]:
    """Search one index alone."""

    def admitted(_: int, doc: str) -> bool:
        return allowed is None or allowed(doc)

    return [(doc, score) for _, doc, score in search([corpus], terms, limit=limit, allowed=admitted)]


def ids(found: list[tuple[str, float]]) -> list[str]:
    return [doc_id for doc_id, _ in found]


def test_the_score_is_bm25_as_published() -> None:
    corpus = corpus_of(a="tea tea cup", b="cup", c="milk milk")
    idf = log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    expected = idf * 2 / (2 + 0.9 * (1 - 0.4 + 0.4 * 3 / 2))
    assert searched(corpus, ["tea"], limit=5) == [("a", pytest.approx(expected))]


def test_a_rare_term_outweighs_a_common_one() -> None:
    corpus = corpus_of(a="common rare", b="common x", c="common y", d="rare z", e="common q")
    assert ids(searched(corpus, ["rare", "common"], limit=9))[:2] == ["a", "d"]


def test_only_documents_with_a_term_of_the_query_are_found() -> None:
    corpus = corpus_of(a="tea", b="coffee")
    assert ids(searched(corpus, ["tea"], limit=9)) == ["a"]
    assert searched(corpus, ["milk"], limit=9) == []
    assert searched(corpus, [], limit=9) == []
    assert searched(Corpus[str](), ["tea"], limit=9) == []


def test_among_equals_the_newest_comes_first() -> None:
    assert ids(searched(corpus_of(old="tea cup", mid="tea cup", new="tea cup"), ["tea"], limit=2)) == ["new", "mid"]


def test_a_filter_applies_before_the_limit() -> None:
    corpus = corpus_of(mine="tea cup saucer", **{f"theirs{n}": "tea" for n in range(50)})
    assert ids(searched(corpus, ["tea"], limit=1, allowed=lambda doc_id: doc_id == "mine")) == ["mine"]


def test_a_document_added_again_replaces_itself() -> None:
    corpus = corpus_of(a="tea", b="milk")
    corpus.add("a", ["milk"])
    assert searched(corpus, ["tea"], limit=9) == []
    assert ids(searched(corpus, ["milk"], limit=9)) == ["a", "b"]
    assert len(corpus) == 2


DOCUMENTS = st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from(["tea", "cup", "milk"]), max_size=5))


@pytest.mark.slow
@given(DOCUMENTS, DOCUMENTS)
def test_removing_documents_leaves_no_trace_of_them(kept: dict[str, list[str]], gone: dict[str, list[str]]) -> None:
    corpus, untouched = Corpus[str](), Corpus[str]()
    for doc_id, found in gone.items():
        corpus.add(f"gone-{doc_id}", found)
    for doc_id, found in kept.items():
        corpus.add(doc_id, found)
        untouched.add(doc_id, found)
    for doc_id in gone:
        corpus.remove(f"gone-{doc_id}")
    query = ["tea", "cup"]
    assert searched(corpus, query, limit=9) == searched(untouched, query, limit=9)
