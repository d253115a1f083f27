"""Calls of the tools of key-value memory."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.ground.errors import CairnError
from cairn.tool.dispatch import execute
from cairn.tool.tool import Call
from cairn_tools.catalog import CATALOG

SPACE = "session.monday"


def ask(call: Call, tool: str, **arguments: Any) -> dict[str, Any]:
    return execute(CATALOG, tool, {"namespace": SPACE, **arguments}, call)


def refused(call: Call, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return code, message and details of a refusal."""
    with pytest.raises(CairnError) as raised:
        ask(call, tool, **arguments)
    return {"code": raised.value.code, "message": raised.value.message, "details": raised.value.details}


def rules(*namespaces: str, operations: tuple[str, ...] = ("read", "write"), **more: Any) -> dict[str, Any]:
    """Return the permissions of all four tools."""
    given = {"allowed_namespaces": list(namespaces), "operations": list(operations), **more}
    return {"tool_permissions": dict.fromkeys(("listMemory", "getMemory", "putMemory", "deleteMemory"), given)}
