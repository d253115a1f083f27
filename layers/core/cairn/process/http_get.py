"""Fetch small public documents from other servers, such as an issuer's keys."""

from __future__ import annotations

from cairn.process.exchange import Exchanges, Outgoing

MAX_BYTES = 256 * 1024
SECONDS = 2.0
CALLS_AT_ONCE = 4


class DocumentGet:
    """Fetches documents over HTTP."""

    def __init__(self, seconds: float = SECONDS) -> None:
        """Give each document so long; an authorizer that needs two must answer within ten seconds."""
        self._seconds = seconds
        self._exchanges = Exchanges(CALLS_AT_ONCE, "http-get")

    def __call__(self, url: str) -> bytes:
        """Return the document; NoAnswer where it does not come in time, is over 256 KB or moved."""
        return self._exchanges.send(Outgoing("GET", url, {"Accept": "application/json"}), self._seconds, MAX_BYTES)
