"""A server's tools over HTTP, with an API key."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from functools import cached_property
from http import HTTPStatus
from threading import Lock
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from urllib3 import PoolManager, ProxyManager, Timeout
from urllib3.exceptions import HTTPError

from cairn import __version__
from cairn.client.door import encoded
from cairn.client.failures import raised
from cairn.ground.errors import InvalidArgument, Unavailable

_CONNECT_SECONDS: Final = 5.0
_READ_SECONDS: Final = 30.0
"""A gateway gives up after 29."""
_AT_ONCE: Final = 16
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
_ENDPOINTS: Final = ("/mcp/agent", "/mcp/hooks", "/mcp", "/v1/tools")


class Remote:
    """Calls the tools of a server; connections are kept, and any thread may call.

    TLS is verified against the system's certificates, HTTPS_PROXY and NO_PROXY hold, and redirects are errors.
    """

    project = None

    def __init__(self, url: str, key: str) -> None:
        """Take the address of a server, or of its MCP endpoint, and the key that it is shown."""
        self._base = _base(url)
        self._headers = _headers(key)
        self._asking = Lock()
        self._is_open = True
        self._user_is_known: bool | None = None

    @property
    def where(self) -> str:
        """Return the server's address."""
        return self._base

    def knows_user(self) -> bool:
        """Tell whether the key speaks for one user: then the server recalls without being told for whom.

        It is asked once.
        """
        with self._asking:
            if self._user_is_known is None:
                try:
                    self.call("recall", {"limit": 1})
                    self._user_is_known = True
                except InvalidArgument:
                    self._user_is_known = False
            return self._user_is_known

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the tool's answer; Unavailable where none came, and then the call may have been done."""
        if not self._is_open:
            raise RuntimeError("This memory was closed")
        body = encoded(arguments)
        try:
            answer = self._pool.request("POST", f"{self._base}/v1/tools/{tool}", body=body, headers=self._headers)
        except HTTPError as error:
            raise Unavailable(f"{self._base} gave no answer: {type(error).__name__}") from None
        if answer.status != HTTPStatus.OK:
            raise raised(answer.status, {name.lower(): value for name, value in answer.headers.items()}, answer.data)
        try:
            return json.loads(answer.data)
        except ValueError:
            raise Unavailable(f"{self._base} answered something that is no JSON") from None

    def close(self) -> None:
        """Close the connections."""
        self._is_open = False
        self._pool.clear()

    @cached_property
    def _pool(self) -> PoolManager:
        """Return the connections. Nothing is sent twice here: what may be tried again, the caller knows."""
        timeout = Timeout(connect=_CONNECT_SECONDS, read=_READ_SECONDS)
        proxy = _proxy(self._base)
        if proxy is not None:
            return ProxyManager(proxy, maxsize=_AT_ONCE, retries=False, timeout=timeout)
        return PoolManager(maxsize=_AT_ONCE, retries=False, timeout=timeout)


def _base(url: str) -> str:
    """Return the address before the paths of tools; InvalidArgument where it is none of HTTP."""
    address = url.rstrip("/")
    address = next((address.removesuffix(end) for end in _ENDPOINTS if address.endswith(end)), address)
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.username:
        raise InvalidArgument("store", "must be a directory, or a URL such as https://example.com")
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        warnings.warn(
            f"The key goes to {parts.hostname} without encryption: use https://", RuntimeWarning, stacklevel=4
        )
    return address


def _headers(key: str) -> dict[str, str]:
    if not key or not key.isascii() or not key.isprintable():
        raise InvalidArgument("key", "must be an API key: `cairn keys create` makes one")
    told = {"content-type": "application/json", "user-agent": f"cairn-python/{__version__}"}
    return {**told, "authorization": f"Bearer {key}"}


def _proxy(url: str) -> str | None:
    parts = urlsplit(url)
    if parts.hostname in _LOOPBACK or proxy_bypass(parts.netloc):
        return None
    return getproxies().get(parts.scheme)
