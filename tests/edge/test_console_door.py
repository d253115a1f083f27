"""The console's door: who gets in, what a form has to show, and what no page lets happen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from cairn.access.api_keys import Grant, Scope, project_pattern
from cairn.ground.ids import Tenant, UserId
from cairn.services import Services
from cairn.tool.call import Call, execute
from cairn_console.catalog import PAGES
from cairn_console.visit import Visit
from cairn_tools.catalog import CATALOG
from support.console import HOST, Browser, Garden, Page
from support.doubles import FakeClock

ACME, OTHER = Tenant("acme"), Tenant("other")
ADA, EVE = UserId("ada"), UserId("eve")
TRICKS = "My name is <script>alert('x')</script><img src=x onerror=alert(1)>. I live in Oslo\u202e."
HERS = {"project": "garden", "user": "ada"}
"""The pages of a user's memory, as the menu leads there."""


@pytest.fixture
def garden(call: Call) -> Garden:
    told = Garden(call)
    told.tell("I live in Oslo.")
    return told


def signed_in(
    services: Services, *users: UserId, scopes: tuple[Scope, ...] = ("read", "write", "admin"), **more: Any
) -> Browser:
    """Return a browser that is signed in with a key of these rights."""
    browser = Browser()
    tenant: Tenant = more.pop("tenant", ACME)
    assert (
        browser.sign_in(services.credentials.create(tenant, Grant(users=users, scopes=scopes, **more)).text).status
        == 200
    )
    return browser


def query_of(page_name: str) -> Mapping[str, str]:
    """Return a query with which a page has something to show."""
    more = {
        "statement": {"id": "none"},
        "session": {"session": "monday"},
        "search": {"q": "Where does Ada live?", "expected": "Lisbon"},
        "values": {"namespace": "agent.notes"},
    }
    return {**HERS, **more.get(page_name, {})}


def assert_sent_to_sign_in(page: Page) -> None:
    assert page.status == 303
    assert page.headers["location"].startswith("/console/sign-in")


@pytest.mark.req("R316")
@pytest.mark.usefixtures("garden")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_shows_the_same_to_a_browser_without_javascript_and_as_json(page: Any, services: Services) -> None:
    browser = signed_in(services)

    shown, twin = browser.get(page.path, **query_of(page.name)), browser.get(f"{page.path}.json", **query_of(page.name))

    assert (shown.status, twin.status) == (200, 200)
    assert "Sign out" in shown.text
    assert isinstance(twin.json, dict)
    assert [tag for tag, _ in shown.read.tags if tag == "h1"] == ["h1"]


@pytest.mark.req("R316")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_stored_markup_and_what_turns_text_round_stay_text_on_every_page(
    page: Any, services: Services, garden: Garden
) -> None:
    garden.tell(TRICKS)
    garden.tell(TRICKS, user="<b>eve")
    garden.ask("remember", content=TRICKS, user_id="ada", session_id="monday")
    browser = signed_in(services)

    shown, twin = browser.get(page.path, **query_of(page.name)), browser.get(f"{page.path}.json", **query_of(page.name))

    tags = shown.read.tags
    assert not [tag for tag, given in tags if tag == "b" or (tag == "img" and given["src"] == "x")]
    assert all(given["src"].startswith("/console/static/") for tag, given in tags if tag == "script")
    assert not [name for _, given in tags for name in given if name.startswith("on") or name == "style"]
    assert "\u202e" not in shown.body
    assert twin.headers["content-type"] == "application/json"


@pytest.mark.req("R316")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_nobody_sees_a_page_who_is_not_signed_in(page: Any, services: Services) -> None:
    del services
    browser = Browser()

    assert_sent_to_sign_in(browser.get(page.path, **HERS))
    assert_sent_to_sign_in(browser.post(page.path, {"act": "forget"}))
    assert browser.get(f"{page.path}.json", **HERS).status == 401


@pytest.mark.req("R316")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_key_of_another_tenant_finds_nothing_of_this_one_s_on_any_page(
    page: Any, services: Services, garden: Garden
) -> None:
    garden.tell("My name is Heronbird.")
    browser = signed_in(services, tenant=OTHER)

    shown = browser.get(page.path, **query_of(page.name))

    assert "Heronbird" not in shown.body
    if page.name == "session":
        assert shown.status == 404


def test_a_key_that_speaks_for_a_user_sees_nothing_of_another_s(services: Services, garden: Garden) -> None:
    garden.tell("My name is Heronbird.", session="hers", user="eve")
    browser = signed_in(services, ADA)

    pages = [
        browser.get(page.path, project="garden", user="eve", session="hers", q="Who?", id="none") for page in PAGES
    ]

    assert all("Heronbird" not in page.body for page in pages)
    assert browser.get("/console/people", project="garden", user="eve").status == 403


def test_pages_for_operators_are_for_keys_with_the_scope_admin_and_all_projects(services: Services) -> None:
    operators = [page for page in PAGES if page.for_operators]
    keys = (
        signed_in(services, scopes=("read", "write")),
        signed_in(services, ADA),
        signed_in(services, projects=(project_pattern("garden"),)),
    )

    for browser in keys:
        assert [page.title for page in operators if page.title in browser.get("/").text] == []
        assert {browser.get(page.path).status for page in operators} == {403}
    assert {signed_in(services).get(page.path).status for page in operators} == {200}


def test_a_sign_in_ends_with_its_key_and_after_twelve_hours(services: Services, clock: FakeClock) -> None:
    issued = services.credentials.create(ACME, Grant())
    revoked, late = Browser(), signed_in(services)
    revoked.sign_in(issued.text)
    services.credentials.revoke(issued.credential.id)
    assert_sent_to_sign_in(revoked.get("/"))

    assert late.get("/").status == 200
    clock.advance(hours=12, seconds=1)
    assert_sent_to_sign_in(late.get("/"))


def test_a_key_that_opens_nothing_signs_nobody_in_and_is_not_told_back(services: Services) -> None:
    del services
    browser = Browser()

    refused = browser.sign_in("cairn_0123456789abcdef_" + "a" * 43)

    assert refused.status == 401
    assert browser.kept == {}
    assert "0123456789abcdef" not in refused.body


def test_the_cookie_is_for_this_host_alone_and_holds_no_key(services: Services) -> None:
    issued = services.credentials.create(ACME, Grant())
    browser = Browser()
    page = browser.post("/console/sign-in", {"key": issued.text})

    [cookie] = page.cookies

    assert cookie.startswith("__Host-cairn=")
    assert {"Secure", "HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert issued.text.rpartition("_")[2] not in cookie


@pytest.mark.parametrize("change", ["", "x", "WyJhIl0.1.00000000000000000000000000000000"])
def test_a_cookie_that_was_made_up_opens_nothing(services: Services, change: str) -> None:
    browser = signed_in(services)
    browser.kept["__Host-cairn"] = change or browser.kept["__Host-cairn"][:-1] + "0"

    assert_sent_to_sign_in(browser.get("/"))


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:3000", "sec_fetch_site": "same-site"},
        {"sec_fetch_site": "cross-site"},
    ],
    ids=["elsewhere", "nowhere", "another port", "cross-site"],
)
def test_a_form_of_another_site_s_page_does_nothing(
    services: Services, garden: Garden, headers: dict[str, str]
) -> None:
    browser = signed_in(services)
    form = browser.get("/console/people", **HERS).form("forget")

    answer = browser.post(form.action, {**form.fields, "reason": "x"}, **headers)

    assert answer.status == 403
    assert garden.known() == {"home": "Oslo"}


def test_a_form_needs_the_token_of_its_own_page_and_sign_in(services: Services, garden: Garden) -> None:
    browser, other = signed_in(services), signed_in(services)
    form = browser.get("/console/people", **HERS).form("forget")
    stolen = other.get("/console/people", **HERS).form("forget")
    elsewhere = browser.get("/console/keys").form("create")

    answers = [
        browser.post(form.action, {**form.fields, "token": token})
        for token in ("", "1." + "0" * 32, stolen.fields["token"], elsewhere.fields["token"])
    ]

    assert [answer.status for answer in answers] == [403] * 4
    assert garden.known() == {"home": "Oslo"}


@pytest.mark.parametrize(
    "path", ["/", "/console/people", "/console/sign-in", "/console/nothing", "/console/static/icon.svg"]
)
def test_every_answer_keeps_other_pages_frames_and_scripts_out(services: Services, path: str) -> None:
    headers = signed_in(services).get(path).headers

    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "to", ["https://evil.example/", "//evil.example", "/\\evil.example", "/console//evil", "javascript:alert(1)"]
)
def test_a_sign_in_leads_nowhere_but_to_a_page_of_the_console(services: Services, to: str) -> None:
    key = services.credentials.create(ACME, Grant()).text

    page = Browser().post(f"/console/sign-in?to={to}", {"key": key})

    assert page.headers["location"] == "/"


@pytest.mark.usefixtures("garden")
def test_a_sign_in_leads_back_to_the_page_that_was_asked_for(services: Services) -> None:
    browser = Browser()
    form = browser.follow(browser.get("/console/people", **HERS)).read.forms[0]

    page = browser.send(form, key=services.credentials.create(ACME, Grant()).text)

    assert "What is known of ada" in page.text


def test_signing_out_ends_the_cookie(services: Services) -> None:
    browser = signed_in(services)
    out = next(form for form in browser.get("/").read.forms if form.action.endswith("/sign-out"))

    browser.send(out)

    assert browser.kept == {}


def test_signing_out_takes_the_token_of_the_sign_in_so_that_nobody_else_s_page_does_it(services: Services) -> None:
    browser = signed_in(services)

    assert browser.post("/console/sign-out", {"token": "1." + "0" * 32}).status == 403
    assert browser.get("/").status == 200


def test_a_page_asks_no_tool_that_it_does_not_name(call: Call) -> None:
    visit = Visit(call, frozenset({"recall"}))

    with pytest.raises(LookupError, match="forget"):
        visit.ask("forget", project="garden", memory_id="x")


def test_a_line_of_a_megabyte_is_cut_on_the_page_and_whole_in_its_twin(services: Services, garden: Garden) -> None:
    execute(CATALOG, "putMemory", {"namespace": "agent.notes", "key": "long", "value": "x" * 900_000}, garden.call)
    garden.tell("y" * 199_000)
    browser = signed_in(services)

    pages = [
        browser.get("/console/values", namespace="agent.notes", key="long"),
        browser.get("/console/session", **HERS, session="monday"),
    ]

    assert [page.status for page in pages] == [200, 200]
    assert all("more characters)" in page.text and len(page.body) < 50_000 for page in pages)
    twin = browser.get("/console/values.json", namespace="agent.notes", key="long")
    assert twin.json["value"]["value"] == "x" * 900_000


def test_what_goes_wrong_is_a_page_that_names_the_field(services: Services) -> None:
    browser = signed_in(services)

    page = browser.get("/console/search", project="garden", q="x", days="yesterday")

    assert page.status == 400
    assert "days must be 0 to 3650" in page.text
    assert (
        browser.get("/console/search.json", project="garden", q="x", days="no").json["error"]["code"]
        == "INVALID_ARGUMENT"
    )


def test_an_address_that_is_none_is_a_page_that_says_so(services: Services) -> None:
    browser = signed_in(services)

    assert [browser.get(path).status for path in ("/console/nothing", "/console/static/other.js")] == [404, 404]


def test_all_that_a_browser_loads_is_under_150_kilobytes(services: Services) -> None:
    browser = signed_in(services)
    page = browser.get("/")
    linked = {
        given.get("href") or given.get("src") for tag, given in page.read.tags if tag in {"link", "script", "img"}
    }

    loaded = [browser.get(each).body for each in linked if each]

    assert len(loaded) >= 3
    assert sum(len(each.encode()) for each in [page.body, *loaded]) < 150_000
    assert HOST not in "".join(loaded)


@pytest.mark.usefixtures("garden")
def test_a_call_that_a_page_makes_is_on_record_like_any_other(services: Services) -> None:
    browser = signed_in(services)
    browser.get("/console/people", **HERS)

    calls = browser.get("/console/calls.json").json["calls"]

    assert "memory_list_known" in {call["tool"] for call in calls}
