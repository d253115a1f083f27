"""Filters on the metadata of memory records, which compare values of one kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import ge, gt, le, lt
from typing import Any, Final, TypeAlias

from cairn_agentcore.record_fields import RecordFilter

Metadata: TypeAlias = Mapping[str, Mapping[str, Any]]
_ORDERS: Final[Mapping[str, tuple[str, Callable[[Any, Any], bool]]]] = {
    "BEFORE": ("dateTimeValue", lt),
    "AFTER": ("dateTimeValue", gt),
    "GREATER_THAN": ("numberValue", gt),
    "GREATER_THAN_OR_EQUALS": ("numberValue", ge),
    "LESS_THAN": ("numberValue", lt),
    "LESS_THAN_OR_EQUALS": ("numberValue", le),
}


def matches(metadata: Metadata, filters: Iterable[RecordFilter]) -> bool:
    """Tell whether a record's metadata has all that is wanted."""
    return all(_matches(metadata, each) for each in filters)


def _matches(metadata: Metadata, wanted: RecordFilter) -> bool:
    key = wanted.left.metadata_key or ""
    if wanted.operator in {"EXISTS", "NOT_EXISTS"}:
        return (key in metadata) == (wanted.operator == "EXISTS")
    operand = {} if wanted.right is None or wanted.right.metadata_value is None else wanted.right.metadata_value.told()
    value = metadata.get(key, {})
    if wanted.operator == "EQUALS_TO":
        return bool(operand) and value == operand
    if wanted.operator == "CONTAINS":
        return _contains(value, operand)
    kind, holds = _ORDERS[wanted.operator]
    return kind in value and kind in operand and holds(value[kind], operand[kind])


def _contains(value: Mapping[str, Any], operand: Mapping[str, Any]) -> bool:
    wanted = operand.get("stringValue")
    if "stringListValue" in value:
        return wanted in value["stringListValue"]
    return wanted is not None and wanted in value.get("stringValue", "")
