"""Explain why something was recalled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Each signal's share in a result's score, and the result's rank without that signal."""

    rank: int
    signals: Mapping[str, float]
    rank_without: Mapping[str, int]
    features: Mapping[str, float]
