"""What is computed of texts is kept for the newest, and no text is."""

from __future__ import annotations

import gc
import weakref

from cairn.ground.text_cache import TextCache


def test_a_text_is_computed_once_while_it_is_among_those_asked_for_last() -> None:
    asked: list[str] = []

    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    lengths = TextCache(length, entries=2)
    assert [lengths.get(text) for text in ("one", "three", "one", "fifteen", "one", "three")] == [3, 5, 3, 7, 3, 5]
    assert asked == ["one", "three", "fifteen", "three"]


def test_what_comes_to_nothing_is_kept_too_and_a_half_of_a_pair_is_a_text() -> None:
    asked: list[str] = []
    nothing = TextCache(lambda text: asked.append(text) or 0, entries=2)
    assert [nothing.get("\ud83d"), nothing.get("\ud83d")] == [0, 0]
    assert len(asked) == 1


class Told(str):
    """A text that can be referred to weakly."""

    __slots__ = ("__weakref__",)


def test_no_text_is_kept() -> None:
    lengths = TextCache(len, entries=2)
    text = Told("The passport's code is 4417.")
    lengths.get(text)
    kept = weakref.ref(text)
    del text
    gc.collect()
    assert kept() is None
