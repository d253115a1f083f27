"""Read pods and events of a namespace from the API of a Kubernetes cluster, within limits."""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from socket import socket
from typing import Any, Protocol, cast
from urllib.parse import quote, urlencode, urlsplit

from cairn.ground.errors import CairnError, NotFound, PayloadTooLarge, PermissionDenied, SettingsError, Unavailable
from cairn.ground.settings import ClusterSettings
from cairn.ground.urls import api_url

MAX_BYTES = 16 * 1024 * 1024
"""The most that one call reads of a cluster, all pages together."""
_PAGE_ITEMS = 200
_CHUNK = 64 * 1024
_WARNINGS_ABOUT_PODS = "involvedObject.kind=Pod,type=Warning"


class Token(Protocol):
    """Provides the bearer token of the cluster's API."""

    def read(self) -> str:
        """Return the current one."""
        ...

    def forget(self) -> None:
        """Take note that the one last read is refused."""
        ...


class Cluster:
    """Reads one cluster; the connection is verified, redirects are failures, and one deadline bounds a whole call."""

    def __init__(self, settings: ClusterSettings, token: Token) -> None:
        """Use the API at settings.base_url; the time of settings.timeout_ms begins now."""
        url = urlsplit(api_url(settings.base_url))
        self._host, self._port, self._path = url.hostname or "", url.port, url.path
        self._tls = _trusting(settings.ca_pem) if url.scheme == "https" else None
        self._token = token
        self._deadline = time.monotonic() + settings.timeout_ms / 1000
        self._bytes_left = MAX_BYTES

    def pods(self, namespace: str) -> list[object]:
        """Return the Pod objects of a namespace; PermissionDenied where the token may not read them."""
        return list(self._items(namespace, "pods", {}))

    def pod(self, namespace: str, name: str) -> object:
        """Return a Pod object; NotFound where there is none of this name."""
        return self._get(namespace, f"pods/{quote(name, safe='')}", {})

    def warnings(self, namespace: str, pod: str | None) -> list[object]:
        """Return the Event objects of type Warning about a namespace's pods, or about one of them."""
        selector = _WARNINGS_ABOUT_PODS if pod is None else f"{_WARNINGS_ABOUT_PODS},involvedObject.name={pod}"
        return list(self._items(namespace, "events", {"fieldSelector": selector}))

    def _items(self, namespace: str, kind: str, query: Mapping[str, str]) -> Iterator[object]:
        asked = {**query, "limit": str(_PAGE_ITEMS)}
        while True:
            try:
                page = self._get(namespace, kind, asked)
            except NotFound:  # of a list that says the path is wrong: a namespace that is not there has an empty one
                raise Unavailable("There is no cluster's API at settings.mcp.cluster.base_url") from None
            items: object = page.get("items") or []
            metadata: object = page.get("metadata") or {}
            if not isinstance(items, list) or not isinstance(metadata, dict):
                raise Unavailable("The cluster's answer is no list")
            yield from cast("list[object]", items)
            going_on = cast("dict[str, object]", metadata).get("continue")
            if not going_on:
                return
            asked["continue"] = str(going_on)

    def _get(self, namespace: str, what: str, query: Mapping[str, str]) -> dict[str, Any]:
        target = f"{self._path}/api/v1/namespaces/{quote(namespace, safe='')}/{what}?{urlencode(query)}".removesuffix(
            "?"
        )
        headers = self._headers()
        try:
            with closing(self._connection()) as connection:
                connection.request("GET", target, headers=headers)
                sock = connection.sock
                response = connection.getresponse()
                if response.status != HTTPStatus.OK:
                    raise self._refusal(response.status, namespace)
                found: object = json.loads(self._body(response, sock))
        except (OSError, HTTPException) as error:
            raise Unavailable(f"The cluster could not be read: {type(error).__name__}") from None
        except (ValueError, RecursionError):
            raise Unavailable("The cluster's answer is not JSON") from None
        if not isinstance(found, dict):
            raise Unavailable("The cluster's answer is no object")
        return cast("dict[str, Any]", found)

    def _connection(self) -> HTTPConnection:
        if self._tls is None:
            return HTTPConnection(self._host, self._port, timeout=self._seconds_left())
        return HTTPSConnection(self._host, self._port, timeout=self._seconds_left(), context=self._tls)

    def _headers(self) -> dict[str, str]:
        token = self._token.read()
        if not token or not (token.isascii() and token.isprintable() and " " not in token):
            raise SettingsError("the cluster's token: must be printable ASCII without spaces")
        return {"Authorization": f"Bearer {token}", "Accept": "application/json"}

    def _body(self, response: HTTPResponse, sock: socket) -> bytes:
        """Return the body; a socket's timeout bounds one read of it, the deadline all of them."""
        body = bytearray()
        while chunk := response.read1(_CHUNK):
            body += chunk
            self._bytes_left -= len(chunk)
            if self._bytes_left < 0:
                raise PayloadTooLarge(
                    f"The namespace has over {MAX_BYTES} bytes of pods: name one", {"field": "pod", "limit": MAX_BYTES}
                )
            sock.settimeout(self._seconds_left())
        if response.length:
            raise Unavailable("The cluster's answer ended early")
        return bytes(body)

    def _seconds_left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def _refusal(self, status: int, namespace: str) -> CairnError:
        match status:
            case HTTPStatus.UNAUTHORIZED:
                self._token.forget()
                return Unavailable("The cluster refuses its token")
            case HTTPStatus.FORBIDDEN:
                denied = {"namespace": namespace, "operation": "read"}
                return PermissionDenied("The cluster's token may not read this namespace", denied)
            case HTTPStatus.NOT_FOUND:
                return NotFound("There is no such pod")
            case _:
                return Unavailable(f"The cluster answered with status {status}")


def _trusting(ca_pem: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cadata=ca_pem or None)
    except (ssl.SSLError, ValueError):
        raise SettingsError("settings.mcp.cluster.ca_pem: holds no certificates, PEM") from None
