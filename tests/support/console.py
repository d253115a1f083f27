"""A browser without JavaScript for the console: it keeps cookies, reads pages and sends their forms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode, urlsplit

from cairn.tool.call import Call, execute
from cairn_console import door
from cairn_tools.catalog import CATALOG

HOST = "memory.example.com"
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


@dataclass
class Form:
    """A form of a page: where it goes, and its fields with their values."""

    method: str
    action: str
    fields: dict[str, str] = field(default_factory=dict[str, str])


class Reader(HTMLParser):
    """Reads a page: its text, links, forms, and the elements that are in it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.forms: list[Form] = []
        self.links: list[str] = []
        self._open: list[str] = []
        self._said: list[str] = []
        self._area: str | None = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append((tag, given))
        if tag not in _VOID:
            self._open.append(tag)
        match tag:
            case "form":
                self.forms.append(Form(given.get("method", "get"), given.get("action", "")))
            case "a":
                self.links.append(given.get("href", ""))
            case "input" | "textarea" | "select":
                is_off = given.get("type") == "checkbox" and "checked" not in given
                if self.forms and "form" in self._open and given.get("name") and not is_off:
                    self.forms[-1].fields[given["name"]] = given.get("value", "")
                self._area = given.get("name") if tag == "textarea" else None
            case _:
                pass

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass
        self._area = None

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self.forms[-1].fields[self._area] += data
        if not {"script", "style"} & {*self._open}:
            self._said.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self._said).split())


@dataclass(frozen=True)
class Page:
    """A response, read."""

    status: int
    headers: dict[str, str]
    body: str
    cookies: tuple[str, ...] = ()

    @property
    def read(self) -> Reader:
        return Reader(self.body)

    @property
    def text(self) -> str:
        return self.read.text

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def form(self, act: str, **holding: str) -> Form:
        """Return the first form that does this and has these values."""
        wanted = {"act": act, **holding}
        return next(each for each in self.read.forms if wanted.items() <= each.fields.items())


@dataclass
class Browser:
    """Keeps cookies as a browser does, and follows where an answer sends it."""

    kept: dict[str, str] = field(default_factory=dict[str, str])
    headers: dict[str, str] = field(default_factory=lambda: {"host": HOST})

    def get(self, path: str, **query: str) -> Page:
        return self._sent("GET", path + (f"?{urlencode(query)}" if query else ""), "")

    def post(self, path: str, fields: Mapping[str, str], **headers: str) -> Page:
        own = {"origin": f"https://{HOST}", "sec-fetch-site": "same-origin"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        kind = {"content-type": "application/x-www-form-urlencoded"}
        return self._sent("POST", path, urlencode(fields), {**own, **kind, **named})

    def send(self, form: Form, **fields: str) -> Page:
        """Send a form with some fields filled in otherwise, and return the page that follows."""
        answer = self.post(form.action, {**form.fields, **fields})
        return self.follow(answer)

    def follow(self, answer: Page) -> Page:
        while answer.status == 303:
            answer = self._sent("GET", answer.headers["location"], "")
        return answer

    def sign_in(self, key: str) -> Page:
        form = self.get("/console/sign-in").read.forms[0]
        return self.send(form, key=key)

    def _sent(self, method: str, target: str, body: str, headers: Mapping[str, str] | None = None) -> Page:
        parts = urlsplit(target)
        event = {
            "version": "2.0",
            "rawPath": parts.path,
            "rawQueryString": parts.query,
            "cookies": [f"{name}={value}" for name, value in self.kept.items()],
            "headers": {**self.headers, **(headers or {})},
            "requestContext": {
                "http": {"method": method, "path": parts.path},
                "requestId": "request-1",
                "domainName": HOST,
            },
            "body": body,
            "isBase64Encoded": False,
        }
        answer = door.handler(event, None)
        for cookie in answer.get("cookies", ()):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.kept[name] = value
            if "Max-Age=0" in cookie:
                del self.kept[name]
        return Page(answer["statusCode"], answer["headers"], answer["body"], tuple(answer.get("cookies", ())))


@dataclass
class Garden:
    """A project in which ada and eve have talked, told through the tools as any agent tells."""

    call: Call
    turns: int = 0

    def tell(self, text: str, session: str = "monday", user: str = "ada", answer: str = "Noted.") -> None:
        self.turns += 1
        arguments = {"turn_id": f"t{self.turns}", "input_items": text, "output_items": answer}
        self.ask("memory_after_turn", **arguments, session_id=session, user_id=user)

    def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return execute(CATALOG, tool, {"project": "garden", **arguments}, self.call)

    def known(self, user: str = "ada") -> dict[str, str]:
        """Return what is believed of a user, by what it is about."""
        return {each["about"]: each["value"] for each in self.ask("memory_list_known", user_id=user)["facts"]}
