"""An OpenID Connect issuer, on a real HTTP server if need be, and requests on their way past the authorizer."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event
from typing import Any, cast
from urllib.parse import parse_qsl, urlencode

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from cairn.ground.errors import NoAnswer
from cairn.ground.settings import OidcSettings
from cairn.tool.tool import Tool
from cairn_auth import authorizer
from cairn_mcp import door
from cairn_tools.catalog import CATALOG

AUDIENCE = "https://memory.example.com/mcp"
URL = "https://login.example.com/realm"
_CURVES = {"ES256": ec.SECP256R1, "ES384": ec.SECP384R1, "ES512": ec.SECP521R1}
LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
KEY_HOST, OAUTH_HOST = "http://127.0.0.1:8787", "http://127.0.0.1:8788"
RESOURCE = f"{OAUTH_HOST}/mcp"
Answer = Callable[["Exchange", bytes], None]
BEFORE, AFTER = CATALOG[0], CATALOG[1]
EventOf = Callable[..., dict[str, Any]]
Outcome = tuple[int, dict[str, Any]]


def private_key(algorithm: str, number: int = 1) -> Any:
    """Return a private key that is made once in a run; further numbers are further keys."""
    return _private_key("RSA" if algorithm[:2] in {"RS", "PS"} else algorithm, number)


@cache
def _private_key(kind: str, number: int) -> Any:
    assert number
    if kind == "EdDSA":
        return ed25519.Ed25519PrivateKey.generate()
    if kind in _CURVES:
        return ec.generate_private_key(_CURVES[kind]())
    return rsa.generate_private_key(65537, 2048)


def public_jwk(key_id: str, algorithm: str, number: int = 1, **more: Any) -> dict[str, Any]:
    """Return the public half as a JSON Web Key."""
    public = private_key(algorithm, number).public_key()
    kinds: dict[type, Any] = {rsa.RSAPublicKey: RSAAlgorithm, ec.EllipticCurvePublicKey: ECAlgorithm}
    writer = next((each for kind, each in kinds.items() if isinstance(public, kind)), OKPAlgorithm)
    return {**writer.to_jwk(public, as_dict=True), "kid": key_id, "use": "sig", **more}


@dataclass
class Issuer:
    """An issuer with one RSA key, "first"; a test gives it others, replaces documents and counts what it is asked.

    It signs in whoever comes with the client "console", and gives them `access_token`.
    """

    url: str = URL
    jwks: list[dict[str, Any]] = field(default_factory=lambda: [public_jwk("first", "RS256")])
    discovery: dict[str, Any] = field(default_factory=dict[str, Any])
    replaced: dict[str, bytes] = field(default_factory=dict[str, bytes])
    asked: list[str] = field(default_factory=list[str])
    is_down: bool = False
    access_token: str = "a.b.c"
    codes: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])

    def settings(self, **more: str) -> OidcSettings:
        return OidcSettings(issuer=self.url, audience=AUDIENCE, **more)

    def documents(self) -> dict[str, bytes]:
        """Return what stands where."""
        places = {"jwks_uri": "keys", "authorization_endpoint": "authorize", "token_endpoint": "token"}
        own = {name: f"{self.url}/{path}" for name, path in places.items()}
        found = {"issuer": self.url, **own, **self.discovery}
        listed = {f"{self.url}/.well-known/openid-configuration": found, f"{self.url}/keys": {"keys": self.jwks}}
        return {**{url: json.dumps(document).encode() for url, document in listed.items()}, **self.replaced}

    def get(self, url: str) -> bytes:
        """Answer as the port does."""
        self.asked.append(url)
        documents = self.documents()
        if self.is_down or url not in documents:
            raise NoAnswer("status 500")
        return documents[url]

    def authorize(self, url: str, **changed: str) -> dict[str, str]:
        """Sign in a browser that was sent here, and return the query with which it goes back."""
        place, _, query = url.partition("?")
        asked = dict(parse_qsl(query, strict_parsing=True))
        assert place == f"{self.url}/authorize"
        assert (asked["response_type"], asked["client_id"], asked["code_challenge_method"]) == (
            "code",
            "console",
            "S256",
        )
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        return {"code": code, "state": asked["state"], "iss": self.url, **changed}

    def post(self, url: str, form: Mapping[str, str]) -> bytes:
        """Answer as the port does: give the token for a code, once, to who shows its secret."""
        self.asked.append(url)
        if self.is_down:
            raise NoAnswer("status 500", 500)
        if url in self.replaced:
            return self.replaced[url]
        form = dict(parse_qsl(urlencode(form)))
        asked = self.codes.pop(form["code"], None)
        assert url == f"{self.url}/token"
        if asked is None or not _is_exchange_of(asked, form):
            raise NoAnswer("status 400", 400)
        return json.dumps({"access_token": self.access_token, "token_type": "Bearer", "expires_in": 600}).encode()

    def claims(self, now: datetime, **changed: Any) -> dict[str, Any]:
        """Return a good token's claims with some changed; None leaves one out."""
        seconds = int(now.timestamp())
        good = {"iss": self.url, "aud": AUDIENCE, "sub": "ada", "iat": seconds, "exp": seconds + 600}
        changed = {"scope": "openid cairn:read cairn:write", **changed}
        return {name: value for name, value in {**good, **changed}.items() if value is not None}

    def token(self, now: datetime, *, headers: Mapping[str, Any] | None = None, **changed: Any) -> str:
        """Return a token signed with the first key."""
        return signed(self.claims(now, **changed), "RS256", headers)


def _is_exchange_of(asked: Mapping[str, str], form: Mapping[str, str]) -> bool:
    """Tell whether a form is of the browser that was sent with this query."""
    challenge = encoded(sha256(form["code_verifier"].encode()).digest())
    same = all(form.get(name) == asked.get(name) for name in ("client_id", "redirect_uri", "resource"))
    return same and form["grant_type"] == "authorization_code" and challenge == asked["code_challenge"]


def compact(header: Mapping[str, Any], claims: Mapping[str, Any], number: int = 1) -> str:
    """Return a token of any header and any claims, signed as RS256 is."""
    message = f"{encoded(header)}.{encoded(claims)}"
    signature = RSAAlgorithm(RSAAlgorithm.SHA256).sign(message.encode(), private_key("RS256", number))
    return f"{message}.{encoded(signature)}"


def encoded(value: object) -> str:
    """Return bytes, or a JSON value, as a part of a token."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(claims: Mapping[str, Any], algorithm: str, headers: Mapping[str, Any] | None = None, number: int = 1) -> str:
    """Return a token under a private key of this module; its key id is "first" unless the headers say otherwise."""
    return jwt.encode(dict(claims), private_key(algorithm, number), algorithm, {"kid": "first", **(headers or {})})


class Exchange(BaseHTTPRequestHandler):
    """One request to the issuer, answered as the test says."""

    def do_GET(self) -> None:
        server = cast("IssuerServer", self.server)
        url = f"{server.issuer.url}{self.path.removeprefix('/realm')}"
        server.issuer.asked.append(url)
        with suppress(OSError):
            server.answer(self, server.issuer.documents().get(url, b""))

    def do_POST(self) -> None:
        server = cast("IssuerServer", self.server)
        body = self.rfile.read(int(self.headers["content-length"]))
        assert self.headers["content-type"] == "application/x-www-form-urlencoded"
        url = f"{server.issuer.url}{self.path.removeprefix('/realm')}"
        try:
            answer = server.issuer.post(url, dict(parse_qsl(body.decode())))
        except NoAnswer as error:
            self.send(b"{}", error.status or 500)
        else:
            with suppress(OSError):
                server.answer(self, answer)

    def send(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the class above
        """Say nothing."""


class IssuerServer(ThreadingHTTPServer):
    """An issuer on the loopback interface."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Exchange)
        self.issuer = Issuer(f"http://127.0.0.1:{self.server_address[1]}/realm")
        self.answer: Answer = lambda exchange, body: exchange.send(body)
        self.ended = Event()


def elsewhere(exchange: Exchange, body: bytes) -> None:
    """Send whoever asks for the keys to the same keys at another origin."""
    server = cast("IssuerServer", exchange.server)
    if exchange.path.endswith("/keys"):
        exchange.send(b"", 302, location=f"http://localhost:{server.server_address[1]}/realm/moved")
    else:
        exchange.send(body)


def asked(headers: dict[str, str], **fields: Any) -> dict[str, Any]:
    """Return what the gateway asks an authorizer, payload 2.0."""
    return {
        "version": "2.0",
        "type": "REQUEST",
        "routeArn": "arn",
        "rawPath": "/mcp",
        "headers": headers,
        "requestContext": {"http": {"method": "POST", "path": "/mcp"}, "requestId": "request-1"},
        **fields,
    }


def refused(why: str) -> dict[str, Any]:
    return {"isAuthorized": True, "context": {"refused": why, "challenge": "Bearer"}}


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def judged(credential: str, **context: Any) -> dict[str, Any]:
    """Return what the authorizer says of a request with this credential."""
    asked = {"http": {"method": "POST", "path": "/mcp"}, "requestId": "request-1", **context}
    event = {"version": "2.0", "rawPath": "/mcp", "headers": bearer(credential), "requestContext": asked}
    return authorizer.handler(event, None)["context"]


def through(headers: dict[str, str], event: dict[str, Any]) -> dict[str, Any]:
    """Return the event as the gateway passes it on behind the authorizer; the test fails where it would not."""
    answer = authorizer.handler(asked(headers), None)
    assert answer["isAuthorized"] is True
    event["requestContext"]["authorizer"] = {"lambda": answer["context"]}
    event["headers"] |= headers
    return event


def answered(tool: Tool, event: dict[str, Any]) -> Outcome:
    response = tool.handler(event, None)
    return response["statusCode"], json.loads(response["body"])


def over_mcp(tool: Tool, headers: dict[str, str], event_of: EventOf, client: dict[str, str] | None = None) -> Outcome:
    """Call the tool through the MCP door; a tool's own refusal has the status that it has over HTTP."""
    about = {"io.modelcontextprotocol/clientInfo": client or {"name": "test", "version": "1"}}
    params = {"name": tool.name, "arguments": tool.example, "_meta": about}
    event = event_of("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    response = door.handler(through(headers, event), None)
    result = json.loads(response["body"])["result"]
    refused = {"PERMISSION_DENIED": 403, "NOT_FOUND": 404}
    body = result["structuredContent"]
    return (refused[body["error"]["code"]] if result["isError"] else 200), body
