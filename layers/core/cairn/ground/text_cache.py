"""A cache of what is computed of texts."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Generic, TypeVar

from cairn.ground.bounded import BoundedCache

V = TypeVar("V")
_DIGEST_BYTES = 16


class TextCache(Generic[V]):
    """Keeps what the texts that were asked for last came to, by their digests: so no text outlives its log here."""

    def __init__(self, compute: Callable[[str], V], *, entries: int) -> None:
        """Start empty; `compute` is called without a lock, so that threads may compute the same at once."""
        self._compute = compute
        self._values = BoundedCache[bytes, V](entries=entries)

    def get(self, text: str) -> V:
        """Return what the text comes to, computed where it is not kept."""
        digest = blake2b(text.encode(errors="surrogatepass"), digest_size=_DIGEST_BYTES).digest()
        if (value := self._values.get(digest)) is None:
            value = self._compute(text)
            self._values.put(digest, value)
        return value
