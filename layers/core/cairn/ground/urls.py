"""Validate URLs of other servers, in one place."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

_RESPONSES = "/v1/responses"


def responses_url(base_url: str) -> str:
    """Return the Responses endpoint of a language model under a base URL; ValueError as for `api_url`.

    One that ends with /v1/responses is the endpoint, one that ends with /v1 gets /responses, any other /v1/responses.
    """
    stem = api_url(base_url)
    if stem.endswith(_RESPONSES):
        return stem
    return stem.removesuffix("/v1") + _RESPONSES


def api_url(base_url: str) -> str:
    """Return a usable URL without a slash at its end; ValueError as of `check_url`."""
    check_url(base_url)
    return base_url.rstrip("/")


def check_url(url: str) -> None:
    """Raise ValueError, saying what is wrong, for a URL that is not usable.

    One is absolute, https (http only on the loopback interface), without user, query or fragment.
    """
    if not url.isprintable() or any(mark in url for mark in " \\?#"):
        raise ValueError("must hold no query, fragment, backslash, space or control character")
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise ValueError("must be an absolute URL such as https://api.example.com/v1") from None
    if parts.scheme not in {"https", "http"} or not host:
        raise ValueError("must be an absolute URL such as https://api.example.com/v1")
    if "@" in parts.netloc:
        raise ValueError("must hold no user or password")
    if parts.scheme == "http" and not _is_loopback(parts):
        raise ValueError("must be https, except on this machine")


def _is_loopback(parts: SplitResult) -> bool:
    host = parts.hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
