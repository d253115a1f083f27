"""Translate items, conditions and writes into DynamoDB's expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from cairn.ground.table import (
    ABSENT,
    RESERVED_NAME,
    AllOf,
    AnyOf,
    Attributes,
    Check,
    Condition,
    Delete,
    Equals,
    Key,
    LessThan,
    Missing,
    Put,
    Scalar,
    Update,
    Write,
)

Value: TypeAlias = dict[str, Any]
Kind: TypeAlias = Literal["Put", "Update", "Delete", "ConditionCheck"]


def encoded(item: Attributes) -> dict[str, Value]:
    """Return an item as typed DynamoDB values."""
    return {name: _encoded_value(value) for name, value in item.items()}


def decoded(item: Mapping[str, Any]) -> dict[str, Scalar]:
    """Return an item from typed DynamoDB values, without the request id that Cairn keeps in it."""
    return {name: _decoded_value(value) for name, value in item.items() if name != RESERVED_NAME}


def encoded_key(key: Key) -> dict[str, Value]:
    """Return a key as typed DynamoDB values."""
    return encoded({"pk": key.pk, "sk": key.sk})


def written_by(item: Mapping[str, Any] | None, request_id: str) -> bool:
    """Return whether a stored item, still in typed values, was last written by this request."""
    return item is not None and item.get(RESERVED_NAME) == {"S": request_id}


def statement(write: Write, request_id: str) -> tuple[Kind, dict[str, Any]]:
    """Return a write as an item of TransactWriteItems without its table, which is what the single calls take as well.

    A write that must not be applied twice leaves its request id in the item: when an acknowledgement is lost and the
    SDK repeats the call, the condition fails, and the returned item tells that this very request has succeeded.
    """
    match write:
        case Put():
            return "Put", _put(write, request_id)
        case Update():
            return "Update", _update(write, request_id)
        case Delete(key, condition):
            guard = None if condition is None else AnyOf((ABSENT, condition))
            return "Delete", {"Key": encoded_key(key), **_Expression().fields(guard)}
        case Check(key, condition):
            return "ConditionCheck", {"Key": encoded_key(key), **_Expression().fields(condition)}


def _put(write: Put, request_id: str) -> dict[str, Any]:
    if write.condition is None:
        return {"Item": encoded(write.item)}
    item = encoded({**write.item, RESERVED_NAME: request_id})
    return {"Item": item, **_Expression().fields(write.condition)}


def _update(write: Update, request_id: str) -> dict[str, Any]:
    expression = _Expression()
    last, own = expression.name(RESERVED_NAME), expression.value(request_id)
    once = f"(attribute_not_exists({last}) OR {last} <> {own})"
    name, value = expression.name, expression.value
    clauses = [
        ("SET", [f"{last} = {own}", *(f"{name(attribute)} = {value(new)}" for attribute, new in write.set.items())]),
        ("ADD", [f"{name(attribute)} {value(amount)}" for attribute, amount in write.add.items()]),
        ("REMOVE", [name(attribute) for attribute in write.remove]),
    ]
    change = " ".join(f"{verb} {', '.join(parts)}" for verb, parts in clauses if parts)
    return {"Key": encoded_key(write.key), "UpdateExpression": change, **expression.fields(write.condition, once)}


class _Expression:
    """Collects placeholders, so that no attribute name or value is ever part of an expression's text."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: dict[str, Value] = {}

    def name(self, attribute: str) -> str:
        """Return the placeholder of an attribute's name."""
        return self._names.setdefault(attribute, f"#{len(self._names)}")

    def value(self, value: Scalar) -> str:
        """Return a placeholder for a value."""
        placeholder = f":{len(self._values)}"
        self._values[placeholder] = _encoded_value(value)
        return placeholder

    def fields(self, condition: Condition | None, once: str = "") -> dict[str, Any]:
        """Return the request fields of a condition and of all placeholders so far; `once` must hold as well."""
        parts = [*([] if condition is None else [self._text(condition)]), *([once] if once else [])]
        fields: dict[str, Any] = {}
        if parts:
            fields |= {"ConditionExpression": " AND ".join(parts), "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        if self._names:
            fields["ExpressionAttributeNames"] = {short: name for name, short in self._names.items()}
        if self._values:
            fields["ExpressionAttributeValues"] = self._values
        return fields

    def _text(self, condition: Condition) -> str:
        match condition:
            case Missing(name):
                return f"attribute_not_exists({self.name(name)})"
            case Equals(name, value):
                return f"{self.name(name)} = {self.value(value)}"
            case LessThan(name, value):
                return f"{self.name(name)} < {self.value(value)}"
            case AnyOf(parts):
                return self._joined(" OR ", parts)
            case AllOf(parts):
                return self._joined(" AND ", parts)

    def _joined(self, operator: str, parts: tuple[Condition, ...]) -> str:
        if len(parts) == 1:  # DynamoDB refuses redundant parentheses
            return self._text(parts[0])
        if not parts:
            raise ValueError("AnyOf and AllOf take at least one condition")
        return f"({operator.join(self._text(part) for part in parts)})"


def _encoded_value(value: Scalar) -> Value:
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, int):
        return {"N": str(value)}
    return {"S": value} if isinstance(value, str) else {"B": value}


def _decoded_value(value: Mapping[str, Any]) -> Scalar:
    ((kind, content),) = value.items()
    return int(content) if kind == "N" else content
