"""What a server may offer beside tools, and the methods for it that both protocol eras share.

A toolbox that is a `Library` too has resources, prompts and completions. One that is a `Listener`, whose client can be
told things between its requests, takes subscriptions and a level for what is logged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias, cast, runtime_checkable

from cairn_mcp.jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND, Message, RequestId, RpcError
from cairn_mcp.server import Toolbox, call_tool, list_tools

MOST_COMPLETIONS: Final = 100
"""How many values a completion may have, by the specification."""
LEVELS: Final = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""How grave a log message is, by the specification, the least first."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One prompts/get; `params` are all of its parameters."""

    name: str
    arguments: Mapping[str, str]
    params: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Partial:
    """One completion/complete: which argument of which prompt or template, how it begins, and what others are."""

    of: str
    is_prompt: bool
    argument: str
    begins: str
    others: Mapping[str, str]


@runtime_checkable
class Library(Protocol):
    """The resources, prompts and completions that one caller may read."""

    def resources(self, cursor: str | None) -> Mapping[str, Any]:
        """Return a page as `ListResourcesResult`; RpcError for a cursor that no page ended with."""
        ...

    def templates(self) -> Sequence[Mapping[str, Any]]:
        """Return the `ResourceTemplate` objects, always in the same order."""
        ...

    def read(self, uri: str) -> Mapping[str, Any]:
        """Return a `ReadResourceResult`; ResourceMissing where the caller finds none."""
        ...

    def prompts(self) -> Sequence[Mapping[str, Any]]:
        """Return the `Prompt` objects, always in the same order."""
        ...

    def prompt(self, asked: Asked) -> Mapping[str, Any]:
        """Return a `GetPromptResult`; RpcError where there is no such prompt or an argument is wrong."""
        ...

    def complete(self, partial: Partial) -> Mapping[str, Any]:
        """Return a `CompleteResult`; RpcError where there is no such prompt, template or argument."""
        ...


@runtime_checkable
class Listener(Protocol):
    """A client that can be told things between its requests."""

    def set_level(self, level: str) -> None:
        """Tell the client of what is logged at this level and above."""
        ...

    def subscribe(self, uri: str) -> None:
        """Tell the client when a resource changes; ResourceMissing where there is none."""
        ...

    def unsubscribe(self, uri: str) -> None:
        """Tell the client of a resource no more."""
        ...

    def listen(self, listen: RequestId, uris: Sequence[str]) -> None:
        """Acknowledge a subscriptions/listen of these resources, and tell the client when they change."""
        ...

    def end(self, listen: RequestId) -> None:
        """Take note that the client cancelled a subscriptions/listen."""
        ...


_OfLibrary: TypeAlias = Callable[[Message, Library], Mapping[str, Any]]
_OfListener: TypeAlias = Callable[[Message, Listener], None]


def capabilities(tools: Toolbox) -> dict[str, Any]:
    """Return the `ServerCapabilities` of what is offered."""
    offered: dict[str, Any] = {"tools": {"listChanged": False}}
    is_heard = isinstance(tools, Listener)
    if isinstance(tools, Library):
        resources = {"subscribe": is_heard, "listChanged": False}
        offered |= {"resources": resources, "prompts": {"listChanged": False}, "completions": {}}
    return offered | ({"logging": {}} if is_heard else {})


def result_of(message: Message, tools: Toolbox) -> Mapping[str, Any]:
    """Return the result of a method that both eras have; RpcError where it is none that is offered."""
    match message.method:
        case "tools/list":
            return list_tools(message, tools)
        case "tools/call":
            return call_tool(message, tools)
        case _ if isinstance(tools, Library) and message.method in _OF_LIBRARY:
            return _OF_LIBRARY[message.method](message, tools)
        case _:
            raise RpcError(METHOD_NOT_FOUND, "Method not found")


def sets_up(message: Message, tools: Toolbox) -> bool:
    """Set up what a client asks to be told; False where the method asks for nothing of that."""
    done = _OF_LISTENER.get(message.method)
    if done is None or not isinstance(tools, Listener):
        return False
    done(message, tools)
    return True


def listens(message: Message, tools: Toolbox) -> bool:
    """Begin what a subscriptions/listen asks for, which is answered by notifications; False where it is none."""
    if message.method != "subscriptions/listen" or message.id is None or not isinstance(tools, Listener):
        return False
    uris = _object(message.params.get("notifications"), "params.notifications").get("resourceSubscriptions")
    if not isinstance(uris, list | None) or not all(isinstance(uri, str) for uri in cast("list[object]", uris or ())):
        raise RpcError(INVALID_PARAMS, "notifications.resourceSubscriptions must be a list of strings")
    tools.listen(message.id, cast("list[str]", uris or []))
    return True


def _list_resources(message: Message, library: Library) -> Mapping[str, Any]:
    cursor = message.params.get("cursor")
    if cursor is not None and not isinstance(cursor, str):
        raise RpcError(INVALID_PARAMS, "params.cursor must be a string")
    return library.resources(cursor)


def _in_one_page(name: str, listed: Callable[[Library], Sequence[Mapping[str, Any]]]) -> _OfLibrary:
    """Return the method that answers with a list in one page, so that no cursor was ever given out."""

    def answer(message: Message, library: Library) -> Mapping[str, Any]:
        if message.params.get("cursor") is not None:
            raise RpcError(INVALID_PARAMS, f"Unknown cursor: {message.method} has one page")
        return {name: list(listed(library))}

    return answer


def _get_prompt(message: Message, library: Library) -> Mapping[str, Any]:
    name = _text(message.params, "name", "params")
    arguments = _object(message.params.get("arguments"), "params.arguments")
    given = {each: _text(arguments, each, "params.arguments") for each in arguments}
    return library.prompt(Asked(name, given, message.params))


def _complete(message: Message, library: Library) -> Mapping[str, Any]:
    ref = _object(message.params.get("ref"), "params.ref")
    argument = _object(message.params.get("argument"), "params.argument")
    others = _object(_object(message.params.get("context"), "params.context").get("arguments"), "context.arguments")
    kind = ref.get("type")
    if kind not in {"ref/prompt", "ref/resource"}:
        raise RpcError(INVALID_PARAMS, "params.ref.type must be ref/prompt or ref/resource")
    of = _text(ref, "name" if kind == "ref/prompt" else "uri", "params.ref")
    name, begins = (_text(argument, each, "params.argument") for each in ("name", "value"))
    given = {each: str(value) for each, value in others.items()}
    return library.complete(Partial(of, kind == "ref/prompt", name, begins, given))


def _set_level(message: Message, listener: Listener) -> None:
    level = message.params.get("level")
    if level not in LEVELS:
        raise RpcError(INVALID_PARAMS, f"params.level must be one of {', '.join(LEVELS)}")
    listener.set_level(level)


def _uri(message: Message) -> str:
    return _text(message.params, "uri", "params")


def _text(values: Mapping[str, Any], name: str, of: str) -> str:
    value = values.get(name)
    if not isinstance(value, str):
        raise RpcError(INVALID_PARAMS, f"{of}.{name} must be a string")
    return value


def _object(value: object, name: str) -> dict[str, Any]:
    if value is not None and not isinstance(value, dict):
        raise RpcError(INVALID_PARAMS, f"{name} must be an object")
    return cast("dict[str, Any]", value or {})


_OF_LIBRARY: Final[Mapping[str, _OfLibrary]] = {
    "resources/list": _list_resources,
    "resources/templates/list": _in_one_page("resourceTemplates", lambda library: library.templates()),
    "resources/read": lambda message, library: library.read(_uri(message)),
    "prompts/list": _in_one_page("prompts", lambda library: library.prompts()),
    "prompts/get": _get_prompt,
    "completion/complete": _complete,
}
_OF_LISTENER: Final[Mapping[str, _OfListener]] = {
    "logging/setLevel": _set_level,
    "resources/subscribe": lambda message, listener: listener.subscribe(_uri(message)),
    "resources/unsubscribe": lambda message, listener: listener.unsubscribe(_uri(message)),
}
