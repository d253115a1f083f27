"""What htmx makes of the console: pages that take each other's place without a load, and lose nothing of one."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, Keys

from cairn_console.catalog import PAGES
from support.chromium import command, wait
from support.console_story import USER, Console
from support.surfing import Surfer

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]
BY_NAME = {page.name: page for page in PAGES}
MARK, MARKED = "window.marked = true", "return window.marked === true"


@pytest.fixture(scope="module")
def console(own_console: Console) -> Console:
    return own_console


@pytest.fixture
def person(driver: Chrome, console: Console) -> Surfer:
    """Somebody who is signed in, on the page of what is known of a user."""
    person = Surfer.arriving(driver, console)
    person.open(BY_NAME["people"])
    person.script(MARK)
    return person


@pytest.mark.req("R316")
def test_a_link_changes_page_title_and_address_without_a_load_and_the_focus_goes_to_what_is_new(
    person: Surfer,
) -> None:
    person.follow("Conversations")

    wait(person.driver, lambda: person.driver.title == "Conversations · Cairn")
    assert person.driver.current_url.endswith(f"/console/sessions?project=garden&user={USER}")
    wait(person.driver, lambda: person.focused.get_attribute("id") == "main")
    assert person.all("[aria-current=page]")[0].text == "Conversations"
    assert person.script(MARKED)
    assert person.complaints() == []


@pytest.mark.req("R316")
def test_back_and_forward_lead_where_they_lead_without_htmx(person: Surfer) -> None:
    person.follow("Conversations")
    person.follow("Over time")

    person.driver.back()
    wait(person.driver, lambda: person.texts("h1") == [f"Conversations of {USER}"])
    person.driver.back()
    wait(person.driver, lambda: person.texts("h1") == [f"What is known of {USER}"])
    wait(person.driver, lambda: person.driver.title == "People · Cairn")
    person.driver.forward()
    wait(person.driver, lambda: person.texts("h1") == [f"Conversations of {USER}"])
    assert person.driver.current_url.endswith(f"/console/sessions?project=garden&user={USER}")
    assert person.script(MARKED)


@pytest.mark.req("R316")
def test_a_link_to_a_turn_leads_to_that_turn_and_back_leads_away_again(person: Surfer) -> None:
    person.follow("release-plan")

    wait(person.driver, lambda: person.focused.tag_name == "article")
    assert person.script("return document.querySelector(':target') === document.activeElement")
    person.follow("Search")
    person.driver.back()
    wait(person.driver, lambda: person.texts("h1") == ["Conversation release-plan"])


@pytest.mark.req("R316")
def test_a_form_s_answer_says_what_was_done_where_the_focus_is(person: Surfer) -> None:
    person.follow("Pin hazelnuts")

    person.says("Pinned: it stands in every context of this user.")
    assert person.texts("[role=status]") != []
    wait(person.driver, lambda: person.focused.get_attribute("id") == "main")
    assert person.script(MARKED)
    person.follow("Undo")
    person.says("Not pinned any more")


@pytest.mark.req("R316")
def test_a_sign_in_that_ended_leads_to_the_page_to_sign_in_on_and_back(person: Surfer) -> None:
    person.driver.delete_all_cookies()

    person.follow("Conversations")

    assert person.texts("h1") == ["See what is remembered"]
    assert person.driver.title == "Sign in · Cairn"
    assert not person.all(".menu")
    wait(person.driver, lambda: person.focused.get_attribute("id") == "key")
    person.type(person.console.key, Keys.ENTER)
    wait(person.driver, lambda: person.texts("h1") == [f"Conversations of {USER}"])


@pytest.mark.req("R316")
def test_a_form_after_the_sign_in_ended_does_nothing_and_leads_to_signing_in(person: Surfer) -> None:
    person.driver.delete_all_cookies()

    person.follow("Pin hazelnuts")

    assert person.texts("h1") == ["See what is remembered"]
    person.sign_in()
    person.open(BY_NAME["people"])
    assert "pinned" not in person.texts(".tag")


@pytest.mark.req("R316")
def test_a_request_that_fails_says_so_and_leaves_the_page(person: Surfer) -> None:
    no_network = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    command(person.driver, "Network.enable")
    command(person.driver, "Network.emulateNetworkConditions", **no_network)
    try:
        person.tab_to("Conversations")
        person.type(Keys.ENTER)
        wait(person.driver, lambda: person.texts("[role=alert]"))
    finally:
        online = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        command(person.driver, "Network.emulateNetworkConditions", **online)

    assert person.texts("[role=alert]")[0].startswith("Cairn did not answer")
    assert f"What is known of {USER}" in person.text
    person.complaints()


@pytest.mark.req("R316")
def test_an_export_is_watched_to_its_end_and_comes_as_a_file(person: Surfer, tmp_path: Path) -> None:
    downloads = {"behavior": "allow", "downloadPath": str(tmp_path)}
    command(person.driver, "Browser.setDownloadBehavior", **downloads)
    person.open(BY_NAME["custody"])
    person.tab_to("User (empty: everybody)")
    person.type(USER)
    person.follow("Count")
    person.follow("Export it")
    wait(person.driver, lambda: "done" in person.texts("#tasks strong"))

    person.tab_to("Download the bundle")
    person.type(Keys.ENTER)
    wait(person.driver, lambda: list(tmp_path.glob("*.zip")))

    (bundle,) = tmp_path.glob("*.zip")
    wait(person.driver, lambda: zipfile.is_zipfile(bundle))
    assert person.texts("h1") == ["Erase and export"]
    assert person.complaints() == []
