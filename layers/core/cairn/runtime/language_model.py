"""A language model behind an OpenAI-compatible Responses endpoint, asked once, within one deadline."""

from __future__ import annotations

import ssl
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from socket import SHUT_RDWR
from urllib.parse import SplitResult, urlsplit

from cairn.domain.endpoints import responses_url
from cairn.domain.errors import ModelFailed
from cairn.domain.proposals import Proposals, Question, read, request
from cairn.domain.settings import HeuristicSettings
from cairn.runtime import telemetry

MAX_ANSWER_BYTES = 2 * 1024 * 1024
_CALLS_AT_ONCE = 8


class ResponsesModel:
    """Asks for facts over HTTP; TLS is verified, redirects are failures, nothing is sent twice.

    A call runs on a thread of its own: a socket's timeout bounds each read, not a name look-up or a body that trickles.
    """

    def __init__(self, key: str) -> None:
        """Keep the API key, printable ASCII; it leaves in the Authorization header only."""
        self._key = key
        self._executor = ThreadPoolExecutor(_CALLS_AT_ONCE, thread_name_prefix="language-model")

    def propose(self, question: Question, settings: HeuristicSettings) -> Proposals:
        """Return what the model proposes, ModelFailed where no usable answer came in time; note which in the log."""
        try:
            proposals = read(self._answer(request(question, settings), settings))
        except ModelFailed as failed:
            telemetry.note_heuristic("failed", str(failed))
            raise
        telemetry.note_heuristic("ok")
        return proposals

    def _answer(self, body: bytes, settings: HeuristicSettings) -> bytes:
        seconds = settings.timeout_ms / 1000
        url = urlsplit(responses_url(settings.base_url))
        connection = self._connection(url, seconds)
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        deadline = time.monotonic() + seconds
        call = self._executor.submit(_exchange, connection, deadline, url.path, body, headers)
        try:
            return call.result(seconds)
        except (OSError, HTTPException, UnicodeError) as error:
            raise ModelFailed(f"no answer: {type(error).__name__}") from None
        finally:
            call.cancel()
            _hang_up(connection)

    def _connection(self, url: SplitResult, seconds: float) -> HTTPConnection:
        host = url.hostname or ""
        if url.scheme == "https":
            return HTTPSConnection(host, url.port or 443, timeout=seconds, context=self._tls)
        return HTTPConnection(host, url.port or 80, timeout=seconds)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()


def _exchange(connection: HTTPConnection, deadline: float, path: str, body: bytes, headers: Mapping[str, str]) -> bytes:
    try:
        connection.connect()
        if time.monotonic() >= deadline:
            raise TimeoutError
        connection.request("POST", path, body, headers)
        response = connection.getresponse()
        if response.status != HTTPStatus.OK:
            raise ModelFailed(f"status {response.status}")
        answer = response.read(MAX_ANSWER_BYTES + 1)
    finally:
        connection.close()
    if len(answer) > MAX_ANSWER_BYTES:
        raise ModelFailed("the answer is too large")
    return answer


def _hang_up(connection: HTTPConnection) -> None:
    """Wake a thread that still waits for the other side."""
    if (sock := connection.sock) is not None:
        with suppress(OSError):
            sock.shutdown(SHUT_RDWR)
