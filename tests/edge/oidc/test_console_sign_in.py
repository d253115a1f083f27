"""Signing in to the console at an issuer, as a browser does it, and what the session opens then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from cairn.ground.settings import AuthSettings
from cairn.process.http_post import FormPost
from cairn.services import Services
from cairn.settings.settings import Settings
from support.access import RESOURCE, Issuer
from support.console import HOST, Browser, Page

pytestmark = [pytest.mark.enable_socket, pytest.mark.usefixtures("services")]
BACK = f"https://{HOST}/console/sign-in/back"
SECONDS = 0.3


@pytest.fixture
def settings(issuer: Issuer) -> Settings:
    oidc = issuer.settings(
        resource=RESOURCE, console_client_id="console", projects_claim="projects", user_claim="email"
    )
    return Settings(memory_enabled=True, auth=AuthSettings(oidc=oidc))


@pytest.fixture
def services(services: Services) -> Services:
    """Return the services, which send the issuer its codes too."""
    vars(services)["http_post"] = FormPost(SECONDS)
    return services


@pytest.fixture
def browser() -> Browser:
    found = Browser()
    found.headers["x-forwarded-proto"] = "https"
    return found


@pytest.fixture
def signed_in(browser: Browser, issuer: Issuer, token: Callable[..., str]) -> Callable[..., Page]:
    """Return a function that takes a browser to the issuer and back, for a token with these claims."""

    def go(to: str = "", **claims: Any) -> Page:
        issuer.access_token = token(**claims)
        there = browser.get("/console/sign-in/issuer", **({"to": to} if to else {}))
        assert there.status == 303
        return browser.get(f"/console/sign-in/back?{urlencode(issuer.authorize(there.headers['location']))}")

    return go


def test_the_page_to_sign_in_on_leads_to_the_issuer_and_back_to_the_page_that_was_asked_for(
    browser: Browser, signed_in: Callable[..., Page]
) -> None:
    assert any(link.startswith("/console/sign-in/issuer") for link in browser.get("/console/sign-in").read.links)

    page = signed_in("/console/projects", projects="*", email="ada")

    assert page.status == 200
    assert page.read.links[-1] == "/console/projects"
    assert browser.get("/console/projects").status == 200


def test_it_opens_what_the_token_says_and_no_more(browser: Browser, signed_in: Callable[..., Page]) -> None:
    signed_in(projects="garden", email="ada")

    assert browser.get("/console/people.json", project="garden", user="ada").status == 200
    assert browser.get("/console/people.json", project="garden", user="eve").status == 403
    assert browser.get("/console/people.json", project="other", user="ada").status == 403


def test_only_the_cookie_of_the_way_there_may_come_along_from_the_issuer_s_page(
    browser: Browser, signed_in: Callable[..., Page]
) -> None:
    there = browser.get("/console/sign-in/issuer")
    page = signed_in(projects="*", email="ada")

    assert ["SameSite=Lax" in cookie for cookie in there.cookies] == [True]
    session = next(cookie for cookie in page.cookies if cookie.startswith("__Host-cairn="))
    assert "SameSite=Strict" in session
    assert list(browser.kept) == ["__Host-cairn"]


def test_whoever_comes_back_with_another_s_state_or_none_is_not_let_in(
    browser: Browser, issuer: Issuer, token: Callable[..., str]
) -> None:
    issuer.access_token = token(projects="*", email="ada")
    there = browser.get("/console/sign-in/issuer")
    back = issuer.authorize(there.headers["location"])
    stranger = Browser(headers=dict(browser.headers))
    stranger.get("/console/sign-in/issuer")

    refused = [
        stranger.get(f"/console/sign-in/back?{urlencode(back)}"),
        Browser(headers=dict(browser.headers)).get(f"/console/sign-in/back?{urlencode(back)}"),
    ]

    assert [page.status for page in refused] == [401, 401]
    assert "__Host-cairn" not in stranger.kept


def test_a_token_that_opens_nothing_signs_nobody_in(browser: Browser, signed_in: Callable[..., Page]) -> None:
    assert signed_in(projects="*", email="ada", aud="https://elsewhere.example/mcp").status == 401
    assert "__Host-cairn" not in browser.kept
