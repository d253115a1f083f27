"""Google's ADK over Cairn: its sessions as ADK's own in memory, and under its own runner over two processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from random import Random
from typing import Any, cast

import pytest
from google.adk.agents import Agent
from google.adk.errors import StaleSessionError
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.platform.time import reset_time_provider, set_time_provider
from google.adk.runners import Runner
from google.adk.sessions import BaseSessionService, InMemorySessionService, Session
from google.adk.sessions.base_session_service import GetSessionConfig
from google.genai import types
from pydantic import BaseModel, Field

from cairn.client.door import Door
from cairn.frameworks.adk import CairnSessionService
from cairn.ground.errors import Unavailable
from support.frameworks import Place, memory_in_memory, program

APP = "garden"
APPS = (APP, "other")
USERS = ("ada", "ben ~#", "ä豆")
SESSIONS = ("monday", " monday ", "x~/", "s" * 300)
NAMES = ("x", "app:x", "user:x", "temp:x", "user:y", "app:ä")
OF_APP: dict[str, Any] = {"app:x": 1}
OF_USER: dict[str, Any] = {"user:x": 1}


def event(name: str, text: str = "Beans need sun.", at: float = 1.0, **state: Any) -> Event:
    content = types.Content(role="user", parts=[types.Part(text=text)])
    return Event(id=name, author="user", content=content, timestamp=at, actions=EventActions(state_delta=state))


class Scripted(BaseLlm):
    """A model that gives one answer and keeps what it was sent."""

    sent: list[str] = Field(default_factory=list[str])

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - as ADK has it
    ) -> AsyncGenerator[LlmResponse]:
        del stream
        self.sent.append(repr([content.parts for content in llm_request.contents]))
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text="Noted.")]))


class Drawn:
    """Random calls of two services, and what both said."""

    def __init__(self, seed: int, theirs: BaseSessionService, ours: BaseSessionService) -> None:
        self.random = Random(seed)  # noqa: S311 - has to be repeatable
        self.services = (theirs, ours)
        self.now, self.sent = 1000.0, 0

    async def step(self) -> None:
        """Make a call of both, and hold what they say to each other."""
        draw = self.random
        self.now += draw.choice([0.5, 1, 3])
        set_time_provider(lambda: self.now)
        place: dict[str, Any] = {"app_name": draw.choice(APPS), "user_id": draw.choice(USERS)}
        name, what = draw.choice(SESSIONS), draw.choice(["create", "get", "get", "list", "delete"] + ["append"] * 6)
        state = {
            draw.choice(NAMES): draw.choice([1, None, "ä\x00", {"a": [1.5]}]) for _ in range(draw.choice([0, 1, 3]))
        }
        most, after = draw.choice([None, None, 0, 1, 3]), draw.choice([None, None, self.now - 9, 0.0])
        config = GetSessionConfig(num_recent_events=most, after_timestamp=after)
        self.sent += 1
        new = event(f"e{self.sent}", f"{self.sent} ä豆\x00", at=self.now, **state)
        new.partial, whose, again = draw.choice([None] * 9 + [True]), draw.random(), draw.random()
        said = list[Any]()
        for service in self.services:
            match what:
                case "create":
                    call = service.create_session(**place, state={**state}, session_id=name)
                case "get":
                    call = service.get_session(**place, session_id=name, config=config)
                case "list":
                    call = service.list_sessions(**place if whose < 0.7 else {"app_name": place["app_name"]})
                case "delete":
                    call = service.delete_session(**place, session_id=name)
                case _:
                    call = _appended(service, place, name, new.model_copy(deep=True), again=again < 0.1)
            said.append(await _answer(call))
            said[-1] = said[-1], await service.get_user_state(**place)
        assert _plain(said[1]) == _plain(said[0]), what


async def _appended(
    service: BaseSessionService, place: dict[str, Any], name: str, new: Event, *, again: bool
) -> tuple[Any, Any]:
    """Append an event to a session as it is stored, and return what is then there."""
    session = await service.get_session(**place, session_id=name)
    lost = Session(**place, id=name.strip())
    stored = await service.append_event(session or lost, new)
    if again and session is not None:
        await service.append_event(session, new)
    return stored, session


def _plain(said: Any) -> Any:
    """Return an answer without what a service notes for itself in a session."""
    if isinstance(said, tuple):
        return [_plain(each) for each in said]  # pyright: ignore[reportUnknownVariableType] - whatever was said
    return said.model_dump() if isinstance(said, BaseModel) else said


async def _answer(call: Any) -> Any:
    try:
        return await call
    except (AlreadyExistsError, SessionNotFoundError) as error:
        return type(error)


@pytest.fixture(autouse=True)
def clock() -> Iterator[None]:
    """Leave ADK its own clock."""
    yield
    reset_time_provider()


@pytest.mark.parametrize("seed", range(20))
def test_random_calls_are_answered_as_by_adk_s_own_service(seed: int) -> None:
    async def main() -> None:
        drawn = Drawn(seed, InMemorySessionService(), CairnSessionService(memory_in_memory(user="zoe")[0]))
        for _ in range(500):
            await drawn.step()

    asyncio.run(main())


def test_random_calls_are_answered_so_over_a_directory_and_a_server(place: Place) -> None:
    async def main() -> None:
        drawn = Drawn(99, InMemorySessionService(), CairnSessionService(place.memory()))
        for _ in range(60):
            await drawn.step()

    asyncio.run(main())


def say(service: BaseSessionService, words: str) -> str:
    """Say something to a new runner of a session, and return what its model was sent."""
    model = Scripted(model="scripted")
    agent = Agent(name="gardener", model=model, output_key="user:answer")

    async def main() -> None:
        runner = Runner(app_name=APP, agent=agent, session_service=service, auto_create_session=True)
        content = types.Content(role="user", parts=[types.Part(text=words)])
        async for _ in runner.run_async(user_id="ada", session_id="monday", new_message=content):
            pass

    asyncio.run(main())
    return model.sent[-1]


def test_a_second_run_goes_on_from_the_session_of_the_first(place: Place) -> None:
    say(CairnSessionService(place.memory()), "I grow beans.")

    assert "I grow beans." in say(CairnSessionService(place.memory()), "What do I grow?")
    stored = asyncio.run(CairnSessionService(place.memory()).get_user_state(app_name=APP, user_id="ada"))
    assert stored == {"answer": "Noted."}


def started(place: Place, **state: Any) -> tuple[CairnSessionService, Session]:
    service = CairnSessionService(place.memory())
    created = service.create_session(app_name=APP, user_id="ada", session_id="monday", state=state)
    return service, asyncio.run(created)


def again(service: CairnSessionService, user: str = "ada", app: str = APP) -> Session | None:
    return asyncio.run(service.get_session(app_name=app, user_id=user, session_id="monday"))


def test_who_did_not_read_the_newest_event_is_told(place: Place) -> None:
    service, first = started(place)
    second = again(service)
    assert second is not None

    async def main() -> None:
        await service.append_event(first, event("e1"))
        with pytest.raises(StaleSessionError):
            await service.append_event(second, event("e2"))
        await service.append_event(first, event("e3"))

    asyncio.run(main())
    stored = again(service)
    assert stored is not None
    assert [each.id for each in stored.events] == ["e1", "e3"]
    config = GetSessionConfig(num_recent_events=1)
    few = asyncio.run(service.get_session(app_name=APP, user_id="ada", session_id="monday", config=config))
    assert few is not None
    assert [each.id for each in few.events] == ["e3"]


class Raced:
    """A door before which another writer is faster: just as the first write is to come."""

    def __init__(self, behind: Door, first: Callable[[], Any]) -> None:
        self._behind, self._first = behind, [first]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._behind, name)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if tool == "memory_put_documents" and self._first:
            self._first.pop()()
        return self._behind.call(tool, arguments)


def test_of_two_that_append_at_once_one_is_told(place: Place) -> None:
    service, first = started(place)
    memory, door = place.counted()
    slow = CairnSessionService(memory)
    second = again(slow)
    assert second is not None
    faster = Raced(door.behind, lambda: asyncio.run(service.append_event(first, event("e1"))))
    door.behind = cast("Door", faster)

    with pytest.raises(StaleSessionError):
        asyncio.run(slow.append_event(second, event("e2", x=1)))

    stored = again(service)
    assert stored is not None
    assert ([each.id for each in stored.events], stored.state) == (["e1"], {})


def test_a_lost_answer_stores_an_event_once(place: Place) -> None:
    memory, door = place.counted()
    service = CairnSessionService(memory)

    async def main() -> None:
        door.lose_next, door.lose_of = 2, "memory_put_documents"
        session = await service.create_session(app_name=APP, user_id="ada", session_id="monday")
        await service.append_event(session, event("e1"))
        told = dict(session)
        door.lose_next, door.lose_of = 99, "memory_put_documents"
        with pytest.raises(Unavailable):
            await service.append_event(session, event("e2", x=1, **OF_APP))
        door.lose_next = 0
        assert dict(session) == told
        door.lose_next = 2
        await service.append_event(session, event("e2", x=1, **OF_APP))
        door.lose_next = 1
        await service.append_event(session, event("e3"))

    asyncio.run(main())
    stored = again(service)
    assert stored is not None
    assert [each.id for each in stored.events] == ["e1", "e2", "e3"]
    assert stored.state == {"x": 1, "app:x": 1}


def test_calls_are_counted(place: Place) -> None:
    memory, door = place.counted()
    service = CairnSessionService(memory)
    names: dict[str, Any] = {"app_name": APP, "user_id": "ada"}

    async def main() -> None:
        session = await service.create_session(**names, session_id="monday")
        assert len(door.calls) == 4
        for call, trips in (
            (service.append_event(session, event("e1", x=1, **OF_USER)), 2),
            (service.append_event(session, event("e2", **OF_APP)), 4),
            (service.get_session(**names, session_id="monday"), 3),
            (service.list_sessions(**names), 3),
            (service.get_user_state(**names), 1),
            (service.delete_session(**names, session_id="monday"), 4),
        ):
            del door.calls[:]
            await call
            assert len(door.calls) == trips

    asyncio.run(main())


def test_megabytes_come_back_and_leave_nothing(place: Place) -> None:
    service, session = started(place, x='ä"\\' * 300_000)
    many = [event(f"e{number}", at=float(number)) for number in range(130)]

    async def main() -> None:
        await service.append_event(session, event("large", '"\\ä' * 500_000, at=0.0))
        for each in many:
            await service.append_event(session, each)

    asyncio.run(main())
    stored = again(service)
    assert stored is not None
    assert [each.id for each in stored.events] == ["large", *(each.id for each in many)]
    assert stored == session
    asyncio.run(service.delete_session(app_name=APP, user_id="ada", session_id="monday"))
    assert place.memory(user="ada", project=APP).documents().search(("adk-sessions",)) == ()


def test_users_apps_and_projects_never_meet(place: Place) -> None:
    service, _ = started(place, **{"user:x": 1, "app:x": 2})

    assert again(service, user="ben") is None
    assert again(service, app="other") is None
    assert again(CairnSessionService(place.memory(), project=place.project)) is None
    assert asyncio.run(service.get_user_state(app_name=APP, user_id="ben")) == {}


def test_the_page_s_program_goes_on() -> None:
    model = Scripted(model="scripted")
    for _ in range(2):
        program("use-with-adk.md", 1, model=model)["memory"].close()

    assert model.sent[1].count("I grow beans.") == 2
