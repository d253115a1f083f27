"""Google's ADK over Cairn: its own runner with a scripted model, and its in-memory service as the judge."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from itertools import product
from random import Random

import pytest
from google.adk.agents import Agent
from google.adk.events.event import Event
from google.adk.memory import InMemoryMemoryService
from google.adk.memory.base_memory_service import BaseMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService, Session
from google.adk.tools.preload_memory_tool import PreloadMemoryTool
from google.genai import types
from pydantic import Field

from cairn import Memory
from cairn.frameworks.adk import CairnMemoryService
from cairn.ground.errors import NotFound, Unavailable
from support.frameworks import Place, found_at_home, memory_in_memory, program

APP = "garden"
COMMANDS = 10_000
WORDS = ["".join(each) for each in product(("ba", "do", "fu", "gi", "ko", "lu", "ma"), repeat=3)]


def event(name: str, text: str, author: str = "user") -> Event:
    role = "user" if author == "user" else "model"
    return Event(id=name, author=author, content=types.Content(role=role, parts=[types.Part(text=text)]))


TALK = [event("e1", "Beans need sun."), event("e2", "Noted.", "gardener"), event("e3", "And peas.")]


def session(events: list[Event], user: str = "ada", name: str = "monday") -> Session:
    return Session(id=name, app_name=APP, user_id=user, events=events)


def texts(service: BaseMemoryService, query: str, user: str = "ada", app: str = APP) -> list[str]:
    found = asyncio.run(service.search_memory(app_name=app, user_id=user, query=query))
    return [part.text or "" for memory in found.memories for part in memory.content.parts or ()]


class Scripted(BaseLlm):
    """A model that gives one answer and keeps what it was sent."""

    answer: str
    sent: list[str] = Field(default_factory=list[str])

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - as ADK has it
    ) -> AsyncGenerator[LlmResponse]:
        del stream
        self.sent.append(llm_request.model_dump_json())
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=self.answer)]))


def run(model: Scripted, service: BaseMemoryService, words: str, user: str = "ada") -> None:
    """Play one session of ADK's own loop, whose memory is preloaded, and add it to memory."""

    async def play() -> None:
        agent = Agent(name="gardener", model=model, tools=[PreloadMemoryTool()])
        sessions = InMemorySessionService()
        runner = Runner(agent=agent, app_name=APP, session_service=sessions, memory_service=service)
        begun = await sessions.create_session(app_name=APP, user_id=user)
        said = types.Content(role="user", parts=[types.Part(text=words)])
        async for _ in runner.run_async(user_id=user, session_id=begun.id, new_message=said):
            pass
        ended = await sessions.get_session(app_name=APP, user_id=user, session_id=begun.id)
        assert ended
        await service.add_session_to_memory(ended)

    asyncio.run(play())


def test_a_second_session_s_model_is_told_what_the_first_was(place: Place) -> None:
    first, second, other = (Scripted(model="scripted", answer="Noted.") for _ in range(3))
    run(first, CairnMemoryService(place.memory(), project=place.project), "I live in Oslo and grow beans.")

    run(second, CairnMemoryService(place.memory(), project=place.project), "Where do I grow my beans?")
    run(other, CairnMemoryService(place.memory(), project=place.project), "Where do I grow my beans?", "ben")

    assert "I live in Oslo and grow beans." in second.sent[-1]
    assert "Oslo" not in other.sent[-1]


def test_an_event_is_stored_once_however_often_and_from_wherever_it_comes(place: Place) -> None:
    memory, door = place.counted()
    service = CairnMemoryService(memory, project=place.project)

    asyncio.run(service.add_session_to_memory(session(TALK[:2])))
    asyncio.run(service.add_session_to_memory(session(TALK)))
    asyncio.run(
        service.add_events_to_memory(app_name=APP, user_id="ada", session_id="monday", events=[TALK[2], TALK[0]])
    )
    asyncio.run(CairnMemoryService(place.memory(), project=place.project).add_session_to_memory(session(TALK)))

    assert door.calls == ["memory_after_turn"] * 3
    assert sorted(texts(service, "beans peas Noted")) == ["And peas.", "Beans need sun.", "Noted."]


def test_a_session_whose_answer_was_lost_is_stored_once(place: Place) -> None:
    memory, door = place.counted()
    service = CairnMemoryService(memory, project=place.project)
    door.lose_next = 8

    with pytest.raises(Unavailable):
        asyncio.run(service.add_session_to_memory(session(TALK)))
    asyncio.run(service.add_session_to_memory(session(TALK)))

    assert sorted(texts(service, "beans peas Noted")) == ["And peas.", "Beans need sun.", "Noted."]


def test_one_call_searches(place: Place) -> None:
    memory, door = place.counted()

    texts(CairnMemoryService(memory, project=place.project), "beans")

    assert door.calls == ["recall"]


def test_users_may_have_sessions_of_one_name(place: Place) -> None:
    service = CairnMemoryService(place.memory(), project=place.project)

    asyncio.run(service.add_session_to_memory(session([event("e1", "I grow beans.")])))
    asyncio.run(service.add_session_to_memory(session([event("e1", "I grow peas.")], user="ben")))

    assert texts(service, "What do I grow?") == ["I grow beans."]
    assert texts(service, "What do I grow?", user="ben") == ["I grow peas."]


def test_an_app_is_a_project_unless_one_is_named() -> None:
    memory, _ = memory_in_memory()
    apart, shared = CairnMemoryService(memory), CairnMemoryService(memory, project="all")

    asyncio.run(apart.add_session_to_memory(session(TALK)))
    asyncio.run(shared.add_session_to_memory(session(TALK)))

    assert "Beans need sun." in texts(apart, "beans")
    assert texts(apart, "beans", app="kitchen") == []
    assert "Beans need sun." in texts(shared, "beans", app="kitchen")


def test_what_is_added_as_settled_is_kept_once_and_may_be_deleted(place: Place) -> None:
    service = CairnMemoryService(place.memory(), project=place.project)
    kept = MemoryEntry(content=types.Content(parts=[types.Part(text="The north bed gets four hours of sun.")]))
    for _ in range(2):
        asyncio.run(service.add_memory(app_name=APP, user_id="ada", memories=[kept]))

    found = asyncio.run(service.search_memory(app_name=APP, user_id="ada", query="sun")).memories
    for _ in range(2):
        asyncio.run(service.delete_memory(app_name=APP, user_id="ada", memory_id=found[0].id))

    assert len(found) == 1
    assert texts(service, "sun") == []


def test_what_was_said_has_no_id_and_what_is_not_there_cannot_be_deleted(place: Place) -> None:
    service = CairnMemoryService(place.memory(), project=place.project)
    asyncio.run(service.add_session_to_memory(session(TALK)))

    found = asyncio.run(service.search_memory(app_name=APP, user_id="ada", query="peas")).memories

    assert {memory.id for memory in found} == {None}
    assert {memory.custom_metadata["event_id"] for memory in found} <= {each.id for each in TALK}
    with pytest.raises(NotFound):
        asyncio.run(service.delete_memory(app_name=APP, user_id="ada", memory_id="e1"))


def test_a_memory_says_who_said_it(place: Place) -> None:
    service = CairnMemoryService(place.memory(), project=place.project)
    asyncio.run(service.add_session_to_memory(session(TALK)))

    found = asyncio.run(service.search_memory(app_name=APP, user_id="ada", query="peas noted")).memories

    assert {(_words(each), each.author, each.content.role) for each in found} >= {
        ("Noted.", "assistant", "model"),
        ("And peas.", "user", "user"),
    }


def test_a_user_s_sessions_are_sessions_of_cairn_with_the_events_as_turns(place: Place) -> None:
    asyncio.run(CairnMemoryService(place.memory(), project=place.project).add_session_to_memory(session(TALK)))

    (found,) = {hit.session or "" for hit in place.memory(user="ada").search("beans")}

    assert found.startswith("monday~")
    assert [each.turn_id for each in place.memory().history(session=found)] == ["e1", "e2", "e3"]


def test_what_one_user_added_as_settled_no_other_finds(place: Place) -> None:
    service = CairnMemoryService(place.memory(), project=place.project)
    kept = MemoryEntry(content=types.Content(parts=[types.Part(text="The north bed gets four hours of sun.")]))

    asyncio.run(service.add_memory(app_name=APP, user_id="ada", memories=[kept]))

    assert texts(service, "sun") == ["The north bed gets four hours of sun."]
    assert texts(service, "sun", user="ben") == []


def test_what_a_model_thought_and_events_without_text_are_not_stored(place: Place) -> None:
    memory, door = place.counted()
    thought = types.Content(parts=[types.Part(text="Hm.", thought=True)])

    asyncio.run(
        CairnMemoryService(memory, project=place.project).add_session_to_memory(
            session([Event(id="e1", author="gardener", content=thought), Event(id="e2", author="gardener")])
        )
    )

    assert door.calls == []


def test_a_search_for_no_results_is_refused() -> None:
    with pytest.raises(ValueError, match="max_results"):
        CairnMemoryService(memory_in_memory()[0], max_results=0)


@dataclass
class Story:
    """What one user says in an app: sessions that grow, and events of none."""

    app: str
    user: str
    sessions: dict[str, list[Event]] = field(default_factory=lambda: {"s1": [], "s2": [], "s3": []})


class Player:
    """Plays random commands against a service and its judge, and compares what is found."""

    def __init__(self, seed: int, memory: Memory) -> None:
        self.random = Random(seed)  # noqa: S311 - the same commands in each run
        self.memory = memory
        self.service = CairnMemoryService(memory, max_results=50)
        self.judge = InMemoryMemoryService()
        self.stories = [Story(app, user) for app in ("garden", "kitchen") for user in ("ada", "ben", "cy")]
        self.events = 0
        self.found = 0

    async def play(self, commands: int) -> None:
        for number in range(commands):
            if number % 500 == 0:  # another process
                self.service = CairnMemoryService(self.memory, max_results=50)
            if number % 2000 == 0:
                self.stories = [Story(f"{each.app}-{number}", each.user) for each in self.stories]
            act = self.random.choice((self.say, self.say_apart, self.search, self.search))
            await act(self.random.choice(self.stories))

    async def say(self, story: Story) -> None:
        """Let a session grow and add it whole."""
        name = self.random.choice(sorted(story.sessions))
        events = story.sessions[name]
        events += [self._event() for _ in range(self.random.randrange(3))]
        for each in (self.service, self.judge):
            await each.add_session_to_memory(Session(id=name, app_name=story.app, user_id=story.user, events=events))

    async def say_apart(self, story: Story) -> None:
        """Add some events of a session again, or new ones of none."""
        name = self.random.choice((*sorted(story.sessions), None))
        there = story.sessions[name] if name else []
        events = self.random.sample(there, min(len(there), 2)) if name else [self._event()]
        for each in (self.service, self.judge):
            await each.add_events_to_memory(app_name=story.app, user_id=story.user, session_id=name, events=events)

    async def search(self, story: Story) -> None:
        """Ask for words; Cairn also finds what was said beside them, which the judge does not."""
        words = self.random.sample(WORDS, self.random.randrange(1, 3))
        asked = {"app_name": story.app, "user_id": story.user, "query": " ".join(words)}
        ours, judged = [(await each.search_memory(**asked)).memories for each in (self.service, self.judge)]
        expected = sorted(_words(each) for each in judged)
        matching = sorted(text for text in map(_words, ours) if set(text.split()) & set(words))
        assert len(expected) < 10, "the judge cuts what it finds"
        assert matching == expected, asked
        self.found += len(expected)

    def _event(self) -> Event:
        self.events += 1
        author = self.random.choice(("user", "gardener"))
        return event(f"event-{self.events}", " ".join(self.random.sample(WORDS, 4)), author)


def _words(entry: MemoryEntry) -> str:
    return "".join(part.text or "" for part in entry.content.parts or ())


@pytest.mark.slow
def test_ten_thousand_commands_find_what_adk_s_own_service_finds() -> None:
    player = Player(21, memory_in_memory()[0])

    asyncio.run(player.play(COMMANDS))

    assert player.found > COMMANDS / 10


def test_five_hundred_commands_find_the_same_wherever_memory_is(place: Place) -> None:
    player = Player(22, place.memory())
    for story in player.stories:
        story.app = f"{place.project}/{story.app}"

    asyncio.run(player.play(500))

    assert player.found > 10


def test_the_page_s_program_makes_a_runner_whose_sessions_can_be_added() -> None:
    made = program("use-with-adk.md", model=Scripted(model="scripted", answer="Noted."))
    told = types.Content(role="user", parts=[types.Part(text="I live in Oslo and grow beans.")])
    whose = {"app_name": "garden", "user_id": "ada"}

    async def talk() -> None:
        begun = await made["sessions"].create_session(**whose)
        async for _ in made["runner"].run_async(user_id="ada", session_id=begun.id, new_message=told):
            pass
        await made["memories"].add_session_to_memory(await made["sessions"].get_session(session_id=begun.id, **whose))

    asyncio.run(talk())

    assert "I live in Oslo and grow beans." in found_at_home("beans")
