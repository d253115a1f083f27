"""The samples under events/ work with `sam local invoke`, as far as that can be seen without a container."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cairn.ground.settings import AuthSettings, OidcSettings
from cairn.local.server.doors import load
from cairn.settings.settings import Settings
from cairn.tool.tool import Tool
from cairn_tools.catalog import CATALOG
from functions import functions
from support.tool import FOR_AGENTS, check_example, http_status, outcome

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = {each.name: each for each in functions(CATALOG)}
OF_SOME = {"CAIRN_SANDBOX", "CAIRN_CLUSTER_TOKEN_ARN"}
"""Variables that the template gives not all functions."""
RESOURCE = "https://memory.example.com/mcp"
HERE = [tool for tool in CATALOG if not tool.own_machine_only]
every_tool = pytest.mark.parametrize("tool", HERE, ids=lambda tool: tool.name)
every_agents_tool = pytest.mark.parametrize("tool", FOR_AGENTS, ids=lambda tool: tool.name)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Have an issuer too, whose tokens a host of their own takes."""
    return replace(
        settings, auth=AuthSettings(oidc=OidcSettings(issuer="https://login.example.com", resource=RESOURCE))
    )


def invoke(template: dict[str, Any], logical_id: str, event: str) -> dict[str, Any]:
    """Return what the handler that the template names for a function answers to a sample event."""
    handler = load(template["Resources"][logical_id]["Properties"]["Handler"])
    return handler(json.loads((ROOT / "events" / event).read_text(encoding="utf-8")), None)


@every_tool
@pytest.mark.usefixtures("services")
def test_each_tool_s_function_answers_its_sample_event(template: dict[str, Any], tool: Tool) -> None:
    function = FUNCTIONS[tool.function]
    response = invoke(template, f"{function.logical_id}Function", f"http/{tool.name}.json")

    assert response["statusCode"] == http_status(tool)
    check_example(tool, json.loads(response["body"]))


@every_agents_tool
@pytest.mark.usefixtures("services")
def test_the_mcp_function_answers_each_tool_s_sample_event(template: dict[str, Any], tool: Tool) -> None:
    response = invoke(template, "McpFunction", f"mcp/{tool.name}.json")

    result = json.loads(response["body"])["result"]
    assert response["statusCode"] == 200
    assert result["isError"] is (outcome(tool) != "OK")
    check_example(tool, result["structuredContent"])


@pytest.mark.parametrize(
    ("function", "event", "said"),
    [
        ("Health", "health", {"status": "ok"}),
        ("Health", "runtime_config", {"tools": {"memory": True, "standard": True}}),
        ("Metadata", "metadata", {"resource": RESOURCE}),
    ],
)
@pytest.mark.usefixtures("services")
def test_what_needs_no_key_answers_its_sample_event(
    template: dict[str, Any], function: str, event: str, said: dict[str, Any]
) -> None:
    response = invoke(template, f"{function}Function", f"http/{event}.json")

    assert response["statusCode"] == 200
    assert said.items() <= json.loads(response["body"]).items()


@pytest.mark.usefixtures("services")
def test_the_console_answers_its_sample_event_with_the_page_to_sign_in_on(template: dict[str, Any]) -> None:
    response = invoke(template, "ConsoleFunction", "http/console.json")

    assert (response["statusCode"], response.get("cookies", [])) == (401, [])
    assert 'name="key"' in response["body"]


@pytest.mark.usefixtures("services")
def test_the_authorizer_answers_its_sample_event(template: dict[str, Any]) -> None:
    refused = {"refused": "unknown", "challenge": "Bearer"}

    assert invoke(template, "AuthorizerFunction", "authorizer.json") == {"isAuthorized": True, "context": refused}


@pytest.mark.parametrize("tool", [each for each in CATALOG if each.family == "standard"], ids=lambda tool: tool.name)
def test_the_sandbox_answers_each_standard_tool_s_sample_event(template: dict[str, Any], tool: Tool) -> None:
    result = invoke(template, "SandboxFunction", f"sandbox/{tool.name}.json")["result"]

    assert set(result) == set(tool.output_schema()["properties"])


def test_the_environment_file_sets_what_the_template_sets_and_stands_for_the_stack_s_outputs(
    template: dict[str, Any],
) -> None:
    given = json.loads((ROOT / "events" / "env.json").read_text(encoding="utf-8"))
    variables = given["Parameters"]

    assert set(given) == {"Parameters"}
    of_all = template["Globals"]["Function"]["Environment"]["Variables"]
    assert set(variables) - {name for name, value in of_all.items() if not isinstance(value, str)} == OF_SOME
    assert json.loads(variables["CAIRN_SETTINGS"]) == json.loads(template["Parameters"]["Settings"]["Default"])
    assert {variables[name] for name in ("CAIRN_TABLE", "CAIRN_BUCKET", "CAIRN_KEY_ID", "CAIRN_SANDBOX")} < set(
        template["Outputs"]
    )
