"""Each function's role, held both ways to what the function touches: all of that is allowed, and nothing beside it."""

from __future__ import annotations

from typing import Any

import pytest

from cairn_tools.catalog import CATALOG
from functions import Function, functions
from support.iam import Request, allows, applies, is_of, narrowed
from support.roles import touched
from support.touches import Touches

FUNCTIONS = functions(CATALOG)
# What no call of a port shows: the log and trace of every function, what the queue does as the worker, and models.
# tests/architecture/test_template_roles.py says whose they are.
UNSEEN = {"WriteLog", "Trace", "TakeJobs", "OpenJobs", "AskModel", "ReadModelKeys", "AskTitan"}
ITEM = ("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem")
WRITES = ITEM[2:]


@pytest.fixture(scope="module")
def touches() -> Touches:
    return touched()


@pytest.fixture(scope="module")
def roles(resources: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return each function's statements, those under a condition too."""
    found: dict[str, list[dict[str, Any]]] = {}
    for each in FUNCTIONS:
        document = resources[f"{each.logical_id}Role"]["Properties"]["Policies"][0]["PolicyDocument"]
        found[each.name] = [said["Fn::If"][1] if "Fn::If" in said else said for said in document["Statement"]]
    return found


def asked(touches: Touches, function: str) -> list[Request]:
    return [request for touch in sorted(touches.of[function]) for request in touch.requests()]


@pytest.mark.slow
@pytest.mark.req("R310")
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.name)
def test_a_role_allows_all_that_its_function_touches(
    roles: dict[str, list[dict[str, Any]]], touches: Touches, function: Function
) -> None:
    refused = [each for each in asked(touches, function.name) if not allows(roles[function.name], each)]

    assert refused == []


@pytest.mark.slow
@pytest.mark.req("R310")
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.name)
def test_a_role_allows_nothing_that_its_function_never_touches(
    roles: dict[str, list[dict[str, Any]]], touches: Touches, function: Function
) -> None:
    requests = asked(touches, function.name)
    unused = [
        f"{part['Sid']} {part.get('Condition')}"
        for said in roles[function.name]
        if said["Effect"] == "Allow" and said["Sid"] not in UNSEEN
        for part in narrowed(said)
        if not any(applies(part, each) and is_of(part, each) for each in requests)
    ]

    assert unused == []
