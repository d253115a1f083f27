"""The HTTP interface as an OpenAPI 3.1 document, from the models and the table of errors that the doors go by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from cairn.edge.callers import NAME_HEADERS
from cairn.edge.problems import HTTP_STATUS
from cairn.edge.routes import SHORT_NAMES
from cairn.tool.tool import Tool

_SHORT: Final = {field: short for short, field in SHORT_NAMES.items()}
_DESCRIPTION: Final = (
    "Memory for AI agents. Every tool is a POST with a JSON body; what lists or takes back can be asked with a path "
    "and query parameters too. A project, session or user that the key is bound to, or that a header names, may be "
    "left out. An answer that was made without damaged records has a field `damaged` that counts them. The same "
    "tools answer over MCP at /mcp."
)
_ERROR: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["type", "error"],
    "properties": {
        "type": {"const": "error"},
        "error": {
            "type": "object",
            "required": ["code", "message", "details", "retryable"],
            "properties": {
                "code": {"enum": sorted(HTTP_STATUS)},
                "message": {"type": "string"},
                "details": {"type": "object", "description": "For bad input `fields`: what is wrong, by field."},
                "retryable": {"type": "boolean", "description": "The same call may work if it is made again."},
            },
        },
    },
}
_HEADERS: Final[dict[str, dict[str, Any]]] = {
    "401": {"WWW-Authenticate": {"schema": {"type": "string"}, "description": "What credentials are asked for."}},
    "429": {"Retry-After": {"schema": {"type": "integer"}, "description": "After how many seconds to come again."}},
}


def document(tools: Sequence[Tool], version: str) -> dict[str, Any]:
    """Return the document that describes these tools."""
    paths: dict[str, dict[str, Any]] = {}
    for tool in tools:
        paths[f"/v1/tools/{tool.name}"] = {"post": _posted(tool)}
        if tool.route is not None:
            paths.setdefault(tool.route.path, {})[tool.route.method.lower()] = _asked(tool)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Cairn",
            "version": version,
            "description": _DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}, {"key": []}],
        "paths": {**paths, **_public()},
        "components": {
            "schemas": {"Error": _ERROR},
            "responses": dict(_responses()),
            "parameters": {field: _header(field) for field in NAME_HEADERS},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
            },
        },
    }


def _posted(tool: Tool) -> dict[str, Any]:
    schema = tool.input_schema()
    required = [name for name in schema.get("required", ()) if name not in NAME_HEADERS]
    body = {key: value for key, value in schema.items() if key != "required"} | (
        {"required": required} if required else {}
    )
    content = {"application/json": {"schema": body, "example": dict(tool.example)}}
    headers = [{"$ref": f"#/components/parameters/{name}"} for name in NAME_HEADERS if name in schema["properties"]]
    return {**_operation(tool, tool.name), "parameters": headers, "requestBody": {"required": True, "content": content}}


def _asked(tool: Tool) -> dict[str, Any]:
    return {**_operation(tool, f"{tool.name}_by_route"), "parameters": list(_parameters(tool))}


def _operation(tool: Tool, name: str) -> dict[str, Any]:
    answer = {"application/json": {"schema": tool.output_schema()}}
    errors = {status: {"$ref": f"#/components/responses/Error{status}"} for status in _statuses()}
    return {
        "operationId": name,
        "summary": tool.title,
        "description": f"{tool.summary}\n\nScope: {tool.scope if tool.runs is None else 'that of each step'}.",
        "tags": [tool.family],
        "responses": {"200": {"description": "The answer.", "content": answer}, **errors},
    }


def _parameters(tool: Tool) -> Iterator[dict[str, Any]]:
    """Yield the fields of a tool as parameters; in the query the names that headers can give need not be there."""
    schema, in_path = tool.input_schema(), tool.route.parameters if tool.route else ()
    for name, part in schema["properties"].items():
        said = {key: value for key, value in part.items() if key != "description"}
        required = name in schema.get("required", ()) and name not in NAME_HEADERS
        yield {
            "name": name if name in in_path else _SHORT.get(name, name),
            "in": "path" if name in in_path else "query",
            "required": True if name in in_path else required,
            "description": part.get("description", ""),
            "schema": said,
        }
    for name in NAME_HEADERS:
        if name in schema["properties"] and name not in in_path:
            yield {"$ref": f"#/components/parameters/{name}"}


def _header(field: str) -> dict[str, Any]:
    what = f"Stands for `{field}` where the call leaves it out."
    return {"name": NAME_HEADERS[field], "in": "header", "description": what, "schema": {"type": "string"}}


def _statuses() -> list[str]:
    return sorted({str(status) for status in HTTP_STATUS.values()})


def _responses() -> Iterator[tuple[str, dict[str, Any]]]:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for status in _statuses():
        codes = ", ".join(code for code, its in HTTP_STATUS.items() if str(its) == status)
        headers = {"headers": _HEADERS[status]} if status in _HEADERS else {}
        yield f"Error{status}", {"description": f"{codes}.", **headers, "content": content}


def _public() -> dict[str, Any]:
    """Return the paths that ask for no key."""
    told = {
        "/healthz": ("health", "Whether the stores answer"),
        "/v1/runtime-config": ("runtime_config", "Which families of tools are on"),
        "/openapi.json": ("openapi", "This document"),
    }
    json: dict[str, Any] = {"application/json": {"schema": {"type": "object"}}}
    well = {"200": {"description": "The answer.", "content": json}}
    unwell = {"503": {"description": "A store does not answer.", "content": json}}
    return {
        path: {
            "get": {
                "operationId": name,
                "summary": summary,
                "security": [],
                "responses": well | (unwell if name == "health" else {}),
            }
        }
        for path, (name, summary) in told.items()
    }
