"""From arguments to a tool's input model, or one InvalidArgument that names every wrong field."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from pydantic import BaseModel, RootModel, ValidationError

from cairn.ground.errors import InvalidArgument
from cairn.ground.settings import Limits

Model = TypeVar("Model", bound=BaseModel)

_MOST_PROBLEMS = 20
_MOST_NAME_CHARACTERS = 64
_WORDING = {"missing": "is required", "extra_forbidden": "is not a field of this tool"}


@dataclass(frozen=True, slots=True)
class Rules:
    """What validators need to know of settings and request; it is pydantic's validation context.

    `names` are those the request gives beside its arguments, by field: see `cairn.edge.callers`.
    """

    limits: Limits
    lenient: bool
    names: Mapping[str, str] = field(default_factory=dict[str, str])


def validate(model: type[Model], arguments: object, rules: Rules) -> Model:
    """Return the arguments as the tool's input, InvalidArgument otherwise."""
    if not isinstance(arguments, dict):
        raise InvalidArgument("arguments", "must be a JSON object")
    check_values(cast("dict[str, Any]", arguments), rules.limits)
    try:
        return model.model_validate(arguments, context=rules)
    except ValidationError as error:
        first, *more = list(_problems(error, in_choice=issubclass(model, RootModel)))[:_MOST_PROBLEMS]
        raise InvalidArgument(*first, *more) from None


def first_problem(error: ValidationError, where: str) -> tuple[str, str]:
    """Return the first problem of a part that stands at this place, and its place."""
    name, problem = next(_problems(error, in_choice=False))
    return f"{where}.{name}" if error.errors()[0]["loc"] else where, problem


def check_values(value: object, limits: Limits) -> None:
    """Refuse, naming the field, what no tool can keep: too deep nesting, lone surrogates, NUL, non-finite numbers."""
    waiting: list[tuple[str, object, int]] = [("", value, 1)]
    while waiting:
        field, node, depth = waiting.pop()
        if isinstance(node, (dict, list)):
            if depth > limits.json_depth:
                raise InvalidArgument(field, f"nests deeper than {limits.json_depth}")
            waiting.extend((name, child, depth + 1) for name, child in _children(field, cast("object", node)))
        elif isinstance(node, str):
            _check_text(field, node)
        elif isinstance(node, float) and not math.isfinite(node):
            raise InvalidArgument(field, "must be a finite number")


def field_name(parent: str, part: str | int) -> str:
    """Return the path of a part: parent[3] or parent.name, the name cut and made printable."""
    if isinstance(part, int):
        return f"{parent}[{part}]"
    name = part[:_MOST_NAME_CHARACTERS].encode("utf-8", "replace").decode()
    return f"{parent}.{name}" if parent else name


def _children(field: str, node: object) -> Iterator[tuple[str, object]]:
    if isinstance(node, list):
        for index, child in enumerate(cast("list[object]", node)):
            yield field_name(field, index), child
        return
    for name, child in cast("dict[str, object]", node).items():
        path = field_name(field, name)
        _check_text(path, name)
        yield path, child


def _check_text(field: str, text: str) -> None:
    if "\x00" in text:
        raise InvalidArgument(field, "must not hold NUL")
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidArgument(field, "must not hold lone surrogates") from None


def _problems(error: ValidationError, *, in_choice: bool) -> Iterator[tuple[str, str]]:
    """Yield each field and its problem; of a choice between models the first part of a place is the choice taken."""
    for problem in error.errors(include_url=False, include_input=False):
        context = problem.get("ctx", {})
        if "discriminator" in context:
            yield _choice(context)
            continue
        field = ""
        for part in problem["loc"][1:] if in_choice else problem["loc"]:
            field = field_name(field, part)
        field += context.get("path", "")
        said = problem["msg"].removeprefix("Input ").removeprefix("Value error, ")
        yield field or "arguments", _WORDING.get(problem["type"], said[:1].lower() + said[1:])


def _choice(context: Mapping[str, Any]) -> tuple[str, str]:
    allowed = context.get("expected_tags")
    return context["discriminator"].strip("'"), f"must be one of {allowed}" if allowed else "is required"
