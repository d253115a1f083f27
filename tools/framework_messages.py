"""Write what frameworks' own classes make of one conversation: the messages that tests feed to Cairn.

The frameworks are too heavy for every newcomer's environment. Run it in one that has them:
`pip install openai anthropic langchain-core pydantic-ai-slim google-genai google-adk strands-agents llama-index-core
autogen-core autogen-agentchat a2a-sdk`, then `python tools/framework_messages.py`. A second environment with
`a2a-sdk<1` adds the earlier messages of that protocol: `python tools/framework_messages.py a2a-earlier`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

OUT = Path(__file__).resolve().parents[1] / "tests" / "data" / "framework_messages.json"
SCHEMAS = OUT.with_name("langchain_messages.schema.json")
SYSTEM, SAID, CAPTION = "You are a gardener.", "My name is Ada. Which of these are ripe?", "beans.jpg"
THOUGHT, CALL_ID, TOOL, RESULT = "The user shows beans.", "call_1", "ripeness", "Row two is ripe."
ARGUMENTS, ANSWER, PIXEL = {"row": 2}, "Pick row two, Ada.", "aGVsbG8gYmVhbnM="
Json = Any


def of(module: str) -> Any:
    """Return a module of a framework, of which this project's types know nothing."""
    return import_module(module)


def openai_chat() -> Json:
    """Chat Completions: parameters as a client sends them, the answer as its class dumps it."""
    chat = of("openai.types.chat")
    image = {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{PIXEL}"}}
    function = {"name": TOOL, "arguments": json.dumps(ARGUMENTS)}
    asked = chat.ChatCompletionMessage.model_validate(
        {"role": "assistant", "tool_calls": [{"id": CALL_ID, "type": "function", "function": function}]}
    )
    answered = chat.ChatCompletionMessage(role="assistant", content=ANSWER)
    return [
        {"role": "system", "content": SYSTEM},
        {
            "role": "user",
            "content": [{"type": "text", "text": SAID}, {"type": "text", "text": f"[image: {CAPTION}]"}, image],
        },
        asked.model_dump(mode="json"),
        {"role": "tool", "tool_call_id": CALL_ID, "content": RESULT},
        answered.model_dump(mode="json"),
    ]


def openai_responses() -> Json:
    """Responses: items of an input, and of an output as their classes dump them."""
    responses = of("openai.types.responses")
    call = responses.ResponseFunctionToolCall(
        type="function_call", call_id=CALL_ID, name=TOOL, arguments=json.dumps(ARGUMENTS), id="fc_1", status="completed"
    )
    thought = responses.ResponseReasoningItem.model_validate(
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": THOUGHT}]}
    )
    part: Json = {"type": "output_text", "text": ANSWER, "annotations": []}
    answer: Json = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
    image = {"type": "input_image", "image_url": f"data:image/jpeg;base64,{PIXEL}", "detail": "auto"}
    said = [{"type": "input_text", "text": SAID}, {"type": "input_text", "text": f"[image: {CAPTION}]"}, image]
    return [
        {"role": "developer", "content": SYSTEM},
        {"type": "message", "role": "user", "content": said},
        thought.model_dump(mode="json", exclude_none=True),
        call.model_dump(mode="json", exclude_none=True),
        {"type": "function_call_output", "call_id": CALL_ID, "output": RESULT},
        responses.ResponseOutputMessage.model_validate(answer).model_dump(mode="json"),
    ]


def anthropic_messages() -> Json:
    """Anthropic Messages: parameters, and the answer as its class dumps it."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    shared = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "usage": usage}
    make = of("anthropic.types").Message.model_validate
    thought = {"type": "thinking", "thinking": THOUGHT, "signature": "s"}
    use = {"type": "tool_use", "id": CALL_ID, "name": TOOL, "input": ARGUMENTS}
    source = {"type": "base64", "media_type": "image/jpeg", "data": PIXEL}
    said = [
        {"type": "text", "text": SAID},
        {"type": "text", "text": f"[image: {CAPTION}]"},
        {"type": "image", "source": source},
    ]
    return [
        {"role": "user", "content": said},
        make({**shared, "content": [thought, use], "stop_reason": "tool_use"}).model_dump(mode="json"),
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": CALL_ID, "content": RESULT}]},
        make({**shared, "content": [{"type": "text", "text": ANSWER}], "stop_reason": "end_turn"}).model_dump(
            mode="json"
        ),
    ]


def strands() -> Json:
    """Strands, which keeps Converse messages, with bytes as its sessions write them."""
    encode = of("strands.types.session").encode_bytes_values
    asked = {"toolUse": {"toolUseId": CALL_ID, "name": TOOL, "input": ARGUMENTS}}
    thought = {"reasoningContent": {"reasoningText": {"text": THOUGHT, "signature": "s"}}}
    answer = {"toolResult": {"toolUseId": CALL_ID, "status": "success", "content": [{"text": RESULT}]}}
    image = {"image": {"format": "jpeg", "source": {"bytes": b"hello beans"}}}
    messages = [
        {"role": "user", "content": [{"text": SAID}, {"text": f"[image: {CAPTION}]"}, image]},
        {"role": "assistant", "content": [thought, asked]},
        {"role": "user", "content": [answer]},
        {"role": "assistant", "content": [{"text": ANSWER}]},
    ]
    return [of("json").loads(json.dumps(encode(each))) for each in messages]


def _contents() -> Json:
    types = of("google.genai.types")
    image = types.Part(inline_data=types.Blob(data=b"hello beans", mime_type="image/jpeg", display_name=CAPTION))
    call = types.FunctionCall(id=CALL_ID, name=TOOL, args=ARGUMENTS)
    answer = types.FunctionResponse(id=CALL_ID, name=TOOL, response={"result": RESULT})
    return [
        types.Content(role="user", parts=[types.Part(text=SAID), image]),
        types.Content(role="model", parts=[types.Part(text=THOUGHT, thought=True), types.Part(function_call=call)]),
        types.Content(role="user", parts=[types.Part(function_response=answer)]),
        types.Content(role="model", parts=[types.Part(text=ANSWER)]),
    ]


def gemini() -> Json:
    """Gemini contents in snake case, with every null."""
    return [each.model_dump(mode="json") for each in _contents()]


def gemini_camel() -> Json:
    """Gemini contents as they travel."""
    return [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in _contents()]


def adk() -> Json:
    """Events of the Agent Development Kit."""
    event = of("google.adk.events").Event
    authors = ["user", "gardener", "gardener", "gardener"]
    made = [event(author=author, content=content) for author, content in zip(authors, _contents(), strict=True)]
    return [each.model_dump(mode="json") for each in made]


def _langchain() -> Json:
    messages = of("langchain_core.messages")
    image = {"type": "image", "base64": PIXEL, "mime_type": "image/jpeg", "extras": {"filename": CAPTION}}
    call = {"name": TOOL, "args": ARGUMENTS, "id": CALL_ID}
    thought = {"type": "reasoning", "reasoning": THOUGHT}
    return [
        messages.SystemMessage(SYSTEM),
        messages.HumanMessage([{"type": "text", "text": SAID}, image]),
        messages.AIMessage([thought], tool_calls=[call]),
        messages.ToolMessage(RESULT, tool_call_id=CALL_ID),
        messages.AIMessage(ANSWER),
    ]


def langchain() -> Json:
    """LangChain's messages by `model_dump()`."""
    return [each.model_dump(mode="json") for each in _langchain()]


def langchain_dicts() -> Json:
    """LangChain's messages by `messages_to_dict`."""
    return of("langchain_core.messages").messages_to_dict(_langchain())


def langchain_dumped() -> Json:
    """LangChain's messages by `dumpd`."""
    return [of("langchain_core.load").dumpd(each) for each in _langchain()]


def pydantic_ai() -> Json:
    """pydantic-ai's history as `ModelMessagesTypeAdapter` writes it."""
    m = of("pydantic_ai.messages")
    image = m.BinaryContent(data=b"hello beans", media_type="image/jpeg")
    said = [SAID, f"[image: {CAPTION}]", image]
    history = [
        m.ModelRequest(parts=[m.SystemPromptPart(SYSTEM), m.UserPromptPart(said)]),
        m.ModelResponse(parts=[m.ThinkingPart(THOUGHT), m.ToolCallPart(TOOL, ARGUMENTS, CALL_ID)]),
        m.ModelRequest(parts=[m.ToolReturnPart(TOOL, RESULT, CALL_ID)]),
        m.ModelResponse(parts=[m.TextPart(ANSWER)]),
    ]
    return json.loads(m.ModelMessagesTypeAdapter.dump_json(history))


def llama_index() -> Json:
    """llama-index's chat messages."""
    m = of("llama_index.core.base.llms.types")
    image = m.ImageBlock(url=f"https://example.com/{CAPTION}")
    call = m.ToolCallBlock(tool_call_id=CALL_ID, tool_name=TOOL, tool_kwargs=ARGUMENTS)
    made = [
        m.ChatMessage(role="system", content=SYSTEM),
        m.ChatMessage(role="user", blocks=[m.TextBlock(text=SAID), image]),
        m.ChatMessage(role="assistant", blocks=[m.ThinkingBlock(content=THOUGHT), call]),
        m.ChatMessage(role="tool", content=RESULT, additional_kwargs={"tool_call_id": CALL_ID}),
        m.ChatMessage(role="assistant", content=ANSWER),
    ]
    return [each.model_dump(mode="json") for each in made]


def autogen() -> Json:
    """Messages and events of AutoGen's agents."""
    m, core = of("autogen_agentchat.messages"), of("autogen_core")
    call = core.FunctionCall(id=CALL_ID, name=TOOL, arguments=json.dumps(ARGUMENTS))
    result = of("autogen_core.models").FunctionExecutionResult(
        content=RESULT, call_id=CALL_ID, name=TOOL, is_error=False
    )
    image = {"data": PIXEL}  # as Image dumps itself, of which this needs no decoder
    said = {"type": "MultiModalMessage", "source": "user", "content": [SAID, f"[image: {CAPTION}]", image]}
    made = [
        m.ThoughtEvent(source="gardener", content=THOUGHT),
        m.ToolCallRequestEvent(source="gardener", content=[call]),
        m.ToolCallExecutionEvent(source="gardener", content=[result]),
        m.TextMessage(source="gardener", content=ANSWER),
    ]
    return [said, *(each.model_dump(mode="json") for each in made)]


def a2a() -> Json:
    """Agent2Agent's messages as protocol buffers write them."""
    types, to_dict = of("a2a.types"), of("google.protobuf.json_format").MessageToDict
    image = types.Part(raw=b"hello beans", media_type="image/jpeg", filename=CAPTION)
    made = [
        types.Message(message_id="1", role="ROLE_USER", parts=[types.Part(text=SAID), image]),
        types.Message(message_id="2", role="ROLE_AGENT", parts=[types.Part(text=ANSWER)]),
    ]
    return [to_dict(each) for each in made]


def a2a_earlier() -> Json:
    """Agent2Agent's messages before their version 1."""
    types = of("a2a.types")
    file = types.FilePart(file=types.FileWithBytes(bytes=PIXEL, mime_type="image/jpeg", name=CAPTION))
    made = [
        types.Message(
            message_id="1", role="user", parts=[types.Part(root=types.TextPart(text=SAID)), types.Part(root=file)]
        ),
        types.Message(message_id="2", role="agent", parts=[types.Part(root=types.TextPart(text=ANSWER))]),
    ]
    return [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in made]


def vercel() -> Json:
    """UI messages, by the TypeScript types of Vercel's package `ai` 6.0, which has no classes."""
    image = {"type": "file", "mediaType": "image/jpeg", "filename": CAPTION, "url": f"data:image/jpeg;base64,{PIXEL}"}
    tool = {"type": f"tool-{TOOL}", "toolCallId": CALL_ID, "state": "output-available", "input": ARGUMENTS}
    thought = {"type": "reasoning", "text": THOUGHT, "state": "done"}
    return [
        {"id": "1", "role": "system", "parts": [{"type": "text", "text": SYSTEM}]},
        {"id": "2", "role": "user", "parts": [{"type": "text", "text": SAID}, image]},
        {
            "id": "3",
            "role": "assistant",
            "parts": [
                {"type": "step-start"},
                thought,
                {**tool, "output": RESULT},
                {"type": "step-start"},
                {"type": "text", "text": ANSWER, "state": "done"},
            ],
        },
    ]


def vercel_model() -> Json:
    """Model messages, by the same package's types."""
    image = {"type": "image", "image": PIXEL, "mediaType": "image/jpeg"}
    call = {"type": "tool-call", "toolCallId": CALL_ID, "toolName": TOOL, "input": ARGUMENTS}
    output = {"type": "text", "value": RESULT}
    result = {"type": "tool-result", "toolCallId": CALL_ID, "toolName": TOOL, "output": output}
    named = {"type": "text", "text": f"[image: {CAPTION}]"}
    return [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": [{"type": "text", "text": SAID}, named, image]},
        {"role": "assistant", "content": [{"type": "reasoning", "text": THOUGHT}, call]},
        {"role": "tool", "content": [result]},
        {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
    ]


LIBRARIES: dict[str, tuple[str, Callable[[], Json]]] = {
    "responses": ("openai", openai_responses),
    "chat": ("openai", openai_chat),
    "anthropic": ("anthropic", anthropic_messages),
    "strands": ("strands-agents", strands),
    "gemini": ("google-genai", gemini),
    "gemini-camel": ("google-genai", gemini_camel),
    "adk": ("google-adk", adk),
    "langchain": ("langchain-core", langchain),
    "langchain-dicts": ("langchain-core", langchain_dicts),
    "langchain-dumped": ("langchain-core", langchain_dumped),
    "pydantic-ai": ("pydantic-ai-slim", pydantic_ai),
    "llama-index": ("llama-index-core", llama_index),
    "autogen": ("autogen-agentchat", autogen),
    "vercel": ("", vercel),
    "vercel-model": ("", vercel_model),
    "a2a": ("a2a-sdk", a2a),
    "a2a-earlier": ("a2a-sdk", a2a_earlier),
}


def main() -> int:
    """Write the shapes that are named, or all but the earlier protocol's; other shapes stay as they are."""
    names = sys.argv[1:] or [name for name in LIBRARIES if name != "a2a-earlier"]
    made: Json = json.loads(OUT.read_text(encoding="utf-8")) if OUT.exists() else {}
    for name in names:
        library, make = LIBRARIES[name]
        by = f"{library} {version(library)}" if library else str(make.__doc__)
        made[name] = {"made_by": by, "messages": make()}
    text = json.dumps(made, indent=1, ensure_ascii=False, sort_keys=True, default=str)
    OUT.write_text(f"{text}\n", encoding="utf-8")
    if "langchain" in names:
        adapter = of("pydantic").TypeAdapter(of("langchain_core.messages").AnyMessage)
        SCHEMAS.write_text(f"{json.dumps(adapter.json_schema(), indent=1, sort_keys=True)}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
