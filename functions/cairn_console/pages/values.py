"""Values: key-value memory, by namespace and key."""

from __future__ import annotations

import json
from typing import Any

from cairn.ground.errors import InvalidArgument
from cairn_console.forms import whole_number
from cairn_console.page import ROOT, Done, Shown, page
from cairn_console.rendering import address
from cairn_console.visit import Visit


def _put(visit: Visit) -> Done:
    """Store a value, if nobody changed it since it was shown."""
    try:
        value: object = json.loads(visit.given("value"))
    except (ValueError, RecursionError):
        raise InvalidArgument("value", 'must be JSON, such as "text" in quotes, a number or an object') from None
    version = visit.form.get("version", "")
    given = {"ttl_seconds": visit.form.get("ttl_seconds"), "if_version": version}
    numbers = {name: whole_number(name, text) for name, text in given.items() if text}
    visit.ask("putMemory", **_which(visit), value=value, **numbers)
    return Done("Stored.")


def _delete(visit: Visit) -> Done:
    """Remove a value, if nobody changed it since it was shown."""
    visit.ask("deleteMemory", **_which(visit), if_version=whole_number("version", visit.given("version")))
    left = {name: value for name, value in visit.query.items() if name != "key"}
    return Done("Removed.", to=address(f"{ROOT}/values", **left))


@page(
    title="Values",
    needs=("listMemory",),
    asks=("getMemory", "putMemory", "deleteMemory"),
    acts={"put": _put, "delete": _delete},
)
def values(visit: Visit) -> Shown:
    """List the keys of a namespace, and show the value of one."""
    namespace, key = visit.query.get("namespace", "").strip(), visit.query.get("key", "").strip()
    nothing: dict[str, Any] = {"namespace": namespace, "key": key, "listed": None, "value": None}
    if not namespace:
        return nothing
    prefix, cursor = visit.query.get("prefix"), visit.query.get("cursor")
    listed = visit.asking("listMemory", namespace=namespace, prefix=prefix, cursor=cursor, limit=100)
    value = visit.asking("getMemory", namespace=namespace, key=key)
    visit.together(listed, *([value] if key else []))
    return nothing | {"listed": listed.result, "value": _shown(value.result) if key else None}


def _which(visit: Visit) -> dict[str, str]:
    return {"namespace": visit.wanted("namespace"), "key": visit.form.get("key", "").strip() or visit.wanted("key")}


def _shown(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "json": json.dumps(value["value"], ensure_ascii=False, indent=2)}
