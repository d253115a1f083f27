"""The names that a request gives in headers, for arguments that its call leaves out: an MCP client sets them once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

HEADERS: Final = {"project": "x-cairn-project", "session_id": "x-cairn-session", "user_id": "x-cairn-user"}


def named(headers: Mapping[str, str]) -> dict[str, str]:
    """Return each field that a header names; header names are in lower case, and an empty one names nothing."""
    given = {field: headers.get(header, "").strip() for field, header in HEADERS.items()}
    return {field: name for field, name in given.items() if name}
