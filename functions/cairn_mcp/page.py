"""The page `ui://cairn/memory`: what is known of a user, to be seen, corrected and forgotten inside a chat client.

It shows the answer of memory_list_known, and what it changes it asks of tools through its host.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from cairn_mcp.apps import PAGE_TYPE

URI: Final = "ui://cairn/memory"
SHOWN: Final = "memory_list_known"
"""The tool whose answer the page shows."""
TOOLS: Final[Mapping[str, Collection[str]]] = {
    SHOWN: ("project", "user_id"),
    "memory_correct": ("project", "user_id", "memory_id", "content"),
    "memory_restore": ("project", "user_id", "memory_id"),
}
"""The tools that are listed for the page, with the arguments to show; models see the first alone."""
USED: Final = frozenset({*TOOLS, "forget"})
MAY: Final = "cairn/may"
"""Where an answer tells the page which of its tools the caller may use."""
ADVICE: Final = "The user sees the answer as a page, and corrects and forgets there: do not repeat it."

_FILES: Final = Path(__file__).with_name("app")
_UI: Final[Mapping[str, Any]] = {
    "csp": {"connectDomains": [], "resourceDomains": [], "frameDomains": [], "baseUriDomains": []},
    "prefersBorder": True,
}
"""It needs no domain: all that it is stands in it, and all that it asks goes to its host."""
LISTED: Final[Mapping[str, Any]] = {
    "uri": URI,
    "name": "memory",
    "title": "What is known of you",
    "description": "A page with what is known of a user, to correct and to forget.",
    "mimeType": PAGE_TYPE,
    "_meta": {"ui": _UI},
}


def described(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `Tool` object of a tool of the page with what hosts are told of it, also where earlier ones look."""
    if is_hidden(tool["name"]):
        return {**tool, "_meta": {"ui": {"visibility": ["app"]}}}
    meta = {"ui": {"resourceUri": URI}, "ui/resourceUri": URI}
    return {**tool, "description": f"{tool['description']} {ADVICE}", "_meta": meta}


def is_hidden(name: str) -> bool:
    """Tell whether a tool is listed for the page alone, and no model is told of it."""
    return name in TOOLS and name != SHOWN


def read() -> dict[str, Any]:
    """Return the page as a `ReadResourceResult`: one document, with its style and its script in it."""
    content = {"uri": URI, "mimeType": PAGE_TYPE, "text": document(), "_meta": {"ui": _UI}}
    return {"contents": [content]}


def document() -> str:
    """Return the page's HTML."""
    html, style, script = (_FILES.joinpath(f"memory.{kind}").read_text("utf-8") for kind in ("html", "css", "js"))
    html = html.replace('<link rel="stylesheet" href="memory.css">', f"<style>\n{style}</style>")
    return html.replace('<script src="memory.js"></script>', f"<script>\n{script}</script>")
