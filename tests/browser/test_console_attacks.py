"""What hostile pages, hostile words and a copied cookie can do to the console in a real browser, and cannot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
from selenium.webdriver import Chrome

from cairn.access.api_keys import Grant
from cairn.local.store import LOCAL_TENANT, operator_services
from cairn_console.catalog import PAGES
from support.chromium import wait
from support.console_story import PLACE, USER, Console, serving
from support.hostile_site import HostileSite, hostile
from support.surfing import Surfer

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]
SCRIPT = "<script>alert('owned')</script><img src=x onerror=\"alert('owned')\"><svg onload=alert(1)>"
TRICKS = f"</textarea></pre>{SCRIPT} \u202egnirts\u202c {{{{7*7}}}} <hx-partial hx-get=/>"
FORGET = """
const form = document.createElement("form");
form.method = "post"; form.action = arguments[0];
for (const [name, value] of Object.entries(arguments[1])) {
  const field = document.createElement("input");
  field.name = name; field.value = value; form.append(field);
}
document.body.append(form); form.submit();
"""
FETCH = """
const [url, given, done] = arguments;
fetch(url, {credentials: "include", ...given}).then((answer) => answer.text()).then(done, (error) => done(error.name))
"""
FRAME = """
const [url, done] = arguments, frame = document.createElement("iframe");
frame.addEventListener("load", () => done(frame.contentDocument === null));
frame.src = url; document.body.append(frame);
"""
OPEN = """
const [url, done] = arguments, opened = window.open(url);
setTimeout(() => { try { done(opened.document.title) } catch (error) { done(error.name) } }, 1500);
"""


@pytest.fixture(scope="module")
def console(own_console: Console) -> Console:
    return own_console


@pytest.fixture
def victim(driver: Chrome, console: Console) -> Surfer:
    """Somebody who is signed in."""
    return Surfer.arriving(driver, console)


@pytest.fixture
def site(victim: Surfer) -> Iterator[HostileSite]:
    """A page that the same browser shows now, in the tab of the console."""
    with hostile() as site:
        victim.driver.get(site.origin)
        yield site


def people(console: Console) -> str:
    return console.address(next(page for page in PAGES if page.name == "people"))


def known(victim: Surfer) -> str:
    victim.driver.get(people(victim.console))
    return victim.text


def cookies(driver: Chrome) -> dict[str, str]:
    """Return what the browser keeps of this host, by name."""
    kept = cast("list[dict[str, str]]", driver.get_cookies())  # pyright: ignore[reportUnknownMemberType] - of selenium
    return {each["name"]: each["value"] for each in kept}


def asked(victim: Surfer, code: str, *given: object) -> Any:
    """Return what a script of the hostile page came to."""
    return victim.driver.execute_async_script(code, *given)  # pyright: ignore[reportUnknownMemberType] - of selenium


@pytest.mark.req("R316")
@pytest.mark.usefixtures("site")
def test_a_form_of_another_port_s_page_is_refused_though_the_browser_sends_the_cookie(victim: Surfer) -> None:
    console = victim.console
    victim.script(FORGET, people(console), {"act": "forget", "id": console.moved, "token": "1." + "0" * 32})

    wait(victim.driver, lambda: victim.texts(".problem h1") == ["That did not work"])
    assert "another site's page" in victim.text
    assert "home Bergen" in known(victim)


@pytest.mark.req("R316")
@pytest.mark.usefixtures("site")
def test_a_script_of_another_port_s_page_reads_nothing_and_does_nothing(victim: Surfer) -> None:
    console = victim.console
    body = f"act=forget&id={console.moved}"
    form = {"method": "POST", "body": body, "headers": {"content-type": "application/x-www-form-urlencoded"}}
    twin = people(console).replace("/people?", "/people.json?")

    read = asked(victim, FETCH, people(console), {}), asked(victim, FETCH, twin, {})
    sent = asked(victim, FETCH, people(console), form | {"mode": "no-cors"})

    assert read == ("TypeError", "TypeError")
    assert sent == "TypeError"
    victim.complaints()
    assert "home Bergen" in known(victim)


@pytest.mark.req("R316")
@pytest.mark.usefixtures("site")
def test_no_page_frames_the_console_and_none_reads_it_in_a_window_that_it_opened(victim: Surfer) -> None:
    address = people(victim.console)
    here = victim.driver.current_window_handle

    assert asked(victim, FRAME, address) is True
    assert any("X-Frame-Options" in each or "frame-ancestors" in each for each in victim.complaints())
    assert asked(victim, OPEN, address) == "SecurityError"
    for opened in set(victim.driver.window_handles) - {here}:
        victim.driver.switch_to.window(opened)
        assert victim.script("return window.opener") is None
        victim.driver.close()
    victim.driver.switch_to.window(here)


@pytest.mark.req("R316")
def test_scripts_see_no_cookie_and_other_ports_of_this_machine_do(victim: Surfer) -> None:
    assert victim.script("return document.cookie") == ""

    with hostile() as site:
        victim.driver.get(site.origin)
        assert victim.script("return document.cookie") == ""

    # Browsers keep cookies by host, not by port: docs/how-to/use-the-console.md says so.
    assert any("__Host-cairn=" in each for each in site.cookies)


@pytest.mark.req("R316")
def test_a_copied_cookie_holds_after_signing_out_and_until_its_key_is_revoked(driver: Chrome, console: Console) -> None:
    credentials = operator_services(console.data, {}).credentials
    issued = credentials.create(LOCAL_TENANT, Grant())
    victim = Surfer(driver, replace(console, key=issued.text))
    driver.delete_all_cookies()
    victim.sign_in()
    cookie = cookies(driver)["__Host-cairn"]
    victim.follow("Sign out")
    assert victim.texts("h1") == ["See what is remembered"]
    assert cookies(driver) == {}

    def status() -> int:
        shown = httpx2.get(people(console), headers={"cookie": f"__Host-cairn={cookie}"}, timeout=10)
        return shown.status_code

    assert status() == 200
    credentials.revoke(issued.credential.id)
    assert status() == 303


@pytest.mark.req("R316")
def test_hostile_words_stay_words_on_every_page(driver: Chrome, tmp_path: Path) -> None:
    with serving(tmp_path) as console:
        victim = Surfer(driver, console)
        headers = {"authorization": f"Bearer {console.key}"}

        def ask(tool: str, **given: object) -> None:
            answer = httpx2.post(f"{console.origin}/v1/tools/{tool}", json=given, headers=headers, timeout=10)
            assert answer.status_code == 200, answer.text

        where = {"project": PLACE["project"], "user_id": USER, "session_id": "release-plan"}
        said = f"My name is {TRICKS}."
        ask("memory_after_turn", **where, turn_id="<b>", input_items=said, output_items=TRICKS)
        ask("remember", **where, content=TRICKS, type="decision", scope="user")
        ask("memory_correct", **PLACE_OF_USER, memory_id=console.moved, content=TRICKS[:400])
        ask("putMemory", namespace="agent.notes", key="beds/north", value={TRICKS: TRICKS})
        driver.get(console.origin)
        driver.delete_all_cookies()
        victim.sign_in()

        for page in PAGES:
            victim.open(page)
            victim.script("document.querySelectorAll('details').forEach((each) => { each.open = true })")

            assert victim.complaints() == []
            assert not victim.all("main script, main img, main [onload], main [onerror]")
            assert "\u202e" not in driver.page_source
        victim.open(next(page for page in PAGES if page.name == "session"))
        assert TRICKS.partition("\u202e")[0] in victim.text


PLACE_OF_USER = {"project": PLACE["project"], "user_id": USER}
