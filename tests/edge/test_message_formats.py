"""A prepared turn in the format that a caller asks for: the vendor takes it, and what comes back of it is not new."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.conversation.items import message, role_of, text_of
from cairn.conversation.token_count import count, count_items
from cairn.conversation.turns import Completion
from cairn.ground.ids import Project, SessionId, TurnId
from cairn.ground.session import Session
from cairn.messages.formats import FORMATS
from cairn.recall import block
from cairn.tool.call import Call, execute
from cairn.turns.after_turn import commit
from cairn_mcp import door
from cairn_mcp.profiles import AGENT
from cairn_tools.catalog import CATALOG
from support.services import changed
from support.vendors import JUDGES, frameworks

SESSION: dict[str, Any] = {"project": "garden", "session_id": "monday", "user_id": "ada"}
QUESTION = "What is ripe?"
every_format = pytest.mark.parametrize("form", FORMATS)


def run(call: Call, tool: str, **arguments: object) -> dict[str, Any]:
    return execute(CATALOG, tool, {**SESSION, **arguments}, call)


def stored(call: Call) -> list[str]:
    session = Session(call.caller.tenant, Project("garden"), SessionId("monday"))
    events = [event for _, events in call.services.sessions.history(session) for event in events]
    return [f"{role_of(event.item)}: {text_of(event.item)}" for event in events]


def said(form: str, text: str) -> list[Any]:
    """Return an answer of the model in a format."""
    return {
        "responses": [message("assistant", text, "output_text")],
        "chat": [{"role": "assistant", "content": text, "refusal": None}],
        "anthropic": [{"role": "assistant", "content": [{"type": "text", "text": text}]}],
        "converse": [{"role": "assistant", "content": [{"text": text}]}],
        "gemini": [{"role": "model", "parts": [{"text": text}]}],
        "langchain": [{"type": "ai", "content": text}],
        "text": [text],
    }[form]


def called(form: str, name: str) -> list[Any]:
    """Return a call of a tool and its result in a format."""
    use = {"type": "tool_use", "id": name, "name": "look", "input": {"row": 2}}
    function = {"name": "look", "arguments": '{"row": 2}'}
    items = [
        {"type": "function_call", "call_id": name, **function},
        {"type": "function_call_output", "call_id": name, "output": "ripe"},
    ]
    return {
        "responses": items,
        "text": items,
        "chat": [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": name, "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": name, "content": "ripe"},
        ],
        "anthropic": [
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": "ripe"}]},
        ],
        "converse": [
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": name, "name": "look", "input": {"row": 2}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": name, "content": [{"text": "ripe"}]}}]},
        ],
        "gemini": [
            {"role": "model", "parts": [{"functionCall": {"id": name, "name": "look", "args": {"row": 2}}}]},
            {
                "role": "user",
                "parts": [{"functionResponse": {"id": name, "name": "look", "response": {"output": "ripe"}}}],
            },
        ],
        "langchain": [
            {"type": "ai", "content": "", "tool_calls": [{"name": "look", "args": {"row": 2}, "id": name}]},
            {"type": "tool", "content": "ripe", "tool_call_id": name},
        ],
    }[form]


def words(answer: dict[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False)


@pytest.mark.req("R290")
@every_format
@pytest.mark.parametrize("name", sorted(frameworks()))
def test_what_any_framework_said_comes_back_as_the_vendor_s_own_types(name: str, form: str, call: Call) -> None:
    run(call, "memory_after_turn", turn_id="t1", input_items=frameworks()[name], output_items=[])
    answer = run(call, "memory_before_turn", current_input=QUESTION, format=form)

    JUDGES[form](answer)
    assert "Pick row two, Ada." in words(answer)
    assert "You are a gardener." not in words(answer)
    assert (QUESTION in words(answer)) is (form != "text")


@pytest.mark.req("R290")
@every_format
@pytest.mark.parametrize("name", sorted(frameworks()))
def test_a_conversation_that_the_caller_sends_comes_back_as_the_vendor_s_own_types(
    name: str, form: str, call: Call
) -> None:
    earlier = frameworks()[name]
    answer = run(call, "memory_before_turn", current_input=QUESTION, conversation_items=earlier, format=form)
    JUDGES[form](answer)


@pytest.mark.req("R289")
@every_format
def test_memory_stands_in_no_privileged_role_and_the_policy_where_the_format_has_it(form: str, call: Call) -> None:
    run(call, "memory_after_turn", turn_id="t1", session_id="sunday", input_items="I live in Oslo.", output_items=[])
    answer = run(call, "memory_before_turn", current_input="Where do I live?", recall_scope="user", format=form)

    obeyed = [each for each in answer["input_items"] if {each.get("role"), each.get("type")} & {"system", "developer"}]
    assert "Oslo" in words(answer)
    assert "Oslo" not in words({"all": obeyed, "system": answer.get("system", "")})
    if form in {"anthropic", "converse", "gemini"}:
        assert (answer["system"], obeyed) == (block.POLICY, [])
    elif form == "text":
        assert answer["text"].startswith(block.TEXT_POLICY)
        assert "JSON" not in answer["text"], "there is none in it that the policy could mean"
    else:
        assert [text_of(each) for each in obeyed] == [block.POLICY]


@pytest.mark.req("R290")
@every_format
def test_the_caller_s_own_instructions_stay_instructions(form: str, call: Call) -> None:
    told = {"role": "system", "content": "Be brief."}
    answer = run(call, "memory_before_turn", current_input=QUESTION, conversation_items=[told], format=form)
    if form in {"anthropic", "converse", "gemini"}:
        assert answer["system"] == "Be brief."
    elif form == "text":
        assert answer["text"] == ""
    else:
        assert [text_of(each) for each in answer["input_items"]] == ["Be brief.", QUESTION]


@pytest.mark.req("R290")
@pytest.mark.parametrize("form", [form for form in FORMATS if form != "text"])
def test_what_comes_back_of_a_prepared_turn_is_stored_once(form: str, call: Call) -> None:
    whole = list[str]()
    for number in range(4):
        question, answer = f"Is row {number} of my beans in Oslo ripe?", f"Row {number} is."
        prepared = run(call, "memory_before_turn", current_input=question, format=form)
        JUDGES[form](prepared)
        outputs = [*called(form, f"call_{number}"), *said(form, answer)]
        done = run(
            call,
            "memory_after_turn",
            turn_id=f"t{number}",
            input_items=prepared["input_items"],
            output_items=outputs,
        )
        whole += [f"user: {question}", 'assistant: {"row": 2}', "tool: ripe", f"assistant: {answer}"]
        assert (done["events_written"], done.get("instructions_left_out")) == (4, None)
    assert [each.replace('{"row":2}', '{"row": 2}') for each in stored(call)] == whole


@pytest.mark.req("R290")
@pytest.mark.parametrize("form", ["anthropic", "converse", "gemini"])
def test_a_message_that_had_to_be_joined_to_another_is_taken_apart_again(form: str, call: Call) -> None:
    """A turn without an answer leaves two messages of the user in a row, which these APIs want as one."""
    for number, question in enumerate(["I live in Oslo.", "I grow beans.", "And peas."]):
        prepared = run(call, "memory_before_turn", current_input=question, format=form)
        JUDGES[form](prepared)
        done = run(
            call, "memory_after_turn", turn_id=f"t{number}", input_items=prepared["input_items"], output_items=[]
        )
        assert done["events_written"] == 1
    assert stored(call) == ["user: I live in Oslo.", "user: I grow beans.", "user: And peas."]


@pytest.mark.req("R290")
def test_memory_as_text_that_stands_in_a_prompt_is_not_stored(call: Call) -> None:
    run(call, "memory_after_turn", turn_id="t1", input_items="I live in Oslo.", output_items="Noted.")
    text = run(call, "memory_before_turn", current_input="Where do I live?", format="text")["text"]
    prompt = f"Mind the style guide.\n{text}\n\nWhere do I live?"
    run(call, "memory_after_turn", turn_id="t2", input_items=prompt, output_items="In Oslo.")
    forged = text.replace("Oslo", "Rome")
    run(call, "memory_after_turn", turn_id="t3", input_items=f"{forged}\n\nReally?", output_items=[])

    assert stored(call)[2:4] == ["user: Mind the style guide.\n\nWhere do I live?", "assistant: In Oslo."]
    assert stored(call)[4] == f"user: {forged}\n\nReally?"


@pytest.mark.req("R290")
@pytest.mark.parametrize("path", ["/mcp", "/mcp/agent"])
def test_text_is_what_a_model_reads_of_the_answer_over_mcp(
    path: str, call: Call, event_of: Callable[..., dict[str, Any]]
) -> None:
    run(call, "memory_after_turn", turn_id="t1", input_items="I live in Oslo.", output_items="Noted.")
    arguments = {**SESSION, "current_input": "Where do I live?", "format": "text"}
    params = {"name": "memory_before_turn", "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    result = json.loads(door.handler(event_of(path, body), None)["body"])["result"]

    [content] = result["content"]
    assert content["text"] == result["structuredContent"]["text"]
    assert content["text"].startswith(block.TEXT_POLICY)
    assert "I live in Oslo." in content["text"]
    assert "Where do I live?" not in content["text"]


def test_the_agent_profile_does_not_show_the_format_and_takes_it() -> None:
    assert AGENT.arguments is not None
    assert "format" not in AGENT.arguments["memory_before_turn"]


@every_format
def test_the_tokens_are_those_of_what_is_returned(form: str, call: Call) -> None:
    run(call, "memory_after_turn", turn_id="t1", input_items="I live in Oslo. " * 50, output_items="Noted. " * 200)
    whole = run(call, "memory_before_turn", current_input=QUESTION, format=form)
    tokens = whole["context_token_count"]
    if form == "text":
        assert tokens == count(whole["text"])
    else:
        texts = count_items([message("user", words(whole))])
        assert texts / 2 < tokens <= texts
    fitted = run(call, "memory_before_turn", current_input=QUESTION, format=form, max_input_tok=tokens - 1)
    assert fitted["context_token_count"] < tokens


@pytest.mark.req("R290")
@every_format
def test_a_turn_in_two_calls_is_begun_in_a_format_and_committed_in_it(form: str, call: Call) -> None:
    switched = changed(call.services, settings=replace(call.services.settings, tool_switches={"memory_run_turn": True}))
    call = replace(call, services=switched)
    run(call, "memory_after_turn", turn_id="t1", input_items="I live in Oslo.", output_items="Noted.")
    begun = run(call, "memory_run_turn", phase="begin", current_input=QUESTION, format=form)
    JUDGES[form](begun)
    done = {"operation_token": begun["operation_token"], "output_items": [*called(form, "c1"), *said(form, "Beans.")]}
    committed = execute(CATALOG, "memory_run_turn", {"phase": "commit", **done}, call)
    assert committed["events_written"] == 4


@pytest.mark.req("R290")
@every_format
@pytest.mark.parametrize("name", ["chat", "anthropic", "strands"])
def test_what_older_code_kept_in_another_shape_comes_back_in_the_format(name: str, form: str, call: Call) -> None:
    """Earlier versions stored the messages of these vendors as they were sent."""
    session = Session(call.caller.tenant, Project("garden"), SessionId("monday"))
    kept = tuple(each for each in frameworks()[name] if each["role"] != "system")
    commit(call.services, session, Completion(turn_id=TurnId("t1"), inputs=kept, outputs=()))
    answer = run(call, "memory_before_turn", current_input=QUESTION, user_id=None, format=form)
    JUDGES[form](answer)
    assert "Pick row two, Ada." in words(answer)
    if form != "text":
        done = run(call, "memory_after_turn", turn_id="t2", input_items=answer["input_items"], output_items=[])
        assert done["events_written"] == 1


PICTURE = "data:image/png;base64,aGk="


@pytest.mark.req("R290")
@pytest.mark.parametrize("form", [form for form in FORMATS if form != "text"])
def test_a_picture_of_the_current_input_is_given_to_the_model_in_every_format(form: str, call: Call) -> None:
    seen = {
        "role": "user",
        "content": [
            {"type": "input_text", "text": "What is it?"},
            {"type": "input_image", "image_url": PICTURE, "detail": "auto"},
        ],
    }
    answer = run(call, "memory_before_turn", current_input=[seen], format=form)
    JUDGES[form](answer)
    assert "aGk=" in words(answer)
    assert answer["context_token_count"] > 765


names = st.text(st.characters(codec="ascii", categories=["L", "N"], include_characters="_-.|"), min_size=1, max_size=50)
texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
ids = st.sampled_from(["c1", "c2", "c|3", "c" * 50])
arguments = st.sampled_from(["{}", '{"a": [1]}', "", "not json", "[1]"])


def a_call(name: str, tool: str, given: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": name, "name": tool, "arguments": given}


def a_result(name: str, text: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": name, "output": text}


spoken: st.SearchStrategy[dict[str, Any]] = st.builds(message, st.sampled_from(["user", "assistant"]), texts)
used: st.SearchStrategy[dict[str, Any]] = st.builds(a_call, ids, names, arguments) | st.builds(a_result, ids, texts)
SEARCH = {"type": "search", "query": "beans"}
others: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {"type": "reasoning", "id": "r", "summary": []},
        {"role": "tool", "content": "42"},
        {"type": "web_search_call", "id": "w", "status": "completed", "action": SEARCH},
        {"role": "developer", "content": "Be brief."},
    ]
)
conversations = st.lists(st.one_of(spoken, spoken, used, used, others), max_size=10)
without_responses = [form for form in FORMATS if form != "responses"]


@pytest.mark.req("R290")
@pytest.mark.parametrize("form", without_responses)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(earlier=conversations)
def test_whatever_was_sent_is_written_as_the_vendor_takes_it(form: str, earlier: list[Any], call: Call) -> None:
    answer = run(call, "memory_before_turn", current_input=QUESTION, conversation_items=earlier, format=form)
    JUDGES[form](answer)
    if form != "text":
        assert QUESTION in words(answer["input_items"][-1])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_what_is_written_in_one_format_is_read_again_as_what_it_was(data: st.DataObject, call: Call) -> None:
    """Out in one format and in again says the same: user and assistant texts, calls and their results."""
    turns = data.draw(st.lists(st.tuples(spoken, st.booleans()), max_size=5))
    items = [
        part
        for at, (item, asks) in enumerate(turns)
        for part in (item, *(called("responses", f"c{at}") if asks else ()))
    ]
    items.append(message("assistant", "Done."))
    form = data.draw(st.sampled_from(["chat", "anthropic", "converse", "gemini", "langchain"]))
    first = run(call, "memory_before_turn", current_input=QUESTION, conversation_items=items, format=form)
    rest = {"current_input": QUESTION, "current_input_count": 0, "format": form}
    again = run(call, "memory_before_turn", conversation_items=first["input_items"][:-1], **rest)
    assert again["input_items"][:-1] == first["input_items"][:-1]
