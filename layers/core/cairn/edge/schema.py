"""The JSON Schema of a model as agents read it: one self-contained object, small, and plain enough for any client."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from pydantic import BaseModel

_REFERENCE = "#/$defs/"
_NULL = {"type": "null"}
_CHECKED_ANYWAY = frozenset({"minLength", "maxLength", "pattern", "additionalProperties"})
"""What a model does not read before it calls, and an error says where it matters."""
_NO_BOUND = 2**53
"""From here on a number is bounded by what stores it, not by what it means."""


@cache
def input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a tool's input; a field that may be left out is not shown as nullable too."""
    schema, _ = _standalone(model.model_json_schema(mode="validation"))
    return {**schema, "properties": {name: _without_null(part) for name, part in schema["properties"].items()}}


@cache
def output_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a tool's output."""
    schema, choices = _standalone(model.model_json_schema(mode="serialization"))
    if len(choices) == 1:
        return schema
    return {**schema, "anyOf": [{"required": choice["required"]} for choice in choices]}


def takes_null(schema: dict[str, Any]) -> bool:
    """Tell whether null is a value of the field with this schema, not the field left out."""
    return _NULL in schema.get("anyOf", ())


def listed(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what of an input's schema is worth its tokens to a model.

    Left out are what texts may hold, that one thing may stand for a list of it, which fields of an object go together,
    which one that takes any field may have and that another takes no other, and defaults and bounds that say nothing.
    """
    hidden = {"properties", "required"} if _is_open(schema) else set[str]()
    if schema.get("type") == "integer" and schema.get("minimum", 2) <= 1:  # what is counted is no less
        hidden.add("minimum")
    return {
        key: _listed_part(key, value) for key, value in schema.items() if key not in hidden and not _idle(key, value)
    }


def _is_open(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "object" and schema.get("additionalProperties") is not False


def _idle(key: str, value: Any) -> bool:
    if key == "anyOf":
        return all(choice.keys() == {"required"} for choice in value)
    if key == "default":
        return value is False or value in ("", [])
    if key == "maximum":
        return value >= _NO_BOUND
    return key in _CHECKED_ANYWAY


def _listed_part(key: str, value: Any) -> Any:
    if key == "properties":
        return {name: listed(part) for name, part in value.items()}
    if key == "items":
        return listed(value)
    if key == "anyOf":
        members = [choice.get("items") for choice in value]
        return [_briefly(choice, value) for choice in value if not (_is_open(choice) and choice in members)]
    return value


def _briefly(choice: dict[str, Any], choices: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one of several choices as it is listed; of a list of what is another of them, not again what that is."""
    brief = listed(choice)
    return {**brief, "items": {"type": "object"}} if choice.get("items") in choices else brief


def _standalone(schema: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return one object without references, and the choices it was made of where it stands for several."""
    definitions = schema.pop("$defs", {})
    choices = schema.get("oneOf") or schema.get("anyOf") or [schema]
    plain = [_plain(choice, definitions) for choice in choices]
    return {key: value for key, value in _merged(plain).items() if key != "description"}, plain


def _merged(choices: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one object with the fields of all: clients of models refuse a schema that is a choice itself."""
    first, *others = choices
    merged = {**first, "properties": dict(first["properties"])}
    for other in others:
        for name, part in other["properties"].items():
            merged["properties"][name] = _either(merged["properties"].get(name, part), part)
        merged["required"] = [name for name in merged["required"] if name in other["required"]]
    return {key: value for key, value in merged.items() if value != []}


def _either(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return what allows both; two fields of one name are the same or differ in their only value."""
    if one == other:
        return one
    values = [*one.get("enum", [one.get("const")]), other["const"]]
    return {**{key: value for key, value in one.items() if key != "const"}, "enum": values}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    if schema.get("default", ...) is not None:
        return schema
    kept = {key: value for key, value in schema.items() if key not in {"anyOf", "default"}}
    choices = [choice for choice in schema["anyOf"] if choice != _NULL]
    return {**choices[0], **kept} if len(choices) == 1 else {**kept, "anyOf": choices}


def _plain(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref")
    if reference:
        schema = {**definitions[reference.removeprefix(_REFERENCE)], **{k: v for k, v in schema.items() if k != "$ref"}}
    return {key: _part(key, value, definitions) for key, value in schema.items() if key != "title"}


def _part(key: str, value: Any, definitions: dict[str, Any]) -> Any:
    if key == "properties":
        return {name: _plain(part, definitions) for name, part in value.items()}
    if key in {"items", "additionalProperties"} and isinstance(value, dict):
        return _plain(cast("dict[str, Any]", value), definitions)
    if key == "anyOf":
        return [_plain(part, definitions) for part in value]
    return value
