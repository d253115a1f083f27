"""List the tools that a caller may use, over HTTP as `tools/list` does over MCP."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from cairn.tool.call import Call
from cairn.tool.tool import Tool, tool, visible


class ListTools(BaseModel):
    """Nothing."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ToolLine(BaseModel):
    """A tool."""

    name: Annotated[str, Field(description="Call it at /v1/tools/{name}.")]
    title: Annotated[str, Field(description="Its name for people.")]
    description: Annotated[str, Field(description="When to call it, and what it gives.")]
    scope: Annotated[str, Field(description="read, write or admin.")]
    route: Annotated[str | None, Field(description="Where it can be called with query parameters as well.")]
    input_schema: Annotated[dict[str, Any], Field(description="JSON Schema of its arguments.")]
    output_schema: Annotated[dict[str, Any], Field(description="JSON Schema of its answer.")]

    @classmethod
    def of(cls, tool: Tool) -> ToolLine:
        """Return what is told of a tool."""
        return cls(
            name=tool.name,
            title=tool.title,
            description=tool.summary,
            scope=tool.scope,
            route=str(tool.route) if tool.route else None,
            input_schema=tool.input_schema(),
            output_schema=tool.output_schema(),
        )


class ToolList(BaseModel):
    """Tools."""

    tools: Annotated[list[ToolLine], Field(description="Those that the key may use, in the catalog's order.")]


@tool(
    title="List tools",
    example={},
    grants=("sessions:read", "policy:read"),
    read_only=True,
    route="GET /v1/tools",
    of_own_projects=True,
)
def memory_list_tools(request: ListTools, call: Call) -> ToolList:
    """Call to list the tools that the key may use, with the schemas of what they take and give."""
    from cairn_tools.catalog import CATALOG  # noqa: PLC0415 - which has this tool in it

    del request
    return ToolList(tools=[ToolLine.of(each) for each in visible(CATALOG, call)])


handler = memory_list_tools.handler
