"""Strands' sessions over Cairn: as its own repository of files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from strands.session.file_session_manager import FileSessionManager
from strands.types.exceptions import SessionException
from strands.types.session import Session, SessionAgent, SessionMessage, SessionType

from cairn.frameworks.strands import CairnSessionRepository
from support.frameworks import Place, memory_in_memory

SESSIONS = ("s1", "s-ä豆", "x y~")
AGENTS = ("a", "b.c")


def message(text: str, number: int = 0) -> SessionMessage:
    return SessionMessage(
        message={"role": "user", "content": [{"text": text}]}, message_id=number, created_at=text, updated_at="now"
    )


def agent(name: str = "a", **state: Any) -> SessionAgent:
    return SessionAgent(name, state, {"removed": 0}, created_at=str(state), updated_at="now")


def told(draw: Random, store: Any) -> Any:
    """Make a call of a repository and return what it says; the same of each for the same state of `draw`."""
    session, name, number = draw.choice(SESSIONS), draw.choice(AGENTS), draw.randrange(12)
    text, limit, offset = f"{draw.random()} ä\x00", draw.choice([None, None, 0, 1, 3]), draw.choice([0, 0, 1, 5, 99])
    content: Any = [{"text": text}, {"image": {"format": "png", "source": {"bytes": b"\x00\xff"}}}]
    new = SessionMessage({"role": "user", "content": content}, number, created_at=text, updated_at="now")
    redacted = replace(new, redact_message={"role": "user", "content": [{"text": "redacted"}]})
    calls: list[Callable[[], Any]] = [
        lambda: store.create_session(Session(session, SessionType.AGENT, text, text)),
        lambda: store.read_session(session),
        lambda: (store.delete_session(session), begin(store, session)),
        lambda: store.create_agent(session, agent(name, at=text)),
        lambda: store.read_agent(session, name),
        lambda: store.update_agent(session, agent(name, now=text)),
        *[lambda: store.create_message(session, name, new)] * 4,
        lambda: store.update_message(session, name, redacted),
        lambda: store.read_message(session, name, number),
        *[lambda: store.list_messages(session, name, limit, offset)] * 2,
    ]
    try:
        return draw.choice(calls)()
    except SessionException:
        return SessionException


def begin(store: Any, session: str) -> None:
    """Make a session with its agents: the repository of files keeps parts of a session that nobody created."""
    store.create_session(Session(session, SessionType.AGENT, "", ""))
    for name in AGENTS:
        store.create_agent(session, agent(name))


def held(seed: int, steps: int, theirs: Any, ours: Any) -> None:
    """Make random calls of both and hold what they say to each other."""
    draw = Random(seed)  # noqa: S311 - has to be repeatable
    for session in SESSIONS:
        begin(theirs, session)
        begin(ours, session)
    for step in range(steps):
        state = draw.getstate()
        expected = told(draw, theirs)
        draw.setstate(state)
        assert told(draw, ours) == expected, (seed, step)


@pytest.mark.parametrize("seed", range(10))
def test_random_calls_are_answered_as_by_strands_own_repository(seed: int, tmp_path: Path) -> None:
    theirs = FileSessionManager("unused", storage_dir=str(tmp_path))

    held(seed, 1000, theirs, CairnSessionRepository(memory_in_memory(user="ada", project="garden")[0]))


def test_random_calls_are_answered_so_over_a_directory_and_a_server(place: Place, tmp_path: Path) -> None:
    theirs = FileSessionManager("unused", storage_dir=str(tmp_path))

    held(99, 90, theirs, CairnSessionRepository(place.memory(user="ada")))


def test_a_new_message_is_one_call_and_a_change_two(place: Place) -> None:
    memory, door = place.counted(user="ada")
    repository = CairnSessionRepository(memory)
    repository.create_session(Session("s", SessionType.AGENT))
    repository.create_agent("s", agent())
    repository.create_message("s", "a", message("x"))
    repository.list_messages("s", "a")
    repository.read_agent("s", "a")
    assert len(door.calls) == 5
    repository.update_agent("s", agent(now=1))
    repository.update_message("s", "a", message("y"))
    assert len(door.calls) == 5 + 4


def test_a_lost_answer_stores_once(place: Place) -> None:
    memory, door = place.counted(user="ada")
    repository = CairnSessionRepository(memory)
    for write in (
        lambda: repository.create_session(Session("s", SessionType.AGENT)),
        lambda: repository.create_agent("s", agent()),
        lambda: repository.create_message("s", "a", message("x")),
        lambda: repository.update_message("s", "a", message("y")),
    ):
        door.lose_next, door.lose_of = 1, "memory_put_documents"
        write()

    assert [each.message["content"][0].get("text") for each in repository.list_messages("s", "a")] == ["y"]


def test_megabytes_odd_names_and_long_lists_come_back_and_go(place: Place) -> None:
    memory = place.memory(user="ada")
    repository = CairnSessionRepository(memory)
    session, name, text = "a/../b\x00", "\ud800" * 300, '"\\ä\ud800' * 300_000
    repository.create_session(Session(session, SessionType.AGENT))
    repository.create_agent(session, agent(name))
    repository.create_message(session, name, message(text))
    for number in range(1, 130):
        repository.create_message(session, name, message(str(number), number))

    read = repository.list_messages(session, name)
    assert [each.message_id for each in read] == list(range(130))
    assert read[0].message["content"][0].get("text") == text
    assert [each.message_id for each in repository.list_messages(session, name, offset=128)] == [128, 129]
    repository.delete_session(session)
    assert memory.documents().search(("strands-sessions",)) == ()
    with pytest.raises(ValueError, match="number"):
        repository.read_message(session, name, "1")  # pyright: ignore[reportArgumentType] - refused, as Strands does


def test_users_and_projects_never_meet(place: Place) -> None:
    CairnSessionRepository(place.memory(user="ada")).create_session(Session("s", SessionType.AGENT))

    for other in (place.memory(user="ben"), place.memory(user="ada", project=f"{place.project}-2"), place.memory()):
        assert CairnSessionRepository(other).read_session("s") is None


def test_the_state_of_agents_that_work_together_is_kept(place: Place) -> None:
    class Graph:
        id = "graph"
        state: dict[str, Any] = {"step": 1}  # noqa: RUF012 - what Strands' own have is a property

        def serialize_state(self) -> dict[str, Any]:
            return self.state

    graph: Any = Graph()
    repository = CairnSessionRepository(place.memory(user="ada"))
    with pytest.raises(SessionException):
        repository.update_multi_agent("s", graph)
    repository.create_multi_agent("s", graph)
    graph.state = {"step": 2}
    repository.update_multi_agent("s", graph)

    assert repository.read_multi_agent("s", "graph") == {"step": 2}
    assert repository.read_multi_agent("s", "other") is None
    repository.create_session(Session("s", SessionType.AGENT))
    repository.delete_session("s")
    assert repository.read_multi_agent("s", "graph") is None


def test_an_agent_that_is_not_there_has_no_list_of_messages(place: Place) -> None:
    repository = CairnSessionRepository(place.memory(user="ada"))
    repository.create_agent("s", agent("b"))

    assert repository.list_messages("s", "b") == []
    with pytest.raises(SessionException):
        repository.list_messages("s", "a")
