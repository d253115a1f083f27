"""The memory engine's knobs as they are in force: beyond each one's range, what fits together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cairn.ground.errors import SettingsError
from cairn.ground.settings import HeuristicSettings, MemorySettings
from cairn.ground.urls import responses_url
from cairn.settings import document
from cairn.settings.options import build

_MOST_WAITING_MS = 25_000
"""What a turn may wait for a model and for its session, so that it can still be stored within the gateway's 29 s."""
_SECRET_ARN = re.compile(r"arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[\w/+=.@-]+", re.ASCII)


def memory_settings(values: Mapping[str, Any], where: str, model_key: str | None) -> MemorySettings:
    """Return the knobs; SettingsError names the key under `where` that does not fit.

    A heuristic that has no credentials is off.
    """
    memory, heuristic = build(MemorySettings, "memory", values), f"{document.ROOT}.{where}.heuristic"
    given = memory.heuristic
    if given.api_key_arn and not _SECRET_ARN.fullmatch(given.api_key_arn):
        raise SettingsError(f"{heuristic}.api_key_arn: must be the ARN of a secret, not the secret itself")
    if not given.enabled:
        return memory
    if given.provider == "responses":
        _check_url(given, heuristic)
    waiting = given.timeout_ms + memory.session_lock_timeout_ms
    if waiting > _MOST_WAITING_MS:
        keys = f"{heuristic}.timeout_ms: and {document.ROOT}.{where}.session_lock_timeout_ms"
        raise SettingsError(f"{keys} may be {_MOST_WAITING_MS} together, not {waiting}")
    has_credentials = given.provider == "bedrock" or given.api_key_arn or model_key
    return memory if has_credentials else replace(memory, heuristic=replace(given, enabled=False))


def fits_a_header(secret: str) -> bool:
    """Tell whether a header can carry it: printable ASCII without spaces, not empty."""
    return secret.isascii() and secret.isprintable() and bool(secret) and " " not in secret


def _check_url(heuristic: HeuristicSettings, where: str) -> None:
    try:
        responses_url(heuristic.base_url)
    except ValueError as error:
        raise SettingsError(f"{where}.base_url: {error}") from None
