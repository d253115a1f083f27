"""Key-value memory: the service in a cold process, calls of its tools, and changes made by many."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, NotFound
from cairn.ground.ids import Tenant
from cairn.ground.settings import Quotas
from cairn.keyvalue.model import Place
from cairn.keyvalue.store import KeyValue
from cairn.tool.call import Call, execute
from cairn.vault.vault import Vault
from cairn_tools.catalog import CATALOG

SPACE = "session.monday"


def key_value(adapters: Adapters, quotas: Quotas | None = None) -> KeyValue:
    """Return the key-value memory of a process that has unwrapped no key yet."""
    return KeyValue(adapters, Vault(adapters), quotas or Quotas())


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


def confirm(memory: KeyValue, tenant: Tenant) -> None:
    for each in memory.collection.recount(tenant):
        assert each.kept == each.counted, each.namespace


def removed(memory: KeyValue, place: Place) -> bool:
    try:
        memory.delete(place)
    except NotFound:
        return False
    return True
