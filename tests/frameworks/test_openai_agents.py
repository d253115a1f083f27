"""OpenAI's Agents SDK over Cairn: its own runner with a scripted model, and its SQLite session as the judge."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from random import Random
from typing import Any, cast

import pytest
from agents.items import TResponseOutputItem, TResponseStreamEvent
from agents.memory import Session, SessionSettings
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from agents import Agent, ModelResponse, RunConfig, Runner, SQLiteSession, TResponseInputItem, Usage, function_tool
from cairn import Memory
from cairn.frameworks.openai_agents import CairnSession
from cairn.ground.errors import PayloadTooLarge, Unavailable
from support.frameworks import Place, memory_in_memory, program

SEEDS = range(10)
COMMANDS = 1000
"""Of each seed."""
NAMES = ["monday", "a/b", "../x", "", "Grüße 🌱", "x" * 500, "\x00\n\ud800"]
TEXTS = ["", "Beans.", "Grüße 🌱", "\x00", "\ud83c", "line\nline", '"quoted"\\', "x" * 2000]


def item(text: str, role: str = "user") -> TResponseInputItem:
    return cast("TResponseInputItem", {"role": role, "content": text})


def texts(session: Session, limit: int | None = None) -> list[str]:
    return [cast("Any", each)["content"] for each in asyncio.run(session.get_items(limit))]


def add(session: Session, *said: str) -> None:
    asyncio.run(session.add_items([item(text) for text in said]))


@function_tool
def sunlight(bed: str) -> str:
    """Return how much sun a bed gets."""
    return f"The {bed} bed gets four hours of sun."


class Scripted(Model):
    """A model that asks a tool, if told to, gives one answer, and keeps what it was sent."""

    def __init__(self, answer: str, *, asks: bool = False) -> None:
        self.answer = answer
        self.asks = asks
        self.sent: list[str] = []

    async def get_response(self, system_instructions: Any, input: Any, *given: Any, **named: Any) -> ModelResponse:  # noqa: A002 - as the SDK has it
        del system_instructions, given, named
        self.sent.append(json.dumps(input))
        output: TResponseOutputItem = ResponseOutputMessage(
            id=f"msg_{len(self.sent)}",
            type="message",
            role="assistant",
            status="completed",
            content=[ResponseOutputText(type="output_text", text=self.answer, annotations=[])],
        )
        if self.asks and len(self.sent) == 1:
            output = ResponseFunctionToolCall(
                type="function_call", call_id="call_1", name="sunlight", arguments='{"bed": "north"}'
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *given: Any, **named: Any) -> AsyncIterator[TResponseStreamEvent]:
        raise NotImplementedError(given, named)


def run(model: Scripted, session: Session, words: str) -> None:
    agent = Agent(name="gardener", model=model, tools=[sunlight])
    asyncio.run(Runner.run(agent, words, session=session, run_config=RunConfig(tracing_disabled=True)))


def test_a_second_run_s_model_is_sent_all_of_the_first(place: Place) -> None:
    first, second, other = Scripted("In the north bed.", asks=True), Scripted("Beans."), Scripted("What?")
    judge = SQLiteSession("monday")
    for session, model in ((CairnSession("monday", place.memory(user="ada")), first), (judge, Scripted("", asks=True))):
        model.answer = first.answer
        run(model, session, "Where do beans grow?")

    run(second, CairnSession("monday", place.memory(user="ada")), "What grows there?")
    run(other, CairnSession("monday", place.memory(user="ben")), "What grows there?")

    sent = [cast("dict[str, Any]", each) for each in json.loads(second.sent[0])]
    assert [each.get("type", each.get("role")) for each in sent] == [
        *("user", "function_call", "function_call_output", "message", "user")
    ]
    assert sent[2]["output"] == "The north bed gets four hours of sun."
    assert json.dumps(sent[:-1]) == json.dumps(asyncio.run(judge.get_items()))
    assert "beans" not in other.sent[0]


def test_the_newest_items_come_oldest_first(place: Place) -> None:
    session = CairnSession("monday", place.memory(user="ada"), session_settings={"limit": 3})
    add(session, *"abcde")
    everything = CairnSession("monday", place.memory(user="ada"))

    assert texts(session) == ["c", "d", "e"]
    assert texts(session, 4) == ["b", "c", "d", "e"]
    assert texts(everything) == [*"abcde"]
    assert isinstance(session, Session)
    assert session.session_settings == SessionSettings(limit=3)


def test_a_call_of_the_session_is_one_of_the_server(place: Place) -> None:
    memory, door = place.counted(user="ada")
    session = CairnSession("monday", memory)

    add(session, *(str(number) for number in range(64)))
    texts(session)
    asyncio.run(session.pop_item())
    asyncio.run(session.clear_session())
    add(session)
    texts(session, 0)

    tools = ["memory_append_items", "memory_read_items", "memory_take_back_items", "memory_delete_items"]
    assert door.calls == tools


def test_a_call_whose_answer_was_lost_adds_and_takes_nothing_twice(place: Place) -> None:
    memory, door = place.counted(user="ada")
    session = CairnSession("monday", memory)

    door.lose_next = 2
    add(session, *"abc")
    door.lose_next = 2
    popped = asyncio.run(session.pop_item())

    assert popped == item("c")
    assert texts(session) == ["a", "b"]


def test_a_call_that_failed_can_be_made_again(place: Place) -> None:
    memory, door = place.counted(user="ada")
    session = CairnSession("monday", memory)

    door.lose_next = 6
    with pytest.raises(Unavailable):
        add(session, *"abc")
    add(session, *"abc")
    door.lose_next = 6
    with pytest.raises(Unavailable):
        asyncio.run(session.pop_item())
    popped = asyncio.run(session.pop_item())

    assert popped == item("c")
    assert texts(session) == ["a", "b"]


def test_what_is_said_twice_is_added_twice(place: Place) -> None:
    memory, door = place.counted(user="ada")
    session = CairnSession("monday", memory)

    add(session, "Yes.")
    add(session, "Yes.")
    door.lose_next = 6
    with pytest.raises(Unavailable):
        add(session, "Yes.")
    seen = texts(session)
    add(session, "Yes.")

    assert seen == ["Yes."] * 3
    assert texts(session) == ["Yes."] * 4


def test_what_was_popped_can_be_added_again(place: Place) -> None:
    session = CairnSession("monday", place.memory(user="ada"))
    add(session, "a", "b")

    popped = asyncio.run(session.pop_item())
    add(session, "b")

    assert popped == item("b")
    assert texts(session) == ["a", "b"]


def test_users_projects_and_sessions_do_not_meet(place: Place) -> None:
    memory = place.memory(user="ada")
    sessions = [CairnSession(name, memory) for name in NAMES]
    sessions += [
        CairnSession("monday", memory, user="ben"),
        CairnSession("monday", place.memory(project="other", user="ada")),
        CairnSession("monday", place.memory()),
        CairnSession("x" * 501, memory),
    ]

    for number, session in enumerate(sessions):
        add(session, f"said {number}")

    assert [texts(session) for session in sessions] == [[f"said {number}"] for number in range(len(sessions))]
    asyncio.run(sessions[0].clear_session())
    assert [len(texts(session)) for session in sessions] == [0, *[1] * (len(sessions) - 1)]


def test_items_of_megabytes_come_back_and_larger_ones_are_refused(place: Place) -> None:
    session = CairnSession("monday", place.memory(user="ada"))
    large = [item(letter * 1_400_000) for letter in "abc"]

    asyncio.run(session.add_items(large))
    with pytest.raises(PayloadTooLarge):
        add(session, "d" * 2_000_000)

    assert asyncio.run(session.get_items()) == large
    assert asyncio.run(session.pop_item()) == large[-1]


def test_a_long_session_is_added_and_read_in_order(place: Place) -> None:
    session = CairnSession("monday", place.memory(user="ada"))
    said = [str(number) for number in range(1100)]

    add(session, *said)

    assert texts(session) == said
    assert texts(session, 1050) == said[-1050:]


def test_an_add_whose_task_is_cancelled_is_done_all_the_same(place: Place) -> None:
    session = CairnSession("monday", place.memory(user="ada"))

    async def cancelled() -> None:
        adding = asyncio.ensure_future(session.add_items([item("a")]))
        await asyncio.sleep(0)
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding

    asyncio.run(cancelled())

    assert texts(session) == ["a"]


def value(random: Random, depth: int = 3) -> Any:
    """Return any JSON, and what Python's module takes for it."""
    kinds: list[Callable[[], Any]] = [
        lambda: random.choice(TEXTS),
        lambda: random.choice([None, True, False, 0, -1, 2**70, 1.0, -0.0, 1e300, 0.1, float("inf")]),
        lambda: [value(random, depth - 1) for _ in range(random.randrange(3))],
        lambda: {random.choice(TEXTS): value(random, depth - 1) for _ in range(random.randrange(3))},
    ]
    return random.choice(kinds[: 4 if depth else 2])()


def said(random: Random) -> TResponseInputItem:
    return cast("TResponseInputItem", {"role": random.choice(["user", "assistant"]), "content": value(random)})


async def played(session: Session, command: str, argument: Any) -> str:
    """Return what a command answers, as the bytes of its JSON."""
    calls: dict[str, Callable[[], Awaitable[Any]]] = {
        "add": lambda: session.add_items(argument),
        "get": lambda: session.get_items(argument),
        "pop": session.pop_item,
        "clear": session.clear_session,
    }
    return json.dumps(await calls[command]())


def drawn(random: Random) -> tuple[str, Any]:
    """Return a random command with its argument; sessions grow and, at times, end."""
    command = random.choices(["add", "get", "pop", "clear"], [40, 40, 18, 2])[0]
    if command == "add":
        return command, [said(random) for _ in range(random.choice([0, 1, 1, 2, 5]))]
    return command, random.choice([None, None, 0, 1, 2, 7, 100, -1]) if command == "get" else None


def held_to_sqlite(seed: int, memory: Memory, commands: int) -> None:
    """Play random commands in a few sessions, some of which are opened anew between two of them."""
    random = Random(seed)  # noqa: S311 - a test's commands
    names = ["a", "b", "Grüße 🌱"]
    theirs = {name: SQLiteSession(name, session_settings={"limit": 20}) for name in names}
    ours = {name: CairnSession(name, memory, session_settings={"limit": 20}) for name in names}

    async def play() -> None:
        for number in range(commands):
            name, (command, argument) = random.choice(names), drawn(random)
            if random.random() < 0.1:
                ours[name] = CairnSession(name, memory, session_settings=SessionSettings(limit=20))
            expected = await played(theirs[name], command, argument)
            assert (seed, number, await played(ours[name], command, argument)) == (seed, number, expected)

    asyncio.run(play())
    for session in theirs.values():
        session.close()


@pytest.mark.parametrize("seed", SEEDS)
def test_random_commands_answer_as_the_sdk_s_session_in_memory(seed: int) -> None:
    memory, _ = memory_in_memory(user="ada", project="garden")

    held_to_sqlite(seed, memory, COMMANDS)


def test_random_commands_answer_as_the_sdk_s_session_wherever_the_memory_is(place: Place) -> None:
    held_to_sqlite(len(SEEDS), place.memory(user="ada"), 200 if place.key is None else 100)


def test_the_page_s_program_runs() -> None:
    model = Scripted("In the north bed.")
    made = program("use-with-openai-agents.md", model=model)

    assert made["result"].final_output == "In the north bed."
    with Memory(project="garden") as memory:
        assert texts(CairnSession("monday", memory, user="ada"))[:1] == ["I grow beans. Where?"]
