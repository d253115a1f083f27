"""What programs ask memory without having chosen the words: whole messages, and nothing at all."""

from __future__ import annotations

from cairn.memories.model import MAX_QUERY_BYTES

MOST_HITS = 50
"""How many hits a search gives at most."""


def question_of(text: str) -> str | None:
    """Return what to search for: a long text's beginning and end, where questions stand; None where it is blank."""
    asked = text.strip()
    if not asked:
        return None
    encoded = asked.encode(errors="surrogatepass")  # memory says what is wrong with half a character
    if len(encoded) <= MAX_QUERY_BYTES:
        return asked
    half = (MAX_QUERY_BYTES - 1) // 2
    return f"{encoded[:half].decode(errors='ignore')} {encoded[-half:].decode(errors='ignore')}"
