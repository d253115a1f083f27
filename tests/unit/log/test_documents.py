"""Documents that come one by one, and their vectors."""

from __future__ import annotations

from cairn.language.index_terms import index_terms
from cairn.log.documents import Described, GrowingDocuments


def documents_of(*texts: str) -> GrowingDocuments:
    documents = GrowingDocuments()
    for text in texts:
        described = Described(
            id=text,
            at=0,
            speaker="user",
            session="s",
            type="turn",
            confidence=1.0,
            index_terms=index_terms(text),
            text=text,
        )
        documents.add(described)
    return documents


def test_what_has_no_vector_is_told_newest_first_and_of_another_embedder_nothing_has() -> None:
    documents = documents_of("beans", "peas", "soup")
    (newest, _), *_ = documents.without_vector("one")
    documents.place(newest, b"3")

    assert documents.without_vector("one") == [(1, "peas"), (0, "beans")]
    assert documents.without_vector("other") == [(2, "soup"), (1, "peas"), (0, "beans")]
    assert documents.vectors is None
