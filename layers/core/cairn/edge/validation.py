"""From arguments to a tool's input model, or one InvalidArgument that names every wrong field."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar, cast

from pydantic import BaseModel, RootModel, ValidationError
from pydantic_core import PydanticCustomError

from cairn.edge.callers import advice
from cairn.edge.schema import input_schema, takes_null
from cairn.ground.errors import InvalidArgument
from cairn.ground.settings import Limits

Model = TypeVar("Model", bound=BaseModel)
_Container: TypeAlias = dict[str, object] | list[object]

_MOST_PROBLEMS = 20
_MOST_NAME_CHARACTERS = 64
_WORDING = {"missing": "is required", "extra_forbidden": "is not a field of this tool"}


@dataclass(frozen=True, slots=True)
class Rules:
    """What validators need to know of settings and request; it is pydantic's validation context.

    `names` are those the request gives beside its arguments, by field: see `cairn.edge.callers`. `bound` are those that
    the credential settles, where neither says.
    """

    limits: Limits
    lenient: bool
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    bound: Mapping[str, str] = field(default_factory=dict[str, str])


def validate(model: type[Model], arguments: object, rules: Rules) -> Model:
    """Return the arguments as the tool's input, InvalidArgument otherwise; null is an argument left out."""
    if not isinstance(arguments, dict):
        raise InvalidArgument("arguments", "must be a JSON object")
    check_values(cast("dict[str, Any]", arguments), rules.limits)
    try:
        return model.model_validate(without_nulls(model, cast("object", arguments)), context=rules)
    except ValidationError as error:
        found = list(_problems(error, in_choice=issubclass(model, RootModel)))[:_MOST_PROBLEMS]
        missing = {name for name, problem in found if problem == _WORDING["missing"]}
        raise InvalidArgument(*found[0], *found[1:], advice=advice(missing)) from None


def without_nulls(model: type[BaseModel], arguments: object) -> object:
    """Return the arguments without those that are null, unless null is a value of theirs or they are no field's."""
    given = cast("dict[str, object]", arguments) if isinstance(arguments, dict) else {}
    if None not in given.values():
        return cast("object", arguments)
    fields = input_schema(model)["properties"]
    return {
        name: value
        for name, value in given.items()
        if value is not None or name not in fields or takes_null(fields[name])
    }


def first_problem(error: ValidationError, where: str) -> tuple[str, str]:
    """Return the first problem of a part that stands at this place, and its place."""
    name, problem = next(_problems(error, in_choice=False))
    return f"{where}.{name}" if error.errors()[0]["loc"] else where, problem


def check_values(value: object, limits: Limits) -> None:
    """Refuse, naming the field, what no tool can keep: too deep nesting, lone surrogates, NUL, non-finite numbers."""
    waiting: list[tuple[str, _Container, int]] = []
    if isinstance(value, (dict, list)):
        waiting.append(("", cast("_Container", value), 1))
    while waiting:
        where, node, depth = waiting.pop()
        if depth > limits.json_depth:
            raise InvalidArgument(where, f"nests deeper than {limits.json_depth}")
        for part, child in node.items() if isinstance(node, dict) else enumerate(node):
            if isinstance(part, str):
                _check_text(where, part, part)
            if isinstance(child, (dict, list)):
                waiting.append((field_name(where, part), cast("_Container", child), depth + 1))
            elif isinstance(child, str):
                _check_text(where, part, child)
            elif isinstance(child, float) and not math.isfinite(child):
                raise InvalidArgument(field_name(where, part), "must be a finite number")


def refused(problem: str, path: str = "") -> PydanticCustomError:
    """Return the error that names the field at `path`, below the one being validated, and its problem."""
    return PydanticCustomError("refused", "{problem}", {"problem": problem, "path": path})


def field_name(parent: str, part: str | int) -> str:
    """Return the path of a part: parent[3] or parent.name, the name cut and made printable."""
    if isinstance(part, int):
        return f"{parent}[{part}]"
    name = part[:_MOST_NAME_CHARACTERS].encode("utf-8", "replace").decode()
    return f"{parent}.{name}" if parent else name


def _check_text(where: str, part: str | int, text: str) -> None:
    # A place is named where something is wrong there: most values of a large request have none.
    if "\x00" in text:
        raise InvalidArgument(field_name(where, part), "must not hold NUL")
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidArgument(field_name(where, part), "must not hold lone surrogates") from None


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
