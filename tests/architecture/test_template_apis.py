"""What no linter sees in template.yaml: the APIs let nobody in whom the authorizer does not know."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from cairn_mcp.profiles import PROFILES
from cairn_tools.catalog import CATALOG
from functions import functions
from support.template import of_type

FUNCTIONS = functions(CATALOG)
MCP = ("/mcp", *(f"/mcp/{profile}" for profile in PROFILES))
PARAMETER = re.compile(r"\{\w+\+?\}")
CONSOLE = ("/", "/console", "/console/{page+}")
"""Where a browser shows a cookie, which the console's own function reads."""
HERE = {tool.name for tool in CATALOG if tool.own_machine_only}


def routes_of(resources: dict[str, Any], api: str) -> dict[str, dict[str, Any]]:
    routes = of_type(resources, "AWS::ApiGatewayV2::Route").values()
    return {each["RouteKey"]: each for each in routes if each["ApiId"] == {"Ref": api}}


def test_every_route_asks_the_authorizer_but_those_that_tell_nothing_of_anyone(resources: dict[str, Any]) -> None:
    routes = routes_of(resources, "Api")

    assert {f"POST /v1/tools/{tool.name}" for tool in CATALOG if tool.name not in HERE} < set(routes)
    assert not {f"POST /v1/tools/{name}" for name in HERE} & set(routes)
    assert {str(tool.route) for tool in CATALOG if tool.route} < set(routes)
    assert {"POST /mcp", "GET /healthz"} < set(routes)
    for public in ("GET /healthz", "GET /v1/runtime-config", "GET /openapi.json"):
        assert routes.pop(public)["AuthorizationType"] == "NONE"
    for path in CONSOLE:
        assert {routes.pop(f"{method} {path}")["AuthorizationType"] for method in ("GET", "POST")} == {"NONE"}
    for route in routes.values():
        assert (route["AuthorizationType"], route["AuthorizerId"]) == ("CUSTOM", {"Ref": "ApiAuthorizer"})


def test_every_route_of_the_oauth_host_asks_its_authorizer_but_the_ones_for_metadata(resources: dict[str, Any]) -> None:
    routes = routes_of(resources, "OAuthApi")

    for suffix in ("", "/mcp"):
        assert routes.pop(f"GET /.well-known/oauth-protected-resource{suffix}")["AuthorizationType"] == "NONE"
    assert set(routes) == {f"{each} {path}" for each in ("POST", "GET", "DELETE") for path in MCP}
    for route in routes.values():
        assert (route["AuthorizationType"], route["AuthorizerId"]) == ("CUSTOM", {"Ref": "OAuthAuthorizer"})


def test_the_host_for_keys_has_no_discovery_at_all(resources: dict[str, Any]) -> None:
    assert not [key for key in routes_of(resources, "Api") if "well-known" in key]


def test_an_authorizer_is_asked_about_every_request(resources: dict[str, Any]) -> None:
    authorizers = of_type(resources, "AWS::ApiGatewayV2::Authorizer")

    assert set(authorizers) == {"ApiAuthorizer", "OAuthAuthorizer"}
    for each in authorizers.values():
        assert each["EnableSimpleResponses"] is True
        assert each["AuthorizerPayloadFormatVersion"] == "2.0"
        assert (each["IdentitySource"], each["AuthorizerResultTtlInSeconds"]) == ([], 0)
        assert "${AuthorizerFunction.Arn}" in each["AuthorizerUri"]["Fn::Sub"]


def test_the_oauth_host_is_there_only_where_an_issuer_is_named(template: dict[str, Any]) -> None:
    resources, outputs = template["Resources"], template["Outputs"]
    whole = {**resources, **outputs}
    of_host = {name for name in whole if "OAuth" in name or name.startswith("Metadata")}

    assert {"OAuthApi", "OAuthUrl", "MetadataFunction", "McpOAuthPostRoute", "AuthorizerOAuthPermission"} < of_host
    assert {name for name, each in whole.items() if "HasIssuer" in each.get("Condition", "")} == of_host
    assert template["Conditions"]["HasIssuer"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "OidcIssuer"}, ""]}]}
    both = [{"Condition": "AllAlarms"}, {"Condition": "HasIssuer"}]
    assert template["Conditions"]["AllAlarmsAndHasIssuer"] == {"Fn::And": both}


def test_the_resource_is_the_oauth_host_s_own_mcp_endpoint_unless_told(template: dict[str, Any]) -> None:
    given = template["Globals"]["Function"]["Environment"]["Variables"]

    assert given["CAIRN_AUTH_OIDC_ISSUER"] == {"Ref": "OidcIssuer"}
    named, otherwise = given["CAIRN_AUTH_OIDC_RESOURCE"]["Fn::If"][1:]
    assert named == {"Ref": "OidcResource"}
    assert otherwise == {"Fn::If": ["HasIssuer", {"Fn::Sub": "${OAuthApi.ApiEndpoint}/mcp"}, ""]}


@pytest.mark.parametrize("stage", ["ApiStage", "OAuthApiStage"])
def test_an_api_is_throttled_and_writes_an_access_log(resources: dict[str, Any], stage: str) -> None:
    found = of_type(resources, "AWS::ApiGatewayV2::Stage")[stage]

    assert found["StageName"] == "$default"
    assert set(found["DefaultRouteSettings"]) >= {"ThrottlingRateLimit", "ThrottlingBurstLimit"}
    assert found["AccessLogSettings"]["DestinationArn"] == {"Fn::GetAtt": ["ApiLogs", "Arn"]}


@pytest.mark.parametrize("api", ["Api", "OAuthApi"])
def test_no_web_page_of_just_anyone_may_call(resources: dict[str, Any], api: str) -> None:
    cors = of_type(resources, "AWS::ApiGatewayV2::Api")[api]["CorsConfiguration"]["Fn::If"][1]

    assert cors["AllowOrigins"] == {"Ref": "AllowedOrigins"}
    assert {"authorization", "mcp-protocol-version"} < set(cors["AllowHeaders"])
    assert ("x-api-key" in cors["AllowHeaders"]) is (api == "Api")
    assert "mcp-session-id" in set(cors["AllowHeaders"]) & set(cors["ExposeHeaders"])


def sources(paths: Sequence[str]) -> set[str]:
    """Return each path alone in its folder, and the folder where it has several."""
    folders = Counter(path.rpartition("/")[0] for path in paths)
    several = {folder for folder, count in folders.items() if folder and count > 1}
    alone = {PARAMETER.sub("*", path) for path in paths if path.rpartition("/")[0] not in several}
    return alone | {f"{folder}/*" for folder in several}


def test_only_the_gateway_s_own_routes_may_invoke_a_function(resources: dict[str, Any]) -> None:
    permissions = of_type(resources, "AWS::Lambda::Permission")
    allowed_sources = [each["SourceArn"]["Fn::Sub"].partition("${AWS::AccountId}:")[2] for each in permissions.values()]

    expected = [
        f"${{{host.api}}}/*/*{source}" for each in FUNCTIONS for host in each.hosts for source in sources(each.paths)
    ]
    own = {route.replace(" ", "") for each in FUNCTIONS for route in each.routes}
    expected += [f"${{Api}}/*/{PARAMETER.sub('*', route)}" for route in own]
    expected += ["${Api}/authorizers/${ApiAuthorizer}", "${OAuthApi}/authorizers/${OAuthAuthorizer}"]
    assert sorted(allowed_sources) == sorted(expected)
    assert {each["Principal"] for each in permissions.values()} == {"apigateway.amazonaws.com"}
