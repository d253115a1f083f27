"""Arguments with a canary in them, which is nowhere to be seen again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from copy import deepcopy
from typing import Any, TypeAlias, cast

import pytest

from cairn.access.policy import STANDARD
from cairn.edge.validation import Rules, validate
from cairn.ground.errors import CairnError
from cairn.ground.settings import Limits
from cairn.keyvalue.fields import NamespaceInput
from cairn.tool.tool import Tool
from cairn_console import operators
from cairn_sandbox import door as sandbox
from cairn_tools.catalog import CATALOG
from cairn_tools.memory_create_key import CreateKey

CANARY = "canary-7f3a"
NAMED_IN_THE_LOG = {"project", "session_id", "turn_id"}
SHAPE = {"type", "role", "kind", "phase", "cursor", "path", "replacement_id"}
"""With other words in them an item is none that a person said, a list none of pods, a cursor, path or id none."""
WORDS = (f"My name is {CANARY}. I prefer {CANARY}.", CANARY, f"session.{CANARY}")
MEMORY_FILE = f"/memories/{CANARY}.md"
MEMORY_FILES = {"after", "old_path", "new_path"}
"""The fields that take a path of the memory tool alone, in which a name can be the canary."""
CREDENTIALS = {"authorization": f"Bearer {CANARY}", "x-api-key": CANARY, "cookie": CANARY, "x-other": CANARY}
each_tool = pytest.mark.parametrize("tool", CATALOG, ids=lambda tool: tool.name)
Arguments: TypeAlias = Mapping[str, Any]
PathIn: TypeAlias = tuple[str | int, ...]
Door: TypeAlias = Callable[[Tool, Arguments], Any]
EventOf: TypeAlias = Callable[..., dict[str, Any]]


def leaves(value: object, path: PathIn = ()) -> Iterator[PathIn]:
    """Yield the path of every value that holds no others."""
    if isinstance(value, dict):
        for name, inner in cast("dict[str, object]", value).items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(cast("list[object]", value)):
            yield from leaves(inner, (*path, index))
    else:
        yield path


def changed(arguments: Arguments, path: PathIn, value: object) -> dict[str, Any]:
    """Return the arguments with another value at the path."""
    result: Any = deepcopy(dict(arguments))
    holder = result
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return result


def planted(tool: Tool, spared: AbstractSet[str] = NAMED_IN_THE_LOG) -> dict[str, Any]:
    """Return arguments that work, with the canary in every text that takes it, beside those that may be named."""
    arguments = dict(tool.example)
    absent: list[PathIn] = [(name,) for name in tool.input_schema()["properties"] if name not in arguments]
    for path in [*leaves(arguments), *absent]:
        for text in texts_for(path, arguments):
            candidate = changed(arguments, path, text)
            if not spared & set(path) and is_accepted(tool, candidate):
                arguments = candidate
                break
    return arguments


def texts_for(path: PathIn, arguments: Arguments) -> tuple[str, ...]:
    """Return the texts with a canary that may stand there: a path where there is one of a file of the memory tool."""
    if path[-1] in MEMORY_FILES or str(arguments.get(str(path[0]))).startswith("/memories/"):
        return (MEMORY_FILE,)
    return () if path[-1] in SHAPE else WORDS


def is_accepted(tool: Tool, arguments: Arguments) -> bool:
    try:
        request = validate(tool.input, arguments, Rules(Limits(), lenient=False))
    except CairnError:
        return False
    if tool.runs is not None:
        by_name = {each.name: each for each in tool.runs()}
        return all(is_accepted(by_name[step["tool"]], step["arguments"]) for step in steps_in(arguments["steps"]))
    if isinstance(request, CreateKey):
        return request.policy is None and is_grant(request)
    if isinstance(request, NamespaceInput):
        permission = STANDARD.permission(None, tool.name)
        return permission.allows(request.namespace, "read" if tool.read_only else "write")
    return tool.family != "standard" or "result" in sandbox.answer({"tool": tool.name, "arguments": arguments})


def is_grant(request: CreateKey) -> bool:
    try:
        request.grant()
    except CairnError:
        return False
    return True


def steps_in(given: list[Any]) -> Iterator[dict[str, Any]]:
    for each in given:
        yield from each if isinstance(each, list) else [each]


def misplaced(tool: Tool) -> list[dict[str, Any]]:
    """Return arguments that are refused, each for a canary in another place."""
    wrong: tuple[object, ...] = (f"../{CANARY}\n", [CANARY], {CANARY: CANARY}, [{"role": CANARY, "content": CANARY}])
    made = [changed(tool.example, path, value) for path in leaves(dict(tool.example)) for value in wrong]
    return [each for each in [*made, {**tool.example, CANARY: CANARY}] if not is_accepted(tool, each)]


def http(event_of: EventOf) -> Door:
    """Return the door of each tool's Lambda, or that of all tools for operators, to whoever may call it."""

    def call(tool: Tool, arguments: Arguments) -> Any:
        event = event_of(f"/v1/tools/{tool.name}", arguments, headers=CREDENTIALS)
        if not tool.for_operators:
            return tool.handler(event, None)
        event["requestContext"]["authorizer"]["lambda"]["scopes"] = "read write admin"
        return operators.handler(event, None)

    return call
