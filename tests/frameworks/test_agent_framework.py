"""Microsoft Agent Framework over Cairn: its own agent, with a chat client that says what it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

import pytest
from agent_framework import (
    Agent,
    AgentResponse,
    AgentSession,
    BaseChatClient,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    ContextProvider,
    FunctionInvocationLayer,
    InMemoryHistoryProvider,
    Message,
    ResponseStream,
    SessionContext,
    tool,
)

from cairn.frameworks.agent_framework import CairnContextProvider
from cairn.ground.errors import Unavailable
from support.frameworks import Place, found_at_home, memory_in_memory, program


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

    def was_told(self) -> str:
        """Return every text of what it was sent last."""
        return "\n".join(message.text for message in self.sent[-1])


def agent(model: Scripted, *providers: ContextProvider, **more: Any) -> Agent[Any]:
    return Agent(client=model, context_providers=list(providers), **more)


def say(to: Agent[Any], words: str, session: AgentSession | None = None) -> None:
    asyncio.run(_say(to, words, session))


async def _say(to: Agent[Any], words: str, session: AgentSession | None) -> None:
    await to.run(words, session=session)


def said(place: Place, session: str) -> list[str]:
    return [each.content for each in place.memory(user="ada").history(session=session)]


def test_a_second_agent_s_model_is_told_what_the_first_was(place: Place) -> None:
    first, second, other = Scripted("Noted."), Scripted("In Oslo."), Scripted("I do not know.")
    say(agent(first, CairnContextProvider(place.memory(user="ada"))), "I live in Oslo and grow beans.")

    say(agent(second, CairnContextProvider(place.memory(user="ada"))), "Where do I grow my beans?")
    say(agent(other, CairnContextProvider(place.memory(user="ben"))), "Where do I grow my beans?")

    assert [message.role for message in first.sent[-1]] == ["user"]
    assert "I live in Oslo and grow beans." in second.was_told()
    assert [message.role for message in second.sent[-1]] == ["user", "user"]
    assert "Oslo" not in other.was_told()


def test_one_call_recalls_and_one_call_stores(place: Place) -> None:
    memory, door = place.counted(user="ada")

    say(agent(Scripted("Noted."), CairnContextProvider(memory)), "I grow beans.")

    assert door.calls == ["memory_before_turn", "memory_after_turn"]


def test_a_session_s_turns_are_stored_in_order_and_once(place: Place) -> None:
    gardener = agent(Scripted("Noted.", "Peas too."), CairnContextProvider(place.memory(user="ada")))
    session = gardener.create_session(session_id="monday")

    say(gardener, "I grow beans.", session)
    say(gardener, "And peas.", session)

    assert said(place, "monday") == ["I grow beans.", "Noted.", "And peas.", "Peas too."]


@pytest.mark.parametrize("is_before", [True, False, None])
def test_what_a_session_s_history_holds_is_not_told_twice(place: Place, *, is_before: bool | None) -> None:
    model = Scripted("Noted.")
    cairn, history = CairnContextProvider(place.memory(user="ada")), InMemoryHistoryProvider()
    providers = {True: [history, cairn], False: [cairn, history], None: [cairn]}[is_before]
    gardener = agent(model, *providers)
    session = gardener.create_session(session_id="monday")
    say(gardener, "I grow beans.", session)

    say(gardener, "Where do the beans go?", session)

    assert model.was_told().count("I grow beans.") == 1


def test_a_history_that_is_loaded_before_is_not_read_again(place: Place) -> None:
    read: list[str | None] = []

    class Afar(InMemoryHistoryProvider):
        """A history that notes when it is read."""

        async def get_messages(self, session_id: str | None, **held: Any) -> list[Message]:
            read.append(session_id)
            return await super().get_messages(session_id, **held)

    gardener = agent(Scripted("Noted."), Afar(), CairnContextProvider(place.memory(user="ada")))

    say(gardener, "I grow beans.", gardener.create_session(session_id="monday"))

    assert read == ["monday"]


def test_a_session_that_nobody_else_keeps_goes_on(place: Place) -> None:
    model = Scripted("Noted.")
    gardener = agent(model, CairnContextProvider(place.memory(user="ada")))
    say(gardener, "The weather was fine.", gardener.create_session(session_id="monday"))

    say(agent(model, CairnContextProvider(place.memory(user="ada"))), "Go on.", AgentSession(session_id="monday"))

    assert "The weather was fine." in model.was_told()


def test_a_session_that_the_model_s_service_keeps_is_not_told_again(place: Place) -> None:
    model = Scripted("Noted.")
    gardener = agent(model, CairnContextProvider(place.memory(user="ada")), default_options={"store": True})
    say(gardener, "The weather was fine.", AgentSession(session_id="monday"))

    say(gardener, "Go on.", AgentSession(session_id="monday", service_session_id="thread"))

    assert "The weather was fine." not in model.was_told()


def test_what_tools_did_is_stored_with_the_turn(place: Place) -> None:
    @tool(approval_mode="never_require")
    def soil(bed: int) -> str:
        """Tell how a bed's soil is."""
        return f"bed {bed} is dry"

    asking = Content.from_function_call("call-1", "soil", arguments={"bed": 2})
    gardener = agent(Scripted(asking, "It is dry."), CairnContextProvider(place.memory(user="ada")), tools=[soil])

    say(gardener, "How is bed 2?", gardener.create_session(session_id="monday"))

    items = [each.item for each in place.memory(user="ada").history(session="monday")]
    assert [item.get("type", "message") for item in items] == [
        "message",
        "function_call",
        "function_call_output",
        "message",
    ]
    assert items[1]["arguments"] == '{"bed": 2}'
    assert "bed 2 is dry" in str(items[2]["output"])


def test_a_run_whose_end_comes_again_is_stored_once(place: Place) -> None:
    memory, door = place.counted(user="ada")
    provider = CairnContextProvider(memory)
    context = SessionContext(session_id="monday", input_messages=[Message("user", ["I grow beans."])])
    context._response = AgentResponse(messages=[Message("assistant", ["Noted."])])  # pyright: ignore[reportPrivateUsage] - as the framework sets it
    session = AgentSession(session_id="monday")
    door.lose_next = 6

    async def end() -> None:
        await provider.after_run(agent=agent(Scripted("")), session=session, context=context, state={})

    with pytest.raises(Unavailable):
        asyncio.run(end())
    asyncio.run(end())

    assert said(place, "monday") == ["I grow beans.", "Noted."]


def test_what_memory_told_is_not_stored_as_if_it_were_said(place: Place) -> None:
    cairn = CairnContextProvider(place.memory(user="ada"))
    say(agent(Scripted("Noted."), cairn), "I live in Oslo and grow beans.")
    model = Scripted("In Oslo.")
    gardener = agent(model, cairn)

    say(gardener, "Where do I grow my beans?", gardener.create_session(session_id="tuesday"))

    assert "untrusted data" in model.was_told()
    assert said(place, "tuesday") == ["Where do I grow my beans?", "In Oslo."]


def test_a_run_without_words_asks_and_stores_nothing() -> None:
    memory, door = memory_in_memory(user="ada", project="garden")
    provider = CairnContextProvider(memory)
    context = SessionContext(session_id="monday", input_messages=[Message("user", ["  "])])
    held: dict[str, Any] = {"agent": agent(Scripted("")), "session": AgentSession(), "context": context, "state": {}}

    asyncio.run(provider.before_run(**held))
    asyncio.run(provider.after_run(**held))

    assert door.calls == []


def test_memory_that_is_not_there_is_told_of() -> None:
    memory, door = memory_in_memory(user="ada", project="garden")
    door.fail_next = 6

    with pytest.raises(Unavailable):
        say(agent(Scripted("Noted."), CairnContextProvider(memory)), "I grow beans.")


def test_how_much_is_recalled_and_whose_can_be_limited() -> None:
    memory, door = memory_in_memory(user="ada", project="garden")
    provider = CairnContextProvider(memory, max_input_tok=500, recall_scope="project")

    say(agent(Scripted("Noted."), provider), "I grow beans.")

    assert {"max_input_tok": 500, "recall_scope": "project"}.items() <= door.asked[0][1].items()


def test_the_page_s_program_stores_what_it_is_told_and_tells_it_the_next() -> None:
    client = Scripted("Noted.")

    for _ in range(2):
        made = program("use-with-agent-framework.md", client=client)
        asyncio.run(made["main"]())
        made["memory"].close()

    assert "I live in Oslo and grow beans." in found_at_home("beans")
    assert "End of memory" in client.was_told()
