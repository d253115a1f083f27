"""Short texts: what a value, a kind or a quote may be."""

from __future__ import annotations

from unicodedata import category

# Longer facts are stories: a cap keeps a pasted paragraph out of the memory block and the log entry small.
MAX_VALUE_BYTES = 512


def short_text(value: object) -> str:
    """Return the text in single spaces; "" for anything but a short text that says something."""
    if not isinstance(value, str) or len(value) > MAX_VALUE_BYTES or not any(map(str.isalnum, value)):
        return ""
    text = single_spaced(value)
    # No control characters and lone surrogates: they have no place in a fact, and not every store holds them (decision
    # 7).
    if any(category(character) in {"Cc", "Cs"} for character in text):
        return ""
    return text if len(text.encode()) <= MAX_VALUE_BYTES else ""


def single_spaced(text: str) -> str:
    """Return a text with its white space as single blanks."""
    return " ".join(text.split())
