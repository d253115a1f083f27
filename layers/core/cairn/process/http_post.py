"""Send small forms to other servers, such as a code to an issuer."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from cairn.process.exchange import Exchanges, Outgoing
from cairn.process.http_get import CALLS_AT_ONCE, MAX_BYTES, SECONDS

_HEADERS = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}


class FormPost:
    """Sends forms over HTTP, within what a document that is fetched is held to."""

    def __init__(self, seconds: float = SECONDS) -> None:
        """Give each answer so long."""
        self._seconds = seconds
        self._exchanges = Exchanges(CALLS_AT_ONCE, "http-post")

    def __call__(self, url: str, form: Mapping[str, str]) -> bytes:
        """Return the answer; NoAnswer where it does not come in time, is over 256 KB or any other than 200."""
        outgoing = Outgoing("POST", url, _HEADERS, urlencode(form).encode())
        return self._exchanges.send(outgoing, self._seconds, MAX_BYTES)
