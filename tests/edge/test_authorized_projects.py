"""A key opens its projects alone, at every door."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from cairn.access.api_keys import Grant, project_pattern
from cairn.ground.ids import Tenant
from cairn.services import Services
from cairn.tool.call import Call
from cairn.tool.tool import Tool, tool
from support.access import AFTER, BEFORE, EventOf, answered, bearer, over_mcp, through
from support.tool import SESSION_TOOLS, http_status

ACME = Tenant("acme")


class Nothing(BaseModel):
    """No field."""


@pytest.mark.req("R010")
@pytest.mark.parametrize("projects", ["orchard", "garden2", "garden.*", "gard", "other garden2"])
@pytest.mark.parametrize("tool", [pytest.param(tool, id=tool.name) for tool in SESSION_TOOLS])
def test_a_project_outside_the_key_s_is_denied_at_every_door(
    tool: Tool, projects: str, services: Services, event_of: EventOf
) -> None:
    grant = Grant(tuple(project_pattern(each) for each in projects.split()))
    key = services.credentials.create(ACME, grant).text

    over_http = answered(tool, through(bearer(key), event_of("/", tool.example)))

    assert over_http[0] == 403
    assert over_http[1]["error"] == {
        "code": "PERMISSION_DENIED",
        "message": "This key does not open this project",
        "details": {"namespace": "garden", "operation": "read" if tool.read_only else "write"},
        "retryable": False,
    }
    assert over_mcp(tool, bearer(key), event_of) == over_http
    assert BEFORE.example["project"] == "garden"


@pytest.mark.req("R010")
@pytest.mark.parametrize("projects", ["garden", "*", "other garden"])
@pytest.mark.parametrize("tool", [pytest.param(tool, id=tool.name) for tool in SESSION_TOOLS])
def test_a_project_of_the_key_s_is_served_at_every_door(
    tool: Tool, projects: str, services: Services, event_of: EventOf
) -> None:
    grant = Grant(tuple(project_pattern(each) for each in projects.split()))
    key = services.credentials.create(ACME, grant).text

    assert answered(tool, through(bearer(key), event_of("/", tool.example)))[0] == http_status(tool)
    assert over_mcp(tool, bearer(key), event_of)[0] == http_status(tool)


@pytest.mark.parametrize(
    ("grants", "projects", "served"),
    [(("sessions:read",), "*", True), (("sessions:read",), "garden *.x", False), ((), "garden", True)],
)
def test_a_tool_that_reaches_the_store_in_no_project_s_name_takes_a_key_to_all(
    grants: tuple[str, ...], projects: str, *, served: bool, services: Services, event_of: EventOf
) -> None:
    @tool(title="Look", example={}, grants=grants, read_only=True)
    def look(request: Nothing, call: Call) -> Nothing:
        """Call to look."""
        assert call
        return request

    grant = Grant(tuple(project_pattern(each) for each in projects.split()))
    key = services.credentials.create(ACME, grant).text

    status, body = answered(look, through(bearer(key), event_of("/", {})))

    if served:
        assert (status, body) == (200, {})
    else:
        assert (status, body["error"]["details"]) == (403, {"namespace": "memory", "operation": "read"})


def test_a_denied_project_leaves_the_store_as_it_was(services: Services, event_of: EventOf, store: Any) -> None:
    key = services.credentials.create(ACME, Grant((project_pattern("orchard"),))).text
    before = store.rows()

    assert answered(AFTER, through(bearer(key), event_of("/", AFTER.example)))[0] == 403

    assert store.rows() == before
