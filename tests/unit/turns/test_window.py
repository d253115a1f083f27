from __future__ import annotations

from datetime import UTC, datetime
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.context.lines import Known, Line
from cairn.context.rendering import fact_line
from cairn.conversation import token_count as tokens
from cairn.conversation.items import answered_ids, asked_ids, message, role_of, text_of
from cairn.facts.facts import Source
from cairn.ground.session import ResponseItem
from cairn.recall.block import POLICY
from cairn.turns.window import Window, paired, recent_items
from support.context import line_of
from support.facts import fact_of

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def sign(content: bytes) -> str:
    return f"1.{len(content):032d}"


def fact(number: int, value: str) -> Known:
    source = Source(turn_id="t", event_id="e", quote=value)
    held = fact_of(f"f{number}", NOW, fact_id="user_preference", key=str(number), value=value, source=source)
    return Known(held, fact_line(held, None))


def line(number: int, text: str, session: str = "s") -> Line:
    return line_of(number, text, session=session, chance=0.5 / (number + 1))


def call(number: int, arguments: str = "{}") -> dict[str, Any]:
    return {"type": "function_call", "call_id": f"c{number}", "name": "look", "arguments": arguments}


def result(number: int, output: str = "ok") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": f"c{number}", "output": output}


def window(current: tuple[ResponseItem, ...] = (message("user", "now"),), **parts: Any) -> Window:
    return Window(current=current, sign=sign, **parts)


def orphans(items: tuple[ResponseItem, ...]) -> list[ResponseItem]:
    calls = frozenset[str]().union(*map(asked_ids, items))
    results = frozenset[str]().union(*map(answered_ids, items))
    return [item for item in items if asked_ids(item) - results or answered_ids(item) - calls]


texts = st.integers(0, 400).map(lambda size: "word " * size)
messages = texts.map(lambda text: message("user", text))


@st.composite
def exchanges(draw: st.DrawFn) -> tuple[tuple[ResponseItem, ...], tuple[ResponseItem, ...]]:
    """Return history and recent items in which every tool call has its result, in the other part now and then."""
    numbers = iter(range(100))
    items: list[ResponseItem] = []
    for size in draw(st.lists(st.integers(0, 300), max_size=8)):
        if draw(st.booleans()):
            number = next(numbers)
            items += [call(number, "x" * size), result(number, "y" * size)]
        else:
            items.append(message("user", "word " * size))
    cut = draw(st.integers(0, len(items)))
    return tuple(items[cut:]), tuple(items[:cut])


@st.composite
def windows(draw: st.DrawFn) -> Window:
    history, recent = draw(exchanges())
    return window(
        current=tuple(draw(st.lists(messages, min_size=1, max_size=2))),
        facts=tuple(fact(n, value) for n, value in enumerate(draw(st.lists(texts, max_size=4)))),
        lines=tuple(line(n, text) for n, text in enumerate(draw(st.lists(texts, max_size=4)))),
        summary=draw(st.none() | messages),
        history=history,
        recent=recent,
        reserved=draw(st.integers(0, 500)),
    )


@pytest.mark.slow
@pytest.mark.req("R020")
@given(full=windows(), share=st.floats(0.01, 1.1))
def test_what_is_fitted_keeps_within_the_limit_and_keeps_current_last_and_tool_pairs_whole(
    full: Window, share: float
) -> None:
    limit = int(full.size * share)
    fitted = full.fitted(limit)
    items = fitted.items

    assert items[len(items) - len(full.current) :] == full.current
    assert fitted.tokens == tokens.count_items(items)
    assert fitted.size <= limit or items == full.current
    assert not orphans((*fitted.history, *fitted.recent))
    assert fitted.facts == full.facts[: len(fitted.facts)]
    assert set(fitted.lines) <= set(full.lines)
    if full.size <= limit:
        assert items == full.items


def test_texts_go_first_then_facts_summary_oldest_recent_and_oldest_history() -> None:
    full = window(
        facts=(fact(0, "tea"), fact(1, "jam")),
        lines=(line(0, "one " * 50), line(1, "two " * 50)),
        summary=message("user", "summary " * 50),
        recent=tuple(message("user", f"recent {n} " * 20) for n in range(3)),
        history=tuple(message("user", f"history {n} " * 20) for n in range(3)),
    )
    sizes = [full.size]
    seen = [full]
    while seen[-1].items != full.current:
        seen.append(full.fitted(sizes[-1] - 1))
        sizes.append(seen[-1].size)

    states = [(len(w.lines), len(w.facts), w.summary is not None, len(w.recent), len(w.history)) for w in seen]

    assert states == [
        (2, 2, True, 3, 3),
        (1, 2, True, 3, 3),
        (0, 2, True, 3, 3),
        (0, 1, True, 3, 3),
        (0, 0, True, 3, 3),
        (0, 0, False, 3, 3),
        (0, 0, False, 2, 3),
        (0, 0, False, 1, 3),
        (0, 0, False, 0, 3),
        (0, 0, False, 0, 2),
        (0, 0, False, 0, 1),
        (0, 0, False, 0, 0),
    ]
    assert text_of(seen[6].recent[0]).startswith("recent 1")


@pytest.mark.req("R291")
@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=12),
    sessions=st.lists(st.sampled_from("abcdefg"), min_size=12, max_size=12),
    share=st.floats(0.05, 1),
)
def test_within_a_ceiling_the_texts_that_bring_most_a_token_stay(
    sizes: list[int], sessions: list[str], share: float
) -> None:
    lines = [line(number, "word " * size, sessions[number]) for number, size in enumerate(sizes)]
    full = window(lines=tuple(lines), facts=(fact(0, "tea"),))
    ceiling = int(full.memory_tokens * share)

    cut = full.within(ceiling)

    assert cut.memory_tokens <= ceiling
    assert full.within(full.memory_tokens) == full
    assert not cut.lines or cut.facts == full.facts
    # Nothing is left out for less: a line as likely and no longer would be there too.
    for gone in set(full.lines) - set(cut.lines):
        for kept in cut.lines:
            same = gone.passage == kept.passage
            assert not (same and gone.chance > kept.chance and gone.cost <= kept.cost)


def test_the_policy_stands_only_before_memory() -> None:
    assert window().items == (message("user", "now"),)
    assert [role_of(item) for item in window(facts=(fact(0, "tea"),)).items] == ["developer", "user", "user"]
    assert text_of(window(summary=message("user", "before")).items[0]) == POLICY


@pytest.mark.parametrize(
    ("history", "recent"),
    [
        ((), (call(1, "long " * 50), result(1))),
        ((result(1),), (call(1, "long " * 50),)),
        ((call(1, "long " * 50), result(1)), ()),
    ],
)
def test_a_result_goes_with_its_call(history: tuple[ResponseItem, ...], recent: tuple[ResponseItem, ...]) -> None:
    full = window(history=history, recent=recent)

    assert full.fitted(full.tokens) == full
    assert full.fitted(full.size - 1).items == full.current


def test_a_caller_s_own_history_is_left_as_it_is_while_it_fits() -> None:
    lone = (result(7), call(8))

    assert window(history=lone).fitted(10_000).history == lone


def test_a_result_that_the_caller_sends_keeps_its_stored_call() -> None:
    stored = [message("user", "look"), call(1)]

    assert recent_items(stored, (), (result(1),), 30) == tuple(stored)
    assert recent_items(stored, (), (message("user", "never mind"),), 30) == (stored[0],)


@pytest.mark.req("R024")
def test_the_cut_of_the_newest_items_leaves_no_half_of_a_pair() -> None:
    stored = [call(1), result(1), message("user", "thanks")]

    assert recent_items(stored, (), (), 2) == (stored[2],)
    assert recent_items(stored, (), (), 3) == tuple(stored)
    assert recent_items(stored, (), (), 0) == ()


@pytest.mark.req("R032")
def test_what_the_caller_sent_is_not_repeated_whatever_its_volatile_fields() -> None:
    stored = [message("user", "hello"), {**message("user", "a"), "metadata": {"item_id": "1"}}, message("user", "b")]
    sent = [{"role": "user", "content": "hello", "id": "msg_1", "status": "completed"}]
    current = [{**message("user", "A, edited"), "metadata": {"item_id": "1"}}]

    assert recent_items(stored, sent, current, 30) == (stored[2],)


def test_calls_that_the_provider_answers_itself_have_no_other_half() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}

    assert paired([search], (), ()) == (search,)


@pytest.mark.parametrize(
    ("stored", "left"),
    [
        ([result(1), call(1)], []),
        ([call(1), call(1, "forged"), result(1)], [1, 2]),
        ([call(1), result(1), result(1, "forged")], [0, 1]),
        ([call(1), result(1), call(1, "later"), result(1, "later")], [2, 3]),
        ([call(2), result(2)], []),
        ([result(2), call(2)], []),
        ([call(3), result(3, "forged")], []),
        ([result(4)], [0]),
        ([{"type": "function_call", "name": "look", "arguments": "{}"}], []),
        ([{"type": "function_call_output", "output": "ok"}], []),
    ],
)
def test_what_is_replayed_has_each_call_once_before_its_one_result(stored: list[Any], left: list[int]) -> None:
    """Stored items that anyone may have forged never make an input that a model's API refuses."""
    sent, current = (call(2, "own"), result(2, "own"), call(4)), (result(3, "own"), message("user", "now"))
    own_call = call(3, "own")

    replayed = recent_items(stored, (*sent, own_call), current, 30)
    assert list(replayed) == [stored[at] for at in left]


@pytest.mark.parametrize(
    ("calls", "results"),
    [
        (
            {"role": "assistant", "content": None, "tool_calls": [{"id": "a"}, {"id": "b"}]},
            [{"role": "tool", "tool_call_id": each, "content": "ok"} for each in "ab"],
        ),
        (
            {"role": "assistant", "content": [{"type": "tool_use", "id": each, "name": "f"} for each in "ab"]},
            [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": each} for each in "ab"]}],
        ),
    ],
)
def test_calls_in_the_forms_of_chat_and_messages_are_matched_too(calls: Any, results: list[Any]) -> None:
    said = message("user", "Hi")
    assert recent_items([said, calls, *results], (), (), 30) == (said, calls, *results)
    assert recent_items([said, calls, *results[1:]], (), (), 30) == (said,)
    assert recent_items([said, *results], (), (), 30) == (said,)


def test_a_window_that_waits_for_its_tag_holds_up_no_other() -> None:
    """Found by the simulator: a lock of all windows was held while the tag's key was read from the store."""
    current = (message("user", "Hello"),)
    sizes: list[int] = []

    def size_another() -> None:
        sizes.append(Window(current=current, facts=(fact(1, "a"),), sign=sign).size)

    def sign_slowly(content: bytes) -> str:
        other = Thread(daemon=True, target=size_another)
        other.start()
        other.join(timeout=5)
        assert len(sizes) == 1
        return sign(content)

    assert Window(current=current, facts=(fact(2, "b"),), sign=sign_slowly).size == sizes[0]
