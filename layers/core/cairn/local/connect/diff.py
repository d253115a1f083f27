"""Show what would change in a file, without the key."""

from __future__ import annotations

import re
from difflib import unified_diff
from typing import Final

from cairn.local.connect.changes import Change

_KEY: Final = re.compile(r"(cairn_[0-9a-f]{16}_)[A-Za-z0-9_-]{43}")
_BEARER: Final = re.compile(r"(Bearer )(?!cairn_[0-9a-f]{16}_…)[^\s\"]+")
_AROUND: Final = 2


def shown(change: Change) -> str:
    """Return the change of a file as a unified diff, or what is done with it as a whole."""
    if change.after is None:
        return f"{change.path} goes: nothing but Cairn's part is in it\n"
    if change.before == change.after:
        return f"{change.path} will be for its owner alone\n"
    before, after = (masked(text or "").splitlines(keepends=True) for text in (change.before, change.after))
    lines = unified_diff(before, after, str(change.path), str(change.path), n=_AROUND)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def masked(text: str) -> str:
    """Return a text without the secret of a key."""
    return _BEARER.sub(r"\1…", _KEY.sub(r"\1…", text))
