"""Name what an answer from memory goes by beside what is stored: release, fitted numbers, embedding model, settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any, Final

import cairn
from cairn.ground.ports import Embedder
from cairn.ground.settings import ContextSettings, MemorySettings

MATTERING: Final = (
    "recent_context_items",
    "recall_facts_limit",
    "search_limit",
    "context_tokens",
    "standing_tokens",
    "compact_threshold",
    "recall_scope",
    "across_projects",
)
"""The settings of memory by which it answers."""
_FITTED_IN: Final = ("recall", "context", "language")


def versions(embedder: Embedder | None) -> Mapping[str, str]:
    """Return the versions of what answers."""
    return {
        "release": cairn.__version__,
        "weights": _weights(),
        "embedder": "" if embedder is None else embedder.name,
    }


def unusual(settings: MemorySettings) -> Mapping[str, Any]:
    """Return the settings that matter, as JSON values, as far as they are not the usual ones."""
    usual = MemorySettings()
    others = [name for name in MATTERING if getattr(settings, name) != getattr(usual, name)]
    # As JSON values only where there are any: it takes the settings apart.
    given = asdict(settings) if others else {}
    return {name: given[name] for name in others}


def with_those(settings: MemorySettings, stored: Mapping[str, Any]) -> MemorySettings:
    """Return the settings with those that matter as unusual() had them."""
    values: dict[str, Any] = {**{name: asdict(MemorySettings())[name] for name in MATTERING}, **stored}
    return replace(settings, **{**values, "context_tokens": ContextSettings(**values["context_tokens"])})


@cache
def _weights() -> str:
    """Return a digest of every file of fitted numbers and word lists."""
    digest = sha256()
    for room in _FITTED_IN:
        files = resources.files(cairn) / room
        for file in sorted(files.iterdir(), key=lambda each: each.name):
            if file.name.endswith((".json", ".npz")):
                digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
