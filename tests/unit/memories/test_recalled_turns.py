"""recall of what was said: by whom, when, page by page, and not what is gone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime
from threading import Barrier, BrokenBarrierError, Thread
from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.memories.model import RecalledItem
from cairn.recall.searching import Search
from cairn.sessions.open_logs import visibility_of
from support.memories import Notebook, index
from support.recall import ToyEmbedder

START = Callable[..., Any]


def by(name: str, text: str) -> dict[str, Any]:
    return message("user", text) | {"name": name}


def turns(found: list[RecalledItem]) -> list[str]:
    return [each.content.partition(": ")[2] for each in found if each.kind == "turn"]


def everywhere(notebook: Notebook, owner: str = "u:ada") -> list[Notebook]:
    """Return processes that read what was written so far from the tail, and then from a segment."""
    from_tail = [notebook, notebook.other()]
    index(notebook, owner)
    return [*from_tail, notebook.other()]


@pytest.mark.parametrize("is_indexed", [False, True])
def test_a_turn_is_told_with_its_date_session_and_speaker(notebook: Notebook, clock: Any, is_indexed: bool) -> None:  # noqa: FBT001 - a column
    notebook.talk.say("I planted beans.", reply="How many?", turn_id="t1")
    notebook.talk.say(by("Marta", "Forty beans, all runners."), turn_id="t2")
    said_at = clock.now()
    if is_indexed:
        index(notebook, "u:ada")

    found = notebook.other().find("beans", type="turn")

    assert {each.content for each in found} == {
        "2026-03-01, monday, user: I planted beans.",
        "2026-03-01, monday, assistant: How many?",
        "2026-03-01, monday, Marta: Forty beans, all runners.",
        "2026-03-01, monday, assistant: Noted.",
    }
    (marta,) = [each for each in found if "Marta" in each.content]
    assert (marta.kind, marta.type, marta.confidence, marta.found_by) == ("turn", "turn", 1.0, "text")
    assert (marta.session_id, marta.turn_id, marta.timestamp) == ("monday", "t2", said_at)


def test_the_name_an_item_carries_is_who_said_it_and_a_question_that_names_them_finds_their_own_words(
    start: START,
) -> None:
    for name, text in (("Marta", "I grow beans by the wall."), ("Ben", "I grow beans by the pond.")):
        start(f"with {name}").say(by(name, text), reply="")

    for reader in everywhere(Notebook(start(recall_scope="user"), "ada")):
        for name, place in (("Marta", "wall"), ("Ben", "pond")):
            first, second = turns(reader.find(f"Where does {name} grow beans?"))
            assert place in first
            assert place not in second


@pytest.mark.parametrize("name", ["Marat", "Matra", "Marrta", "Mrta", "Amrta", "MRATA", "Marat's friend"])
def test_a_misspelt_name_finds_what_its_bearer_said(start: START, name: str) -> None:
    for who, text in (("Marta", "I grow beans by the wall."), ("Ben", "I grow beans by the pond.")):
        start(f"with {who}").say(by(who, text), reply="")

    for reader in everywhere(Notebook(start(recall_scope="user"), "ada")):
        assert "wall" in turns(reader.find(f"Where does {name} grow beans?"))[0]


@pytest.mark.parametrize("name", ["gnia", "Gnia's", "Igna", "Ginna", "GIAN"])
def test_a_misspelt_name_of_somebody_told_of_is_found(start: START, name: str) -> None:
    talk = start("monday")
    talk.say("Ben sold the boat.", reply="")
    talk.say("Gina's new flat is small.", reply="")

    for reader in everywhere(Notebook(start(recall_scope="user"), "ada")):
        assert [text for text in turns(reader.find(name)) if "Gina" in text]


def test_what_was_said_on_a_day_told_in_digits_by_a_holiday_or_by_a_stretch_comes_first(
    start: START, clock: Any
) -> None:
    for day in (date(2026, 3, 20), date(2026, 4, 5), date(2026, 4, 28)):
        clock.advance(days=(day - clock.now().date()).days)
        start(f"on {day}").say(f"I ate soup, number {day:%d}.", reply="")

    for reader in everywhere(Notebook(start(recall_scope="user"), "ada")):
        for asked, number in (
            *(("on 20/03/2026", "20"), ("on 4/28", "28"), ("at Easter", "05"), ("in mid-March", "20")),
            *(("in the last week of April", "28"), ("the day after Easter", "05"), ("from 15 to 22 March", "20")),
        ):
            assert number in turns(reader.find(f"Which soup did I eat {asked}?"))[0], asked


def test_a_name_alone_finds_what_its_bearer_said(notebook: Notebook) -> None:
    notebook.talk.say(by("Marta", "The wall is warm."))
    notebook.talk.say("Nothing new.")

    for reader in everywhere(notebook):
        assert "The wall is warm." in turns(reader.find("Marta"))


def test_a_word_that_a_text_says_and_a_speaker_bears_still_finds_the_text(notebook: Notebook) -> None:
    notebook.talk.say(by("Marta", "The wall is warm."))
    notebook.keep("Marta's birthday present is a kettle.")

    for reader in everywhere(notebook):
        assert "Marta's birthday present is a kettle." in reader.texts("Marta")


def test_what_is_no_name_names_nobody(notebook: Notebook) -> None:
    for name in ("", "   ", "x" * 65, 7):
        notebook.talk.say(message("user", f"beans {name}") | {"name": name})
    notebook.talk.say({"type": "function_call", "call_id": "c", "name": "Marta", "arguments": "beans"})

    said_by = {each.content.split(": ")[0].rsplit(", ")[-1] for each in notebook.find("beans", type="turn")}
    assert said_by == {"user", "assistant"}


def test_a_text_is_found_by_the_day_it_was_said(start: START, clock: Any) -> None:
    said = {"Sunday 1 March": "I swept the yard.", "Monday 2 March": "I mended it.", "Tuesday 3 March": "I fed them."}
    for day, text in said.items():
        start(f"on {day}").say(text, reply="")
        clock.advance(days=1)

    for reader in everywhere(Notebook(start(recall_scope="user"), "ada")):
        for day, text in said.items():
            weekday, number, month = day.split()
            for words in (weekday, day, f"{number} {month} 2026"):
                assert turns(reader.find(f"What happened on {words}?"))[0] == text, words
        assert len(turns(reader.find("March 2026"))) == 3
        assert turns(reader.find("Thursday")) == []


def test_without_a_query_turns_are_not_told(notebook: Notebook) -> None:
    notebook.talk.say("Beans go north.")
    notebook.keep("Beans go south.")

    assert notebook.texts() == ["Beans go south."]
    assert notebook.recall(type="turn").found == ()
    assert {each.kind for each in notebook.find("beans")} == {"turn", "memory"}
    assert {each.kind for each in notebook.find("beans", type="turn")} == {"turn"}
    assert {each.kind for each in notebook.find("beans", type="fact")} == {"memory"}


@pytest.mark.req("R271")
def test_filters_apply_to_turns_before_the_limit(notebook: Notebook, clock: Any) -> None:
    notebook.talk.say("Runner beans.", reply="Beans!")
    then = clock.now()
    for number in range(60):
        clock.advance(minutes=1)
        notebook.keep(f"Beans beans beans, row {number}.", confidence=0.6)
    clock.advance(minutes=1)
    notebook.talk.say("Beans and more beans.", reply="Beans!")

    index(notebook, "u:ada", "s:monday")
    for reader in (notebook, notebook.other()):
        for limit in (1, 2):
            assert {each.kind for each in reader.find("beans", type="turn", limit=limit)} == {"turn"}
            assert len(reader.find("beans", as_of=then, limit=limit)) == limit
            assert {each.timestamp for each in reader.find("beans", as_of=then, limit=limit)} == {then}
            assert {each.kind for each in reader.find("beans", min_confidence=0.9, limit=limit)} == {"turn"}
            assert {each.kind for each in reader.find("beans", type="fact", limit=limit)} == {"memory"}
        assert {each.kind for each in reader.find("beans", min_confidence=0.9, limit=50)} == {"turn"}


@pytest.mark.req("R244")
def test_what_is_forgotten_replaced_or_past_is_not_found_wherever_it_lies(notebook: Notebook, clock: Any) -> None:
    gone = notebook.keep("Beans go north, forgotten.")
    old = notebook.keep("Beans go west, replaced.")
    new = notebook.keep("Beans go south.")
    notebook.talk.say("Today I need to buy beans.")
    notebook.talk.say("I live in Oslo.")
    for is_ended_before_it_is_indexed in (True, False):
        if not is_ended_before_it_is_indexed:
            index(notebook, "u:ada", "s:monday")
        else:
            notebook.drop(gone)
            notebook.drop(old, replacement=new)
            notebook.talk.say("I moved to Bergen.")
            clock.advance(days=9)
        for reader in (notebook, notebook.other()):
            for query in ("beans go north, west or south", "Oslo or Bergen, where is home?", "buy beans today", ""):
                told = [each.content for each in reader.find(query, limit=50) if each.kind != "turn"]
                assert not [text for text in told if "forgotten" in text or "replaced" in text or "Oslo" in text]
                assert not [text for text in told if "task" in text]
            asked_for = reader.texts("beans go north, west or south", include_superseded=True, limit=50)
            assert "Beans go west, replaced." in asked_for
            assert "Beans go north, forgotten." not in asked_for


@pytest.mark.parametrize("embedder", [None, ToyEmbedder()], ids=["words", "vectors"])
def test_what_was_just_written_is_found(notebook: Notebook, embedder: Any) -> None:
    reader = notebook.with_embedder(embedder)
    for number in range(3):
        reader.talk.say(f"The gate code is amber {number}.")
        reader.keep(f"The door code is blue {number}.")
        reader.talk.say(f"My name is Ada{number}.")
        for each in (reader, notebook.with_embedder(embedder)):
            told = each.texts(f"gate code amber {number}") + each.texts(f"door code blue {number}")
            assert any(f"amber {number}" in text for text in told)
            assert any(f"blue {number}" in text for text in told)
            assert any(text.startswith("name: Ada") for text in each.texts("What is my name?"))
        index(reader, "u:ada", "s:monday")


def test_calls_that_open_the_same_logs_in_opposite_orders_both_end(start: START) -> None:
    talk = start()
    for user in ("ada", "bob"):
        talk.say("I like beans.", user=user)
    visibility = visibility_of(talk.services, talk.session, None)
    both_hold_one, view, told = Barrier(2), talk.services.log.view, list[int]()

    def slow_view(*where: Any) -> Any:
        opened = view(*where)
        enter = opened.__enter__

        class Opened:
            def __enter__(self) -> Any:
                held = enter()
                with suppress(BrokenBarrierError):  # where they wait for each other, one holds none yet
                    both_hold_one.wait(timeout=0.2)
                return held

            def __exit__(self, *error: object) -> Any:
                return opened.__exit__(*error)

        return Opened()

    vars(talk.services.log)["view"] = slow_view

    def ask(owners: list[str]) -> None:
        with talk.services.searcher.answering(
            visibility, Search(query="beans", texts=owners[:1], memories=owners[1:])
        ) as answer:
            told.append(answer.searched)

    threads = [Thread(target=ask, args=(order,), daemon=True) for order in (["u:ada", "u:bob"], ["u:bob", "u:ada"])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert len(told) == 2


def test_a_time_of_the_question_is_the_clock_s(notebook: Notebook, clock: Any) -> None:
    clock.time = datetime(2025, 3, 10, tzinfo=UTC)
    notebook.talk.say("I swept the yard.", reply="")
    clock.time = datetime(2026, 3, 10, tzinfo=UTC)
    notebook.talk.say("I mended the gate.", reply="")
    clock.advance(days=1)

    assert turns(notebook.find("What did I do yesterday in March?"))[0] == "I mended the gate."
