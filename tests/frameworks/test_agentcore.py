"""AWS's own clients of AgentCore Memory, unmodified, at Cairn's address: nothing is set but the endpoint and a key."""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any, cast
from uuid import uuid4

import boto3
import pytest
from botocore.exceptions import ClientError
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph_checkpoint_aws import AgentCoreMemorySaver, AgentCoreMemoryStore
from strands import Agent
from strands.memory import AddMessagesContext, MemoryManager
from strands.models import Model
from strands.types.content import Messages

from cairn.access.api_keys import Grant, parse
from cairn.local.store import LOCAL_TENANT, operator_services
from support.installed import ROOT, environment, served

with warnings.catch_warnings():  # the package declares models as pydantic 1 had them
    warnings.simplefilter("ignore", DeprecationWarning)
    from bedrock_agentcore.memory import MemoryClient
    from bedrock_agentcore.memory.integrations.strands.config import AgentCoreMemoryConfig, RetrievalConfig
    from bedrock_agentcore.memory.integrations.strands.memorystore.store import AgentCoreMemoryStore as StrandsStore
    from bedrock_agentcore.memory.integrations.strands.session_manager import AgentCoreMemorySessionManager

pytestmark = pytest.mark.enable_socket

ACTOR = "user/ada:1"
SOURCES = os.pathsep.join(str(ROOT / each) for each in ("layers/core", "functions"))
OF_THE_SAVER = {"test_put_writes_idempotent", "test_delete_thread_removes_all_namespaces"}
"""What AWS's saver does not do, whatever answers it."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Yield the environment by which AWS's clients come to a `cairn serve` that runs until the end."""
    home = tmp_path_factory.mktemp("agentcore")
    told = environment(home, PYTHONPATH=SOURCES, CAIRN_EMBEDDING_EMBEDDER="none")
    issued = operator_services(home / "data", {}).credentials.create(LOCAL_TENANT, Grant(), derived=True)
    key = parse(issued.text)
    assert key is not None
    with served(home, told, "--data", str(home / "data")) as started:
        yield {
            "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE": f"{started.origin}/agentcore",
            "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL": f"{started.origin}/agentcore",
            "AWS_ACCESS_KEY_ID": key.access_key_id,
            "AWS_SECRET_ACCESS_KEY": key.secret,
            "AWS_DEFAULT_REGION": "eu-central-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }


@pytest.fixture(autouse=True)
def _at_the_address(address: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in address.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def memory_id() -> str:
    """Return the id of a memory that nobody has used."""
    return f"cairn_{uuid4().hex[:12]}-0123456789"


class Scripted(Model):
    """A model that gives one answer and keeps what it was sent."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.sent: list[Messages] = []

    def update_config(self, **model_config: Any) -> None:
        """Know no configuration."""

    def get_config(self) -> dict[str, Any]:
        return {}

    async def stream(self, messages: Messages, *given: Any, **named: Any) -> AsyncIterable[Any]:  # pyright: ignore[reportIncompatibleMethodOverride] - what else is sent to a model is not looked at
        del given, named
        self.sent.append([*messages])
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockDelta": {"delta": {"text": self.answer}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}

    async def structured_output(self, *given: Any, **named: Any) -> AsyncGenerator[dict[str, Any]]:  # pyright: ignore[reportIncompatibleMethodOverride] - as above
        raise NotImplementedError(given, named)
        yield {}

    def was_told(self) -> str:
        """Return every text of what it was sent last."""
        return "\n".join(block.get("text", "") for message in self.sent[-1] for block in message["content"])


def _for(config: Any) -> Any:
    """Return a config that names the actor, which the suite's do not."""
    return None if config is None else {**config, "configurable": {**config["configurable"], "actor_id": ACTOR}}


def _bare(config: Any) -> Any:
    if config is None:
        return None
    return {
        **config,
        "configurable": {name: each for name, each in config["configurable"].items() if name != "actor_id"},
    }


class SaverForOneActor(AgentCoreMemorySaver):
    """AWS's saver with the actor that it asks for beside what the suite knows, added on the way in and taken out."""

    def get_tuple(self, config: Any) -> Any:
        found = super().get_tuple(_for(config))
        return found and found._replace(config=_bare(found.config), parent_config=_bare(found.parent_config))

    def list(self, config: Any, **chosen: Any) -> Iterator[Any]:
        for each in super().list(_for(config), **chosen):
            yield each._replace(config=_bare(each.config), parent_config=_bare(each.parent_config))

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        return _bare(super().put(_for(config), checkpoint, metadata, new_versions))

    def put_writes(self, config: Any, *told: Any, **more: Any) -> None:
        super().put_writes(_for(config), *told, **more)

    def delete_thread(self, thread_id: str, actor_id: str = ACTOR) -> None:
        super().delete_thread(thread_id, actor_id)

    async def aget_tuple(self, config: Any) -> Any:
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(self, config: Any, **chosen: Any) -> AsyncIterator[Any]:
        for each in await asyncio.to_thread(lambda: [*self.list(config, **chosen)]):
            yield each

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config: Any, *told: Any, **more: Any) -> None:
        await asyncio.to_thread(lambda: self.put_writes(config, *told, **more))

    async def adelete_thread(self, thread_id: str, actor_id: str = ACTOR) -> None:
        await asyncio.to_thread(self.delete_thread, thread_id, actor_id)


@pytest.mark.req("R315")
def test_langgraph_s_conformance_suite_passes_through_aws_s_saver_but_for_what_that_lacks() -> None:
    @checkpointer_test(name="AgentCoreMemorySaver")
    async def saver() -> AsyncGenerator[Any]:
        yield SaverForOneActor(f"conformance_{uuid4().hex[:8]}-0123456789")

    report = asyncio.run(validate(saver))

    run = [each for each in report.results.values() if each.detected]
    failed = {line.split(":")[0] for each in run for line in each.failures}
    assert failed == OF_THE_SAVER
    assert sum(each.tests_passed for each in run) == 56


@pytest.mark.req("R315")
def test_langgraph_s_store_finds_what_was_said_to_it(memory_id: str) -> None:
    store = AgentCoreMemoryStore(memory_id=memory_id)

    store.put((ACTOR, "monday"), "m1", {"message": HumanMessage("I live in Oslo and love coffee.")})

    found = store.search(("facts", ACTOR), query="Where do I live?")
    assert any("Oslo" in str(each.value["content"]) for each in found)
    assert all(store.get(("facts", ACTOR), each.key) is not None for each in found)
    assert store.get(("facts", ACTOR), "mem-" + "0" * 36) is None
    assert store.search(("facts", "eve"), query="Where do I live?") == []


@pytest.mark.req("R315")
def test_a_strands_agent_goes_on_in_a_second_run_where_the_first_one_ended(memory_id: str) -> None:
    config = AgentCoreMemoryConfig(
        memory_id=memory_id,
        session_id="monday",
        actor_id=ACTOR,
        retrieval_config={"/facts/{actorId}": RetrievalConfig(relevance_score=0.0)},
    )
    first, second = Scripted("Noted."), Scripted("In Oslo.")
    with AgentCoreMemorySessionManager(config, region_name="eu-central-1") as manager:
        Agent(model=first, session_manager=manager, agent_id="a", callback_handler=None)("I live in Oslo.")
    with AgentCoreMemorySessionManager(config, region_name="eu-central-1") as manager:
        agent = Agent(model=second, session_manager=manager, agent_id="a", callback_handler=None)
        agent("Where do I live?")

    assert [message["role"] for message in second.sent[0]] == ["user", "assistant", "user"]
    assert "I live in Oslo." in second.was_told()
    assert len(agent.messages) == 4
    elsewhere = AgentCoreMemoryConfig.model_validate({**config.model_dump(), "session_id": "tuesday"})
    third = Scripted("In Oslo.")
    with AgentCoreMemorySessionManager(elsewhere, region_name="eu-central-1") as manager:
        Agent(model=third, session_manager=manager, agent_id="a", callback_handler=None)("Where do I live?")
    assert "Oslo" in third.was_told()


@pytest.mark.req("R315")
def test_strands_memory_store_tells_an_agent_what_another_session_said(memory_id: str) -> None:
    def store(session: str, *, writable: bool) -> StrandsStore:
        return StrandsStore(
            memory_id=memory_id, actor_id=ACTOR, session_id=session, namespace="/facts/{actorId}", writable=writable
        )

    writing = store("monday", writable=True)
    messages: Any = [{"role": "user", "content": [{"text": "I live in Oslo."}]}]
    for _ in range(2):
        asyncio.run(writing.add_messages(messages, AddMessagesContext(sequence_numbers=[1])))

    found = asyncio.run(store("tuesday", writable=False).search("Where do I live?"))
    assert any("Oslo" in each.content for each in found)
    events = MemoryClient(region_name="eu-central-1").list_events(memory_id, ACTOR, "monday")
    assert len(events) == 1
    model = Scripted("In Oslo.")
    manager = MemoryManager([store("tuesday", writable=False)], injection=True)
    Agent(model=model, memory_manager=manager, callback_handler=None)("Where do I live?")
    assert "Oslo" in model.was_told()


@pytest.mark.req("R315")
def test_aws_s_memory_client_keeps_branches_and_retrieves(memory_id: str) -> None:
    client = MemoryClient(region_name="eu-central-1")
    first = client.create_event(memory_id, ACTOR, "monday", [("I live in Oslo.", "USER"), ("Noted.", "ASSISTANT")])
    client.create_event(memory_id, ACTOR, "monday", [("And I grow beans.", "USER")])
    client.fork_conversation(memory_id, ACTOR, "monday", first["eventId"], "other", [("I grow peas.", "USER")])

    branches = client.list_branches(memory_id, ACTOR, "monday")
    assert {each["name"]: each["eventCount"] for each in branches} == {"main": 2, "other": 1}
    assert len(client.list_branch_events(memory_id, ACTOR, "monday", "other", include_parent_branches=True)) == 2
    turns = client.get_last_k_turns(memory_id, ACTOR, "monday", k=5)
    assert turns[-1][0]["content"]["text"] == "I live in Oslo."
    found = client.retrieve_memories(memory_id, namespace=f"/facts/{ACTOR}", query="Where do I live?")
    assert any("Oslo" in each["content"]["text"] for each in found)
    assert memory_id in [each["id"] for each in client.list_memories()]
    assert client.get_memory_status(memory_id) == "ACTIVE"


@pytest.mark.req("R315")
def test_boto3_sees_typed_errors_and_its_own_writes_at_once(memory_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = cast("Any", boto3.Session()).client("bedrock-agentcore")
    place = {"memoryId": memory_id, "actorId": ACTOR, "sessionId": "monday"}
    for number in range(20):
        event = client.create_event(**place, eventTimestamp=datetime.now(UTC), payload=[{"blob": number}])["event"]
        assert client.list_events(**place, maxResults=1)["events"] == [event]

    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.get_event(**place, eventId="0000000000000000001#00000000")
    with pytest.raises(client.exceptions.ValidationException):
        client.create_event(**{**place, "memoryId": "no-such-name"}, eventTimestamp=0, payload=[])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    wrong = cast("Any", boto3.Session()).client("bedrock-agentcore")
    with pytest.raises(ClientError, match="InvalidSignatureException"):
        wrong.list_events(**place)
