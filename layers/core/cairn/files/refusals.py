"""Refuse a command of the memory tool in the words that a model is given, whichever door it came by."""

from __future__ import annotations

from typing import TypeVar

from cairn.ground.errors import VERBATIM, CairnError

Error = TypeVar("Error", bound=CairnError)


def refused(error: Error, words: str) -> Error:
    """Return the error with these words as its message, which doors show as they are."""
    error.message, error.args = words, (words,)
    error.details[VERBATIM] = True
    return error
