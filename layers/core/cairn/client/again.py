"""Name writes, so that one whose outcome nobody knows can be made again by whoever made it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final, TypeVar

Answer = TypeVar("Answer")
_BYTES: Final = 12


class Again:
    """Gives each write an operation id: a new one, or the last one's where that failed and the same is asked again.

    The client repeats what fails for a while. This is for when it gave up, and its caller begins anew.
    """

    def __init__(self) -> None:
        """Know of no failure."""
        self._failed = ("", "")

    def write(self, asked: Any, do: Callable[[str], Answer]) -> Answer:
        """Do a write under an operation id and return its answer; one at a time."""
        digest = sha256(json.dumps(asked).encode()).hexdigest()
        known, operation = self._failed
        if known != digest:
            operation = secrets.token_hex(_BYTES)
        self._failed = (digest, operation)
        answer = do(operation)
        self.forget()
        return answer

    def forget(self) -> None:
        """Let what is asked next be new, whatever it is."""
        self._failed = ("", "")
