"""Answers without what is each call's own of their receipts."""

from __future__ import annotations

from typing import Any, cast


def without_call(answer: Any) -> Any:
    """Return an answer whose receipts, however deep, say what was read and answered, and not which call it was."""
    if isinstance(answer, list | tuple):
        return [without_call(each) for each in cast("list[Any]", answer)]
    if isinstance(answer, dict):
        return {name: _of(name, value) for name, value in cast("dict[str, Any]", answer).items()}
    return answer


def _of(name: str, value: Any) -> Any:
    return value.partition(".")[2] if name == "receipt" and isinstance(value, str) else without_call(value)
