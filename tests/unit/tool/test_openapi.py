"""The OpenAPI document is valid, tells of every tool and route, and what is sent and answered by it is right."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from cairn import __version__, wiring
from cairn.edge.callers import NAME_HEADERS
from cairn.edge.problems import HTTP_STATUS
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn.tool.openapi import document
from cairn.tool.tool import Tool
from cairn_health.door import handler
from cairn_tools.catalog import CATALOG
from support.routes import ROUTED
from support.services import changed
from support.tool import ABSENT, http_status

pytestmark = pytest.mark.req("R295")
EVENT = {
    "version": "2.0",
    "rawPath": "/openapi.json",
    "requestContext": {"http": {"method": "GET", "path": "/openapi.json"}, "requestId": "request-1"},
}


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    return document(CATALOG, __version__)


def valid(value: Any, schema: dict[str, Any]) -> bool:
    return Draft202012Validator(schema).is_valid(value)  # pyright: ignore[reportUnknownMemberType] - half a stub


def test_the_document_is_valid_openapi_3_1(described: dict[str, Any]) -> None:
    assert described["openapi"] == "3.1.0"
    assert list(OpenAPIV31SpecValidator(json.loads(json.dumps(described))).iter_errors()) == []


def test_a_document_with_a_fault_would_be_refused(described: dict[str, Any]) -> None:
    broken: Any = {**described, "paths": {**described["paths"], "/x": {"get": {"responses": {"200": {}}}}}}
    assert list(OpenAPIV31SpecValidator(broken).iter_errors())


def test_it_has_every_tool_and_route_once(described: dict[str, Any]) -> None:
    operations = {
        f"{method.upper()} {path}": each
        for path, methods in described["paths"].items()
        for method, each in methods.items()
    }
    names = [each["operationId"] for each in operations.values()]

    assert len(set(names)) == len(names)
    assert {f"POST /v1/tools/{tool.name}" for tool in CATALOG} <= operations.keys()
    assert {str(tool.route) for tool in ROUTED} <= operations.keys()
    assert all(each.get("security") == [] for name, each in operations.items() if "/v1/" not in name)


@pytest.mark.parametrize("tool", [pytest.param(tool, id=tool.name) for tool in CATALOG])
def test_a_call_made_from_it_is_accepted_and_answered_as_it_says(
    tool: Tool, described: dict[str, Any], services: Services, event_of: Callable[..., dict[str, Any]]
) -> None:
    everything = {each.name: True for each in CATALOG}
    wiring.provide(changed(services, settings=Settings(memory_enabled=True, tool_switches=everything)))
    operation = described["paths"][f"/v1/tools/{tool.name}"]["post"]
    content = operation["requestBody"]["content"]["application/json"]
    assert valid(content["example"], content["schema"])

    scopes = "read write admin" if tool.for_operators else "read write"
    response = tool.handler(event_of(f"/v1/tools/{tool.name}", content["example"], scopes=scopes), None)

    body, status = json.loads(response["body"]), str(response["statusCode"])
    assert response["statusCode"] == http_status(tool)
    if status == "200":
        assert valid(body, operation["responses"]["200"]["content"]["application/json"]["schema"])
    else:
        assert tool.name in ABSENT
        assert operation["responses"][status] == {"$ref": f"#/components/responses/Error{status}"}
        assert valid(body, described["components"]["schemas"]["Error"])


@pytest.mark.parametrize("tool", [pytest.param(tool, id=tool.name) for tool in ROUTED])
def test_a_route_has_its_tool_s_fields_as_parameters(tool: Tool, described: dict[str, Any]) -> None:
    assert tool.route is not None
    operation = described["paths"][tool.route.path][tool.route.method.lower()]
    placed = [each for each in operation["parameters"] if "$ref" not in each]

    assert {each["name"] for each in placed if each["in"] == "path"} == set(re.findall(r"{(\w+)}", tool.route.path))
    assert all(each["required"] for each in placed if each["in"] == "path")
    assert len(placed) == len(tool.input_schema()["properties"])
    assert operation["responses"]["200"]["content"]["application/json"]["schema"] == tool.output_schema()


def test_every_error_has_its_status(described: dict[str, Any]) -> None:
    told = described["components"]["responses"]
    assert set(told) == {f"Error{status}" for status in HTTP_STATUS.values()}
    for code, status in HTTP_STATUS.items():
        assert re.search(rf"\b{code}\b", told[f"Error{status}"]["description"])


def test_a_name_that_a_header_may_give_need_not_be_in_the_body(described: dict[str, Any]) -> None:
    schema = described["paths"]["/v1/tools/recall"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert not set(schema.get("required", ())) & NAME_HEADERS.keys()


def test_anyone_may_read_it_and_keep_it(services: Services, described: dict[str, Any]) -> None:
    broken: Any = None
    wiring.provide(changed(services, health=broken))

    response = handler(EVENT, None)

    assert response["statusCode"] == 200
    assert response["headers"]["cache-control"] == "public, max-age=3600"
    assert json.loads(response["body"]) == json.loads(json.dumps(described))
