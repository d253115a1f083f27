"""Settings: what is in force, and where each value comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cairn_console.page import Shown, page
from cairn_console.visit import Visit


@page(title="Settings", needs=("memory_list_settings",), for_operators=True)
def settings(visit: Visit) -> Shown:
    """List every setting by its part of the document, with its value, its source and its meaning."""
    parts: dict[str, list[Mapping[str, Any]]] = {}
    for each in visit.ask("memory_list_settings")["settings"]:
        parts.setdefault(str(each["key"]).rpartition(".")[0], []).append(each)
    return {"listed": [{"name": name, "settings": its} for name, its in parts.items()]}
