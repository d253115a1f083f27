"""mem0's clients as their packages call: requests on their way past the authorizer to the door, and its answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from cairn.access.api_keys import Grant, Scope
from cairn.ground.ids import Project, SessionId, Tenant, UserId
from cairn.ground.session import Session
from cairn.local.server.doors import Invocation
from cairn.services import Services
from cairn_auth import authorizer
from cairn_mem0 import door

ACME = Tenant("acme")
HERS = {"user_id": "ada"}
SCOPES: tuple[Scope, ...] = ("read", "write")


@dataclass(frozen=True)
class Answer:
    """A response, read."""

    status: int
    body: Any
    headers: Mapping[str, str]

    @property
    def detail(self) -> str:
        return self.body["detail"]


@dataclass(frozen=True)
class Client:
    """Calls as the Python package's `MemoryClient` does, with an API key."""

    key: str
    headers: Mapping[str, str] | None = None

    def call(self, method: str, path: str, body: object = None, within: float | None = None, **query: Any) -> Answer:
        """Return the answer to a call, as the gateway hands it on; `within` are the seconds that the function has."""
        url = urlsplit(path)
        asked: dict[str, Any] = {
            "version": "2.0",
            "rawPath": f"/mem0{unquote(url.path)}",
            "rawQueryString": urlencode([*parse_qsl(url.query), *query.items()]),
            "headers": {"authorization": f"Token {self.key}", **(self.headers or {})},
            "pathParameters": {"call": unquote(url.path).lstrip("/")},
            "requestContext": {
                "http": {"method": method, "path": f"/mem0{url.path}"},
                "requestId": "request-1",
                "domainName": "memory.example.com",
            },
            "body": body if isinstance(body, str) else None if body is None else json.dumps(body),
            "isBase64Encoded": False,
        }
        judged: dict[str, Any] = authorizer.handler(asked, None)["context"]
        context = {**asked["requestContext"], "authorizer": {"lambda": judged}}
        invocation = None if within is None else Invocation(int(within * 1000))
        answer = door.handler({**asked, "requestContext": context}, invocation)
        return Answer(answer["statusCode"], json.loads(answer["body"]), answer["headers"])

    def ok(self, method: str, path: str, body: object = None, **query: Any) -> Any:
        answer = self.call(method, path, body, **query)
        assert answer.status == 200, answer.body
        return answer.body

    def add(self, *said: str, **more: Any) -> list[dict[str, Any]]:
        """Add what a user said, and return what was learnt of it."""
        messages = [{"role": "user", "content": each} for each in said]
        return self.ok("POST", "/v3/memories/add/", {"messages": messages, **more})["results"]

    def search(self, query: str, filters: Mapping[str, Any], **more: Any) -> list[dict[str, Any]]:
        return self.ok("POST", "/v3/memories/search/", {"query": query, "filters": filters, **more})["results"]

    def all(self, filters: Mapping[str, Any], **more: Any) -> list[dict[str, Any]]:
        return self.ok("POST", "/v3/memories/", {"filters": filters, **more})["results"]

    def get(self, name: str) -> Answer:
        return self.call("GET", f"/v1/memories/{quote(name, safe='')}/")

    def update(self, name: str, **new: Any) -> Answer:
        return self.call("PUT", f"/v1/memories/{quote(name, safe='')}/", new)

    def delete(self, name: str) -> Answer:
        return self.call("DELETE", f"/v1/memories/{quote(name, safe='')}/")

    def history(self, name: str) -> list[dict[str, Any]]:
        return self.ok("GET", f"/v1/memories/{quote(name, safe='')}/history/")


def client(
    services: Services, *users: str, tenant: Tenant = ACME, scopes: tuple[Scope, ...] = SCOPES, **more: Any
) -> Client:
    """Return a client with a key of its own, that speaks for these users or for whomever it names."""
    grant = Grant(users=tuple(map(UserId, users)), scopes=scopes, **more)
    return Client(services.credentials.create(tenant, grant).text)


def words(found: list[dict[str, Any]]) -> list[str]:
    return [each["memory"] for each in found]


def turns(services: Services, session: str) -> int:
    """Count the turns that are stored of a session."""
    return len(list(services.sessions.history(Session(ACME, Project("mem0"), SessionId(session)))))
