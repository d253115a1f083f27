"""Agent Framework's sessions kept by Cairn: its own agent over two runs, and its history in memory as the judge."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from random import Random
from typing import Any

import pytest
from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    HistoryProvider,
    InMemoryHistoryProvider,
    Message,
    ResponseStream,
    tool,
)

from cairn import Memory
from cairn.frameworks.agent_framework import CairnContextProvider, CairnHistoryProvider
from cairn.ground.errors import PayloadTooLarge, Unavailable
from support.frameworks import Place, memory_in_memory

SEEDS = range(10)
COMMANDS = 1000
"""Of each seed."""
NAMES = ["monday", "a/b", "../x", "Grüße 🌱", "x" * 500, "\x00\n\ud800"]


class Scripted(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    """A chat client that gives its answers one after another, the last for ever, and keeps what it was sent."""

    def __init__(self, *answers: Content | str) -> None:
        super().__init__()
        self.answers = list(answers)
        self.sent: list[Sequence[Message]] = []

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Awaitable[ChatResponse[Any]] | ResponseStream[ChatResponseUpdate, ChatResponse[Any]]:
        del stream, options, kwargs
        self.sent.append(list(messages))

        async def answer() -> ChatResponse[Any]:
            said = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            return ChatResponse(messages=[Message("assistant", [said])])

        return answer()


@tool
def sunlight(bed: str) -> str:
    """Return how much sun a bed gets."""
    return f"The {bed} bed gets four hours of sun."


def run(model: Scripted, words: str, *providers: Any, session: str = "monday") -> None:
    async def play() -> None:
        agent = Agent(client=model, context_providers=list(providers), tools=[sunlight])
        await agent.run(words, session=AgentSession(session_id=session))

    asyncio.run(play())


def save(history: HistoryProvider, *said: str, session: str | None = "monday", role: str = "user") -> None:
    asyncio.run(history.save_messages(session, [Message(role, [text]) for text in said]))


def texts(history: HistoryProvider, session: str | None = "monday") -> list[str]:
    return [message.text for message in asyncio.run(history.get_messages(session))]


def test_a_second_run_s_model_is_sent_all_of_the_first(place: Place) -> None:
    asks = Content.from_function_call("call_1", "sunlight", arguments='{"bed": "north"}')
    first, second, other = Scripted(asks, "In the north bed."), Scripted("Beans."), Scripted("What?")
    run(first, "Where do beans grow?", CairnHistoryProvider(place.memory(user="ada")))

    run(second, "What grows there?", CairnHistoryProvider(place.memory(user="ada")))
    run(other, "What grows there?", CairnHistoryProvider(place.memory(user="ben")))

    (sent,) = second.sent
    kinds = [[content.type for content in message.contents] for message in sent]
    assert kinds == [["text"], ["function_call"], ["function_result"], ["text"], ["text"]]
    assert sent[2].contents[0].result == "The north bed gets four hours of sun."
    assert [message.text for message in other.sent[0]] == ["What grows there?"]


def test_a_run_reads_once_and_saves_in_two_calls(place: Place) -> None:
    memory, door = place.counted(user="ada")

    run(Scripted("Noted."), "I grow beans.", CairnHistoryProvider(memory))

    assert door.calls == ["memory_read_items", "memory_read_items", "memory_append_items"]


def test_what_history_holds_memory_does_not_tell_once_more(place: Place) -> None:
    memory, model = place.memory(user="ada"), Scripted("Noted.")

    for words in ("I grow beans.", "Where do the beans go?"):
        run(model, words, CairnHistoryProvider(memory), CairnContextProvider(memory))

    assert "\n".join(message.text for message in model.sent[-1]).count("I grow beans.") == 1


def test_a_transcript_that_comes_whole_once_more_adds_what_is_new(place: Place) -> None:
    history = CairnHistoryProvider(place.memory(user="ada"))

    save(history, "a", "b", role="assistant")
    save(history, "a", "b", "c", role="assistant")
    save(CairnHistoryProvider(place.memory(user="ada")), "b", "c", "d", role="assistant")
    save(history, "Yes.")
    save(history, "Yes.")

    assert texts(history) == ["a", "b", "c", "d", "Yes.", "Yes."]


class Losing:
    """A door that loses the answers of the next appends, and before which something may happen."""

    def __init__(self, behind: Any) -> None:
        self.behind, self.left = behind, 0
        self.before: list[Callable[[], None]] = []
        self.where, self.project = behind.where, behind.project

    def knows_user(self) -> bool:
        return self.behind.knows_user()

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if tool == "memory_append_items" and self.before:
            self.before.pop()()
        answer = self.behind.call(tool, arguments)
        if tool == "memory_append_items" and self.left:
            self.left -= 1
            raise Unavailable("The test lost the answer")
        return answer

    def close(self) -> None:
        self.behind.close()


def test_a_save_whose_answer_was_lost_stores_nothing_twice(place: Place) -> None:
    memory, door = place.counted(user="ada")
    door.behind = losing = Losing(door.behind)
    history = CairnHistoryProvider(memory)

    losing.left = 2
    save(history, "Yes.")
    losing.left = 6
    with pytest.raises(Unavailable):
        save(history, "Yes.")
    save(history, "Yes.")

    assert texts(history) == ["Yes."] * 2


def test_what_was_looked_at_after_a_failure_and_is_said_again_is_new(place: Place) -> None:
    memory, door = place.counted(user="ada")
    door.behind = losing = Losing(door.behind)
    history = CairnHistoryProvider(memory)

    losing.left = 6
    with pytest.raises(Unavailable):
        save(history, "Yes.")
    seen = texts(history)
    save(history, "Yes.")

    assert seen == ["Yes."]
    assert texts(history) == ["Yes."] * 2


def test_a_transcript_that_another_process_saves_meanwhile_is_stored_once(place: Place) -> None:
    memory, door = place.counted(user="ada")
    door.behind = losing = Losing(door.behind)
    other = CairnHistoryProvider(place.memory(user="ada"))

    losing.before.append(lambda: save(other, "a", "b", role="assistant"))
    save(CairnHistoryProvider(memory), "a", "b", "c", role="assistant")

    assert texts(other) == ["a", "b", "c"]


def test_two_processes_save_to_a_session_and_nothing_is_lost(place: Place) -> None:
    histories = [CairnHistoryProvider(place.memory(user="ada")) for _ in range(2)]

    async def race() -> None:
        saves = [(histories[number % 2], Message("user", [str(number)])) for number in range(8)]
        await asyncio.gather(*(history.save_messages("monday", [message]) for history, message in saves))

    asyncio.run(race())

    assert sorted(texts(histories[0])) == [str(number) for number in range(8)]


def test_users_projects_and_sessions_do_not_meet(place: Place) -> None:
    memory = place.memory(user="ada")
    history = CairnHistoryProvider(memory)
    places: list[tuple[CairnHistoryProvider, str | None]] = [(history, name) for name in [*NAMES, None]]
    places += [
        (CairnHistoryProvider(memory, user="ben"), "monday"),
        (CairnHistoryProvider(place.memory()), "monday"),
        (CairnHistoryProvider(place.memory(project="other", user="ada")), "monday"),
    ]

    for number, (each, session) in enumerate(places):
        save(each, f"said {number}", session=session)

    assert [texts(*each) for each in places] == [[f"said {number}"] for number in range(len(places))]


def test_messages_of_megabytes_and_odd_ones_come_back(place: Place) -> None:
    history = CairnHistoryProvider(place.memory(user="ada"))
    said = ["x" * 1_400_000, "\x00\ud83c", "Grüße 🌱", *(str(number) for number in range(100))]

    save(history, *said)
    with pytest.raises(PayloadTooLarge):
        save(history, "x" * 2_000_000)

    assert texts(history) == said


def test_what_compaction_excludes_is_left_out_where_that_is_asked_for(place: Place) -> None:
    memory = place.memory(user="ada")
    said = [Message("user", ["a"], additional_properties={"_excluded": True}), Message("user", ["b"])]

    asyncio.run(CairnHistoryProvider(memory).save_messages("monday", said))

    assert texts(CairnHistoryProvider(memory)) == ["a", "b"]
    assert texts(CairnHistoryProvider(memory, skip_excluded=True)) == ["b"]


def held_to_the_history_in_memory(seed: int, memory: Memory, commands: int) -> None:
    """Save and read at random, some of it again, now and then with a provider that was made anew."""
    random = Random(seed)  # noqa: S311 - commands that anybody may guess
    states = defaultdict[str, dict[str, Any]](dict)
    theirs, ours = InMemoryHistoryProvider(), CairnHistoryProvider(memory)

    def message() -> Message:
        name = random.choice([None, None, f"id-{random.randrange(40)}"])
        return Message(random.choice(["user", "assistant"]), [random.choice(["Yes.", "No.", "🌱"])], message_id=name)

    async def play() -> None:
        nonlocal ours
        for number in range(commands):
            session = f"{random.choice(['a', 'Grüße 🌱'])} {number // 100}"
            if random.random() < 0.1:
                ours = CairnHistoryProvider(memory)
            there = await theirs.get_messages(session, state=states[session])
            if random.random() < 0.7:
                again = random.choice([[], [], there[-1:], there[-3:], there])
                said = [*again, *(message() for _ in range(random.randrange(3)))]
                await theirs.save_messages(session, said, state=states[session])
                await ours.save_messages(session, said)
            else:
                found = [each.to_dict() for each in await ours.get_messages(session)]
                assert (seed, number, found) == (seed, number, [each.to_dict() for each in there])

    asyncio.run(play())


@pytest.mark.parametrize("seed", SEEDS)
def test_random_commands_answer_as_the_framework_s_history_in_memory(seed: int) -> None:
    memory, _ = memory_in_memory(user="ada", project="garden")

    held_to_the_history_in_memory(seed, memory, COMMANDS)


def test_random_commands_answer_as_the_framework_s_history_wherever_the_memory_is(place: Place) -> None:
    held_to_the_history_in_memory(len(SEEDS), place.memory(user="ada"), 100)
