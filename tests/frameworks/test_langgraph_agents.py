"""LangGraph's own loops over Cairn: a run that stops in one process goes on in another, and a third knows of it."""

from __future__ import annotations

import asyncio
import json
import operator
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Annotated, Any, TypedDict

import langgraph.prebuilt
import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_store
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from langgraph.types import Command, interrupt
from pydantic import Field

from cairn import Memory
from cairn.frameworks.langgraph import CairnSaver, CairnStore
from support.frameworks import Place, memory_in_memory, program
from support.installed import ROOT

SOURCES = os.pathsep.join(str(ROOT / each) for each in ("layers/core", "functions", "tests"))
PREBUILT: Any = langgraph.prebuilt  # its agent moved to another package; this one is langgraph's own
NOTES = ("users", "ada")


class Scripted(BaseChatModel):
    """A model that gives its answers in turn and keeps what it was sent."""

    answers: list[AIMessage]
    sent: list[list[str]] = Field(default_factory=list[list[str]])

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **asked: Any) -> Any:
        del tools, asked
        return self

    def _generate(self, messages: list[BaseMessage], *given: Any, **asked: Any) -> ChatResult:
        del given, asked
        self.sent.append([str(message.content) for message in messages])
        return ChatResult(generations=[ChatGeneration(message=self.answers[len(self.sent) - 1])])


def calls(name: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[ToolCall(name=name, args=arguments, id="call-1")])


@tool
def plant(crop: str) -> str:
    """Plant a crop, if a person agrees."""
    agreed = interrupt({"plant": crop})
    get_store().put(NOTES, crop, {"text": f"Planted {crop}: {agreed}"})
    return f"{agreed}, {crop}"


@tool
def look_up(question: str) -> str:
    """Look up what is known."""
    return "\n".join(item.value["text"] for item in get_store().search(NOTES, query=question))


def act(number: str, store: str, key: str, project: str) -> dict[str, Any]:
    """Run one part of a story, which stands in a process of its own."""
    script = {
        "1": [calls("plant", crop="beans")],
        "2": [AIMessage("The beans are planted.")],
        "3": [calls("look_up", question="Which beans?"), AIMessage("You planted beans.")],
    }
    with Memory(store, key=key or None, project=project, user="ada") as memory:
        model = Scripted(answers=script[number])
        agent = PREBUILT.create_react_agent(
            model, [plant, look_up], checkpointer=CairnSaver(memory), store=CairnStore(memory)
        )
        config: RunnableConfig = {"configurable": {"thread_id": "monday" if number < "3" else "tuesday"}}
        given: Any = Command(resume="Yes") if number == "2" else {"messages": [("user", "I want beans.")]}
        if number == "2":
            asyncio.run(agent.ainvoke(given, config))
        else:
            agent.invoke(given, config)
        state = agent.get_state(config)
        return {
            "sent": model.sent[-1],
            "interrupts": [each.value for each in state.interrupts],
            "next": state.next,
            "steps": [each.metadata["step"] for each in agent.get_state_history(config)],
        }


def played(number: int, place: Place) -> dict[str, Any]:
    command = [sys.executable, "-W", "ignore", __file__, str(number), place.store, place.key or "", place.project]
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    environ = {**kept, "PYTHONPATH": SOURCES, "CAIRN_EMBEDDING_EMBEDDER": "none"}
    done = subprocess.run(command, capture_output=True, text=True, env=environ, timeout=60, check=False)  # noqa: S603 - this very file
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_an_agent_that_asked_a_person_goes_on_in_another_process_and_a_third_knows_of_it(place: Place) -> None:
    asked, answered, later = (played(number, place) for number in (1, 2, 3))

    assert asked["interrupts"] == [{"plant": "beans"}]
    assert asked["next"] == ["tools"]
    assert answered["sent"] == ["I want beans.", "", "Yes, beans"]
    assert answered["next"] == []
    assert answered["steps"] == [3, 2, 1, 0, -1]
    assert later["sent"] == ["I want beans.", "", "Planted beans: Yes"]


def _extended(held: list[str], writes: Sequence[list[str]]) -> list[str]:
    return held + [each for write in writes for each in write]


class State(TypedDict):
    """What the graphs of these tests know."""

    total: Annotated[int, operator.add]
    said: Annotated[list[str], DeltaChannel(_extended, snapshot_frequency=3)]


def graph(saver: Any) -> Any:
    """Return a graph of two nodes, the second one a graph of its own that asks a person at the third of each run."""

    def count(state: State) -> dict[str, Any]:
        return {"total": 1, "said": [f"count {state['total']}"]}

    def ask(state: State) -> dict[str, Any]:
        if state["total"] % 3 == 0:
            return {"said": [interrupt("Go on?")]}
        return {"said": ["none asked"]}

    inner: Any = StateGraph(State)
    inner.add_node("ask", ask).add_edge(START, "ask").add_edge("ask", END)
    outer: Any = StateGraph(State)
    outer.add_node("count", count).add_node("inner", inner.compile()).add_edge(START, "count").add_edge(
        "count", "inner"
    )
    return outer.compile(checkpointer=saver)


def run(saver: Any, durability: str) -> list[Any]:
    """Run the graph for a while and return what is known of it."""
    made, config = graph(saver), {"configurable": {"thread_id": "one"}}
    for _ in range(8):
        made.invoke({"total": 0, "said": ["begun"]}, config, durability=durability)
        if made.get_state(config).next:
            made.invoke(Command(resume="Yes"), config, durability=durability)
    return [(each.values, each.next, each.metadata["step"]) for each in made.get_state_history(config)]


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_a_graph_s_history_is_as_the_saver_in_memory_has_it(place: Place, durability: str) -> None:
    assert run(CairnSaver(place.memory()), durability) == run(InMemorySaver(), durability)


def test_a_state_is_put_together_after_all_before_it_was_pruned_or_in_a_copy() -> None:
    saver = CairnSaver(memory_in_memory()[0])
    config: RunnableConfig = {"configurable": {"thread_id": "one"}}
    run(saver, "sync")
    made = graph(saver)
    while "said" in (saver.get(config) or {"channel_values": {}})["channel_values"]:
        made.invoke({"total": 0, "said": ["more"]}, config)
    before, length = made.get_state(config).values, len(list(saver.list(None)))
    assert len(before["said"]) > 8

    saver.copy_thread("one", "two")
    saver.prune(["one"])

    assert len(list(saver.list({"configurable": {"thread_id": "one"}}))) < length / 2
    for thread in ("one", "two"):
        assert made.get_state({"configurable": {"thread_id": thread}}).values == before
    made.invoke({"total": 0, "said": ["again"]}, config)
    assert made.get_state(config).values["said"][: len(before["said"]) + 1] == [*before["said"], "again"]


def test_the_program_of_the_page_runs_and_goes_on_where_it_was() -> None:
    def model(state: Any, *, store: BaseStore) -> dict[str, Any]:
        store.put(NOTES, "beans", {"text": state["messages"][-1].content})
        return {"messages": AIMessage(f"I know of {len(state['messages'])}.")}

    for known in (1, 3):
        made = program("use-with-langgraph.md", model=model)
        said = made["graph"].get_state({"configurable": {"thread_id": "monday"}}).values["messages"]
        made["memory"].close()
        assert said[-1].content == f"I know of {known}."
    with Memory(user="ada", project="garden") as memory:
        assert CairnStore(memory).search(("users",), query="beans")[0].value == {"text": "I grow beans."}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(act(*sys.argv[1:])))
