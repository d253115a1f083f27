"""A person puts memory right by the keyboard alone, in a browser that runs JavaScript and in one that does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Keys

from support.chromium import browsed
from support.console_story import PROJECT, USER, serving
from support.surfing import Surfer

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]
FROST = "Frost comes two weeks later in Bergen than the almanac says."


@pytest.fixture(params=[True, False], ids=["scripted", "scriptless"])
def person(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Surfer]:
    """Somebody at a browser over a story of their own."""
    with (
        serving(tmp_path) as console,
        browsed(tmp_path / "profile", scripts=request.param) as driver,
    ):
        yield Surfer(driver, console)


@pytest.mark.req("R316")
def test_a_person_corrects_undoes_forgets_and_restores_by_keyboard(person: Surfer) -> None:
    person.sign_in()
    person.follow(PROJECT)
    person.follow("People")
    person.follow(USER)
    assert "workplace Fjordbank" in person.text

    person.tab_to("Wrong Fjordbank")
    person.type(Keys.ENTER)
    person.tab_to("What holds instead")
    person.type_over("Havbank")
    person.follow("Correct it")
    person.says("Corrected.")
    assert "workplace Havbank" in person.text
    person.follow("Undo")
    person.says("It holds again.")
    assert "workplace Fjordbank" in person.text

    person.tab_to(f"Forget {FROST}")
    person.type(Keys.ENTER)
    person.tab_to("Why (it stays on record)")
    person.type("the almanac was reprinted")
    person.follow("Forget it")
    person.says("Forgotten")
    assert FROST not in person.text
    assert FROST not in found(person, "When does frost come in Bergen?")

    person.follow("Over time")
    assert "forgotten" in person.texts(".timeline .about")
    person.follow(FROST)
    assert "Because: the almanac was reprinted" in person.text
    person.follow("Let this hold again")
    person.says("It holds again.")
    assert FROST in found(person, "When does frost come in Bergen?")
    assert person.complaints() == []


def found(person: Surfer, question: str) -> str:
    """Return what a question finds, asked on the page for that."""
    person.follow("Search")
    person.tab_to("Question")
    person.type(question)
    person.enter()
    person.says("searched by")
    return person.text
