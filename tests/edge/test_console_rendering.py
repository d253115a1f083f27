"""How pages write what they show."""

from __future__ import annotations

from collections import Counter

import pytest

from cairn.access.api_keys import Grant
from cairn.ground.ids import Tenant
from cairn.services import Services
from cairn.tool.call import Call
from cairn_console.rendering import marked
from support.console import Browser, Garden


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("With `session`, keep it.", "With <code>session</code>, keep it."),
        ("`<b>` & `a`", "<code>&lt;b&gt;</code> &amp; <code>a</code>"),
        ("one ` alone <i>", "one ` alone &lt;i&gt;"),
        ("turned \u202e`x`", "turned ⟨U+202E⟩<code>x</code>"),
    ],
)
def test_what_stands_between_backticks_is_code_and_all_else_text(text: str, shown: str) -> None:
    assert str(marked(text)) == shown


def test_each_part_of_the_settings_stands_once_with_all_of_its_settings(services: Services) -> None:
    browser = Browser()
    browser.sign_in(services.credentials.create(Tenant("acme"), Grant(scopes=("read", "write", "admin"))).text)

    parts = browser.get("/console/settings.json").json["listed"]

    assert max(Counter(part["name"] for part in parts).values()) == 1
    assert all(each["key"].rpartition(".")[0] == part["name"] for part in parts for each in part["settings"])


def test_the_page_of_a_person_shows_the_newest_and_more_of_it_to_who_asks(services: Services, call: Call) -> None:
    garden = Garden(call)
    for number in range(102):
        what = f"Bed {number} is for beans."
        garden.ask("remember", content=what, type="decision", scope="user", user_id="ada", session_id="monday")
    browser = Browser()
    browser.sign_in(services.credentials.create(Tenant("acme"), Grant()).text)

    first = browser.get("/console/people", project="garden", user="ada")
    older = next(link for link in first.read.links if "all=yes" in link)

    assert "2 older things are not shown." in first.text
    assert "Bed 0 " not in first.text
    assert "Bed 101 " in first.text
    assert "Bed 0 " in browser.get(older).text
