"""What pages load: the style sheet, the icon and htmx, which a browser keeps as long as they are as they are."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from cairn_console.answers import answered
from cairn_console.page import ROOT

PATH: Final = f"{ROOT}/static/"
_TYPES: Final = {
    "console.css": "text/css; charset=utf-8",
    "console.js": "text/javascript; charset=utf-8",
    "htmx.min.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_HERE: Final = Path(__file__).parent / "static"


@cache
def link(name: str) -> str:
    """Return where a page finds a file; the address changes with what is in it."""
    return f"{PATH}{name}?v={sha256(_content(name)).hexdigest()[:12]}"


def asset(name: str) -> dict[str, Any] | None:
    """Return the response with a file, None where there is none of this name."""
    if name not in _TYPES:
        return None
    return answered(200, _TYPES[name], _content(name).decode(), cache_control=_FOR_EVER)


@cache
def _content(name: str) -> bytes:
    return (_HERE / name).read_bytes()
