"""Vectors: made once, kept through merges, done without where they cannot be made or are another embedder's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.calibration import Calibration
from cairn.log.documents import KINDS, Kind
from cairn.log.log import MemoryLog
from cairn.log.segment import Segment
from cairn.recall.corpus import Vector, quantized
from cairn.recall.filter import SearchMode
from cairn.recall.indexing import FEWEST
from cairn.vault.vault import Vault
from support.log import Journal
from support.memories import Notebook, index
from support.recall import ToyEmbedder
from support.turns import SESSION

START = Callable[..., Any]
ALIKE = {"automobile": "car"}
_MERGES = 4


def contents(found: Sequence[Any]) -> list[str]:
    return [each.content.rpartition(": ")[2] for each in found]


@pytest.fixture
def journal(adapters: Adapters, watched: Any) -> Journal:
    return Journal(replace(adapters, table=watched), embedder=ToyEmbedder())


def segments_of(journal: Journal) -> list[Segment]:
    log = MemoryLog(journal.adapters, Vault(journal.adapters))
    log.refresh(SESSION.tenant, SESSION.project, journal.owner)
    with log.view(SESSION.tenant, SESSION.project, journal.owner) as view:
        return [each for each in view.stretches if isinstance(each, Segment)]


def vectors(segment: Segment, kind: Kind) -> Any:
    held = segment.documents(kind).vectors
    assert held is not None
    assert held.docs is None
    return np.frombuffer(held.data, np.int8).reshape(len(segment.documents(kind)), -1)


@pytest.mark.parametrize("is_indexed", [False, True])
def test_what_means_the_same_in_other_words_is_found_with_an_embedder_alone(
    notebook: Notebook,
    is_indexed: bool,  # noqa: FBT001 - a column
) -> None:
    embedder = ToyEmbedder(alike=ALIKE)
    kept = notebook.with_embedder(embedder)
    kept.talk.say("automobile", reply="")
    kept.keep("automobile", type="decision")
    kept.keep("teapot")
    if is_indexed:
        index(kept, "u:ada", "s:monday")

    reader = notebook.with_embedder(embedder)
    assert contents(reader.find("car")) == ["automobile", "automobile"]
    assert {each.kind for each in reader.find("car", mode="semantic")} == {"turn", "memory"}
    assert {each.found_by for each in reader.find("car")} == {"hybrid"}
    assert reader.find("car", mode="text") == []
    assert notebook.with_embedder(None).find("car") == []
    assert notebook.with_embedder(None).find("automobile", mode="semantic")[0].found_by == "text"


def test_each_mode_says_by_what_it_found(notebook: Notebook) -> None:
    reader = notebook.with_embedder(ToyEmbedder(alike=ALIKE))
    reader.keep("My automobile is red.")
    reader.keep("My teapot is red.")

    by_mode: dict[SearchMode, list[str]] = {
        mode: contents(reader.find("automobile", mode=mode)) for mode in ("text", "semantic", "hybrid")
    }
    assert by_mode["text"] == ["My automobile is red."]
    assert by_mode["semantic"][0] == by_mode["hybrid"][0] == "My automobile is red."
    for mode in ("text", "semantic", "hybrid"):
        assert {each.found_by for each in reader.find("automobile", mode=mode)} == {mode}


def test_an_embedder_that_fails_leaves_recall_by_words(notebook: Notebook) -> None:
    embedder = ToyEmbedder()
    for fails, fails_at in ((True, None), (False, "beans go south"), (False, "beans, where?")):
        embedder.fails, embedder.fails_at = fails, fails_at
        reader = notebook.with_embedder(embedder)
        reader.keep("beans go north")
        reader.keep("beans go south")

        found = reader.find("beans, where?")

        assert sorted(contents(found)) == ["beans go north", "beans go south"]
        assert {each.found_by for each in found} == {"text"}
        assert reader.talk.ask("beans, where?").recalled_fact_ids

    embedder.fails, embedder.fails_at = False, None
    assert {each.found_by for each in reader.find("beans, where?")} == {"hybrid"}


@pytest.mark.parametrize("fails_at", [None, "home (home 1): street 7", "row 3 of the beans, dwarf"])
def test_an_embedder_that_fails_leaves_segments_without_vectors_and_the_next_merge_makes_them(
    journal: Journal, fails_at: str | None
) -> None:
    embedder: Any = journal.embedder
    embedder.fails, embedder.fails_at = fails_at is None, fails_at
    journal.indexed(FEWEST)
    assert [each.documents(kind).vectors for each in segments_of(journal) for kind in KINDS] == [None] * 3

    embedder.fails, embedder.fails_at = False, None
    journal.rebuild()

    (mended,) = segments_of(journal)
    for kind in ("texts", "facts"):
        made = [quantized(ToyEmbedder().embed(text)) for text in mended.texts(kind)]
        assert np.array_equal(vectors(mended, kind), made)
    assert mended.documents("memories").vectors is None


def test_a_text_is_embedded_once_however_often_its_segment_is_merged(journal: Journal) -> None:
    embedder: Any = journal.embedder
    before: dict[str, bytes] = {}
    for _ in range(_MERGES):
        journal.indexed(FEWEST)
        (each,) = segments_of(journal)
        texts = each.texts("texts")
        before |= {text: row.tobytes() for text, row in zip(texts, vectors(each, "texts"), strict=True)}

    (merged,) = segments_of(journal)
    after = {text: row.tobytes() for text, row in zip(merged.texts("texts"), vectors(merged, "texts"), strict=True)}
    assert before.items() <= after.items()
    assert len(after) == _MERGES * FEWEST
    asked_for: list[str] = embedder.asked
    counts = Counter(asked_for)
    assert set(counts.values()) == {1}
    assert set(counts) == {text for kind in KINDS for text in merged.texts(kind)}


def test_the_tail_s_texts_are_embedded_once_by_each_process(notebook: Notebook) -> None:
    embedder = ToyEmbedder()
    reader = notebook.with_embedder(embedder)
    reader.keep("beans go north")
    assert embedder.asked == []
    for _ in range(3):
        reader.find("peas")
    reader.keep("beans go south")
    reader.find("peas")

    counts = Counter(embedder.asked)
    assert counts == {"beans go north": 1, "beans go south": 1, "peas": 4}


def test_a_call_gives_vectors_to_the_newest_texts_for_a_while_not_counting_the_time_to_load_the_model(
    notebook: Notebook, clock: Any
) -> None:
    class Slow(ToyEmbedder):
        def embed(self, text: str) -> Vector:
            clock.advance(seconds=0.05 if self.asked else 10)
            return super().embed(text)

    embedder = Slow()
    reader = notebook.with_embedder(embedder)
    for number in range(6):
        reader.keep(f"row {number} has beans")
    reader.find("peas")
    assert embedder.asked == ["peas", *(f"row {number} has beans" for number in (5, 4, 3, 2))]
    reader.find("peas")
    assert embedder.asked[5:] == ["peas", "row 1 has beans", "row 0 has beans"]


def test_a_question_that_names_a_speaker_is_embedded_as_they_would_say_it_and_as_it_was_put(
    notebook: Notebook,
) -> None:
    embedder = ToyEmbedder()
    reader = notebook.with_embedder(embedder)
    reader.talk.say({"role": "user", "content": "Beans.", "name": "Marta"}, reply="")
    reader.find("What does Marta grow?")

    assert embedder.asked == ["What does I grow?", "What does Marta grow?", "Beans."]


def test_vectors_of_another_embedder_are_not_compared_until_a_rebuild_moves_them_over(
    notebook: Notebook,
) -> None:
    old, new = ToyEmbedder("old"), ToyEmbedder("new", alike=ALIKE)
    first = notebook.with_embedder(old)
    for number in range(9):
        first.keep(f"teapot {number}")
    first.keep("automobile")
    index(first)
    first.keep("kettle")

    reader = notebook.with_embedder(new)
    assert {each.found_by for each in reader.find("kettle")} == {"text"}
    assert reader.find("car") == []
    assert set(new.asked) == {"kettle", "car"}

    index(reader)
    moved = notebook.with_embedder(new)
    assert contents(moved.find("car")) == ["automobile"]
    assert {each.found_by for each in moved.find("car")} == {"hybrid"}
    assert {each.found_by for each in notebook.with_embedder(old).find("teapot")} == {"text"}


def test_a_merge_makes_the_vectors_of_another_embedder_anew(journal: Journal) -> None:
    journal.indexed(FEWEST)
    old: Any = journal.embedder
    made = len(old.asked)
    new = ToyEmbedder("new", alike={"row": "line"})
    journal.embedder = new

    journal.indexed(FEWEST)

    (merged,) = segments_of(journal)
    held = merged.documents("texts").vectors
    assert held is not None
    assert held.embedder == "new"
    assert np.array_equal(vectors(merged, "texts"), [quantized(new.embed(text)) for text in merged.texts("texts")])
    assert len(old.asked) == made


def test_an_embedder_that_knows_english_alone_is_asked_nothing_in_another_script(notebook: Notebook) -> None:
    embedder = ToyEmbedder()
    embedder.calibration = Calibration(english_only=True)
    reader = notebook.with_embedder(embedder)
    reader.talk.say("Моя сестра живёт в Бонне.", reply="")

    found = reader.find("Где живёт моя сестра?")

    assert [each.found_by for each in found] == ["text"]
    assert embedder.asked == []
    assert {each.found_by for each in reader.find("Где живёт моя сестра?", mode="semantic")} == {"semantic"}
    assert {each.found_by for each in reader.find("Wo wohnt meine Schwester in Бонн?")} == {"hybrid"}
