"""The JSON Schema of a model as agents read it: one self-contained object, small, and plain enough for any client."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from pydantic import BaseModel

_REFERENCE = "#/$defs/"
_NULL = {"type": "null"}


@cache
def input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a tool's input; a field that may be left out is not shown as nullable too."""
    schema = _standalone(model.model_json_schema(mode="validation"))
    return {**schema, "properties": {name: _without_null(part) for name, part in schema["properties"].items()}}


@cache
def output_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a tool's output."""
    return _standalone(model.model_json_schema(mode="serialization"))


def _standalone(schema: dict[str, Any]) -> dict[str, Any]:
    definitions = schema.pop("$defs", {})
    return {key: value for key, value in _plain(schema, definitions).items() if key != "description"}


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
