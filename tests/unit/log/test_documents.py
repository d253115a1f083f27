"""Documents that come one by one, and their vectors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from cairn.language.index_terms import IndexTerms, index_terms
from cairn.log.documents import Described, GrowingDocuments


def documents_of(*texts: str) -> GrowingDocuments:
    documents = GrowingDocuments()
    for text in texts:
        documents.add(_described(text, partial(index_terms, text)))
    return documents


def test_what_has_no_vector_is_told_newest_first_and_of_another_embedder_nothing_has() -> None:
    documents = documents_of("beans", "peas", "soup")
    (newest, _), *_ = documents.without_vector("one")
    documents.place(newest, b"3")

    assert documents.without_vector("one") == [(1, "peas"), (0, "beans")]
    assert documents.without_vector("other") == [(2, "soup"), (1, "peas"), (0, "beans")]
    assert documents.vectors is None


def test_what_a_document_is_found_by_is_computed_once_and_only_when_a_search_asks() -> None:
    computed: list[str] = []

    def compute(text: str) -> IndexTerms:
        computed.append(text)
        return index_terms(text)

    documents = documents_of(*map(str, range(3)))
    for text in ("white beans", "green peas"):
        documents.add(_described(text, partial(compute, text)))

    assert documents.doc_of("green peas") == 4
    assert (list(documents.number("at")), documents.label("type")[1], computed) == ([0] * 5, [0] * 5, [])
    assert [documents.matches(term) for term in ("bean", "pea")] == [([3], [1]), ([4], [1])]
    documents.add(_described("red beans", partial(compute, "red beans")))
    assert documents.matches("bean") == ([3, 5], [1, 1])
    assert [len(documents.number(name)) for name in ("length", "cues")] == [6, 6]
    assert (len(documents.pairs()[1]), computed) == (6, ["white beans", "green peas", "red beans"])


def test_terms_that_begin_alike_are_told_in_their_order_and_new_ones_among_them() -> None:
    documents = documents_of("gardener", "soup", "garage")
    assert list(documents.beginning("gar")) == ["garag", "garden"]

    documents.add(_described("garlic", partial(index_terms, "garlic")))

    assert [list(documents.beginning(each)) for each in ("gar", "sou", "z")] == [
        ["garag", "garden", "garlic"],
        ["soup"],
        [],
    ]
    assert len(list(documents.beginning(""))) == len(documents)


def _described(text: str, found_by: Callable[[], IndexTerms]) -> Described:
    return Described(
        id=text,
        at=0,
        speaker="user",
        session="s",
        type="turn",
        confidence=1.0,
        index_terms=found_by,
        text=text,
    )
