"""The project of a folder, by its name alone: what a client knows better, such as a repository's owner, it says."""

from __future__ import annotations

import re
from typing import Final

from cairn.ground.ids import MAX_ID_CHARACTERS

_ODD: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_SEPARATORS: Final = "/\\"


def project_of(folder: str) -> str:
    """Return the name of a folder as that of a project, "" where it has none that can be one."""
    name = re.split(f"[{re.escape(_SEPARATORS)}]", folder.rstrip(_SEPARATORS))[-1]
    return "" if name in {"", ".", ".."} else _ODD.sub("-", name)[:MAX_ID_CHARACTERS].strip("-")
