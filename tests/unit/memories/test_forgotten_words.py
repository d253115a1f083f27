"""What forgetting would forget, in words, before anybody forgets it."""

from __future__ import annotations

import pytest

from cairn.ground.errors import NotFound
from cairn.memories.forget import forget, words_of
from cairn.memories.model import ForgetRequest
from support.custody import ADA, Household
from support.plans import HERE, desk, id_of, live


@pytest.mark.parametrize(("word", "said"), [("Oslo", "home: Oslo"), ("Peas", "Peas climb.")])
def test_a_fact_and_a_memory_are_told_in_words_until_they_are_forgotten(house: Household, word: str, said: str) -> None:
    live(house)
    request = ForgetRequest(id=id_of(house, word), user_id=ADA)
    assert words_of(desk(house), HERE, request) == said

    forget(desk(house), HERE, request)

    assert words_of(desk(house), HERE, request) is None


@pytest.mark.parametrize("name", ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "u-" + "0" * 32])
def test_what_is_unknown_has_no_words(house: Household, name: str) -> None:
    live(house)
    with pytest.raises(NotFound):
        words_of(desk(house), HERE, ForgetRequest(id=name, user_id=ADA))
