"""The console of a deployed stack: its own function, its own role, and a browser's cookie through the gateway."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from cairn_console.catalog import PAGES
from support.console import Form, Reader

pytestmark = pytest.mark.enable_socket
Call = Callable[..., httpx2.Response]


@pytest.fixture
def hers(call: Call) -> dict[str, str]:
    """Return where a new user of a project is found, who said where she lives."""
    user = f"ada-{uuid4().hex}"
    said = {"input_items": "I live in Oslo.", "output_items": "Noted.", "turn_id": "t1"}
    stored = call("memory_after_turn", {"project": "garden", "session_id": user, "user_id": user, **said})
    assert stored.status_code == 200, stored.text
    return {"project": "garden", "user": user}


@pytest.fixture
def browser(client: httpx2.Client, keys: dict[str, str]) -> Browser:
    return Browser(client, keys["acme"])


class Browser:
    """A browser at the stack's address, signed in with a key; it keeps the cookie by itself, as it came."""

    def __init__(self, client: httpx2.Client, key: str) -> None:
        self._client = client
        answer = client.post("/console/sign-in", data={"key": key}, follow_redirects=False)
        assert answer.status_code == 303, answer.text
        self.cookie = answer.headers["set-cookie"]
        self._kept = dict([self.cookie.partition(";")[0].split("=", 1)])

    def get(self, path: str, **query: str) -> httpx2.Response:
        return self._client.get(path, params=query, headers=self._headers(), follow_redirects=False)

    def send(self, form: Form, **fields: str) -> httpx2.Response:
        """Send a form, and return the page that follows."""
        answer = self._client.post(
            form.action, data={**form.fields, **fields}, headers=self._headers(), follow_redirects=False
        )
        if answer.status_code != 303:
            return answer
        for cookie in answer.headers.get_list("set-cookie"):
            name, value = cookie.partition(";")[0].split("=", 1)
            self._kept[name] = value
        return self._client.get(answer.headers["location"], headers=self._headers(), follow_redirects=False)

    def _headers(self) -> dict[str, str]:
        return {"cookie": "; ".join(f"{name}={value}" for name, value in self._kept.items())}


@pytest.mark.req("R316")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_and_its_twin_are_there_for_an_operator(page: Any, browser: Browser, hers: dict[str, str]) -> None:
    more = {"q": "Where does she live?", "id": "none", "session": hers["user"], "namespace": "agent.notes"}

    shown, twin = browser.get(page.path, **hers, **more), browser.get(f"{page.path}.json", **hers, **more)

    assert (shown.status_code, twin.status_code) == (200, 200), shown.text
    assert shown.headers["content-security-policy"].startswith("default-src 'none'")
    assert "Sign out" in Reader(shown.text).text


@pytest.mark.req("R316")
def test_a_fact_is_corrected_and_the_correction_undone(browser: Browser, hers: dict[str, str]) -> None:
    page = Reader(browser.get("/console/people", **hers).text)
    form = next(each for each in page.forms if each.fields.get("act") == "correct")

    corrected = browser.send(form, content="Bergen")
    assert "Corrected" in corrected.text
    assert "Bergen" in corrected.text
    undo = next(each for each in Reader(corrected.text).forms if each.fields.get("act") == "restore")
    undone = browser.send(undo)

    assert "It holds again" in undone.text
    assert "Oslo" in Reader(undone.text).text


def test_a_browser_without_a_cookie_or_with_one_made_up_is_sent_to_sign_in(client: httpx2.Client) -> None:
    for headers in ({}, {"cookie": "__Host-cairn=made.up"}):
        answer = client.get("/", headers=headers, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/console/sign-in")
    assert client.get("/console/people.json").status_code == 401


def test_what_is_erased_and_exported_on_one_machine_is_a_command_here(browser: Browser) -> None:
    assert "cairn erase" in browser.get("/console/custody").text


@pytest.mark.req("R316")
def test_another_tenant_s_conversation_is_not_there(
    client: httpx2.Client, keys: dict[str, str], hers: dict[str, str]
) -> None:
    other = Browser(client, keys["globex"])

    answer = other.get("/console/session", project="garden", session=hers["user"])

    assert answer.status_code == 404
    assert "Oslo" not in answer.text


def test_the_cookie_of_the_stack_is_for_its_host_alone(browser: Browser) -> None:
    assert {"Secure", "HttpOnly", "SameSite=Strict", "Path=/"} <= set(browser.cookie.split("; "))
