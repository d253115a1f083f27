"""Where documents stand: no collection, key or user can reach into another's range."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.documents.layout import document_sk, own_range, owner_pk, place_of, tree_range
from cairn.documents.model import Owner, Place, check_place, owner_of
from cairn.ground.errors import CorruptData, InvalidArgument
from cairn.ground.ids import Project, Tenant, UserId

NAMES = st.text(
    st.sampled_from(["a", "b", "/", "~", "0", "1", "!", "#", " ", "é", "\U0010ffff"]), min_size=1, max_size=4
)
COLLECTIONS = st.lists(NAMES, max_size=4).map(tuple)


@given(one=COLLECTIONS, other=COLLECTIONS, key=NAMES, another=NAMES)
def test_two_documents_have_one_place_only_if_collection_and_key_are_the_same(
    one: tuple[str, ...], other: tuple[str, ...], key: str, another: str
) -> None:
    same = (one, key) == (other, another)
    assert (document_sk(one, key) == document_sk(other, another)) == same
    assert place_of(document_sk(one, key)) == (one, key)


@given(collection=COLLECTIONS, prefix=COLLECTIONS, key=NAMES)
def test_the_range_of_a_collection_holds_what_is_in_it_or_below_it_and_nothing_else(
    collection: tuple[str, ...], prefix: tuple[str, ...], key: str
) -> None:
    sk = document_sk(collection, key)
    low, high = tree_range(prefix)
    assert (low <= sk <= high) == (collection[: len(prefix)] == prefix)
    assert sk != high
    low, high = own_range(prefix)
    assert (low <= sk <= high) == (collection == prefix)


@pytest.mark.parametrize("sk", ["d#", "d#a", "d#a/", "d#a/b", "d#a//b/c", "usage", "c#1", "g#1"])
def test_what_is_no_document_s_key_is_told_apart(sk: str) -> None:
    with pytest.raises(CorruptData):
        place_of(sk)


def test_a_user_s_documents_and_the_project_s_lie_in_partitions_of_their_own() -> None:
    acme, garden = Tenant("acme"), Project("a/b")
    pks = [owner_pk(acme, garden, user) for user in (None, UserId("p:"), UserId("u:p:"), UserId("a#d#b"))]
    assert len(set(pks)) == len(pks)
    assert [owner_of(pk) for pk in pks[1:]] == [Owner(acme, garden, UserId(user)) for user in ("p:", "u:p:", "a#d#b")]
    assert owner_of(pks[0]) == Owner(acme, garden)


@pytest.mark.parametrize(
    ("place", "field"),
    [
        (Place(("a", ""), "k"), "documents[3].collection"),
        (Place(("a\x07",), "k"), "documents[3].collection"),
        (Place((), "a\x7f"), "documents[3].key"),
        (Place((), "\ud800"), "documents[3].key"),
        (Place(("a",) * 11, "k"), "documents[3].collection"),
        (Place((), "é" * 511), "documents[3].key"),
        (Place(("~" * 511,), "k"), "documents[3].collection"),
    ],
)
def test_a_name_that_cannot_be_is_refused_with_its_field(place: Place, field: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        check_place(place, "documents[3]")
    assert f"{field} must" in refused.value.message or f"{field} is too long" in refused.value.message


def test_the_longest_name_is_kept() -> None:
    assert check_place(Place((), "k" * 1021), "documents[0]").key == "k" * 1021
