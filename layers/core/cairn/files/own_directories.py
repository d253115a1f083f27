"""What is said of the directories that an agent's own files make."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC

from cairn.files.files import FileInfo
from cairn.files.model import DirectorySummary
from cairn.files.paths import ancestors

_NAMED = 5


def own_directories(root: str, files: Iterable[FileInfo]) -> dict[str, DirectorySummary]:
    """Return the directories above these files by path, the root among them, each with what it holds."""
    held: defaultdict[str, list[FileInfo]] = defaultdict(list)
    for file in files:
        for directory in ancestors(file.path[len(root) + 1 :]):
            held[f"{root}/{directory}".rstrip("/")].append(file)
    return {path: _summary(path, found) for path, found in held.items()}


def _summary(path: str, files: list[FileInfo]) -> DirectorySummary:
    newest = sorted(files, key=lambda file: (file.updated_at, file.path), reverse=True)
    named = "; ".join(file.path[len(path) + 1 :] for file in newest[:_NAMED])
    count = f"{len(files)} file{'s' if len(files) > 1 else ''} of the agent's own"
    changed = f"last changed at {newest[0].updated_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return DirectorySummary(
        path=path,
        abstract=f"{count} with {sum(file.size for file in files)} bytes, {changed}. Newest first: {named}.",
        updated_at=newest[0].updated_at,
        has_overview=False,
    )
