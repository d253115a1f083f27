"""What IAM makes of the statements of a role: whether they allow a call, and which of them say so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, cast

Context: TypeAlias = Mapping[str, Sequence[str]]
Statement: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """One call: its action, what it is about, and the values of the condition keys that AWS gives it."""

    action: str
    resource: str
    context: Context


def text(value: Any) -> str:
    """Return a name of the template with its references as they are written: `MemoryTable.Arn/index/sparse`."""
    match value:
        case {"Ref": str(name)} | {"Fn::Sub": str(name)}:
            return re.sub(r"\$\{([^}]+)\}", r"\1", name)
        case {"Fn::GetAtt": [name, attribute]}:
            return f"{name}.{attribute}"
        case _:
            return str(value)


def allows(statements: Sequence[Statement], request: Request) -> bool:
    """Tell whether a role may make a call: some statement allows it, and none denies it."""
    said = {each["Effect"] for each in statements if applies(each, request)}
    return said == {"Allow"}


def applies(statement: Statement, request: Request) -> bool:
    """Tell whether a statement is about a call."""
    return (
        request.action in statement["Action"]
        and any(_is_like(request.resource, text(each)) for each in _list(statement["Resource"]))
        and all(
            _holds(operator, [text(each) for each in _list(wanted)], request.context.get(key))
            for operator, tests in statement.get("Condition", {}).items()
            for key, wanted in tests.items()
        )
    )


def narrowed(statement: Statement) -> Iterator[Statement]:
    """Yield a statement once for each partition that it names, with that one alone, or as it is where it names none."""
    condition = statement.get("Condition", {}).get("ForAllValues:StringLike", {})
    if "dynamodb:LeadingKeys" not in condition:
        yield statement
        return
    for each in condition["dynamodb:LeadingKeys"]:
        yield {**statement, "Condition": {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [each]}}}


def is_of(statement: Statement, request: Request) -> bool:
    """Tell whether a call is about a partition that the statement names, and not of one whose free text looks like it.

    The first star of a pattern stands for a tenant, which holds no `#`.
    """
    condition = statement.get("Condition", {}).get("ForAllValues:StringLike", {})
    named = [each[1:] for each in condition.get("dynamodb:LeadingKeys", ()) if each.startswith("*")]
    values = request.context.get("dynamodb:LeadingKeys", ())
    return not named or all(any(_is_like(value[value.find("#") :], each) for each in named) for value in values)


def _holds(operator: str, wanted: Sequence[str], values: Sequence[str] | None) -> bool:
    quantifier, _, test = operator.rpartition(":")
    if test == "Null":
        return (values is None) == (wanted[0] == "true")
    if quantifier == "ForAllValues":
        return all(_matches(test, value, wanted) for value in values or ())
    if values is None:
        return test == "StringNotLike"
    return any(_matches(test, value, wanted) for value in values)


def _matches(test: str, value: str, wanted: Sequence[str]) -> bool:
    match test:
        case "StringEquals":
            return value in wanted
        case "StringLike":
            return any(_is_like(value, each) for each in wanted)
        case "StringNotLike":
            return not any(_is_like(value, each) for each in wanted)
        case _:
            raise ValueError(f"no condition of the template is {test}")


def _is_like(value: str, pattern: str) -> bool:
    return _compiled(pattern).fullmatch(value) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = {"*": ".*", "?": "."}
    return re.compile("".join(parts.get(each, re.escape(each)) for each in pattern), re.DOTALL)


def _list(value: Any) -> Sequence[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else [value]
