"""What is known of a user, seen, corrected and forgotten inside a chat client: the reference host in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, Keys

from support.chromium import browsed, complaints, script, wait
from support.installed import environment, served
from support.mcp_app import Cairn, Chat, hosted

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=document.title='owned'>"
TOLD = ("I'm Ada and I'm allergic to peanuts.", "I live in Oslo.", "I prefer window seats on trains.")
ERAS = pytest.mark.parametrize("era", ["legacy", "auto"])
"""How the host's client finds the version that it speaks: by a handshake, or by asking first, as the newest has it."""
VERSIONS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with hosted(tmp_path_factory.mktemp("host")) as port:
        yield port


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    with browsed(tmp_path_factory.mktemp("profile"), width=860) as driver:
        yield driver


@pytest.fixture
def chat(driver: Chrome, port: int) -> Chat:
    return Chat(driver, port)


@pytest.fixture
def cairn(tmp_path: Path) -> Iterator[Cairn]:
    with served(tmp_path, environment(tmp_path)) as started:
        cairn = Cairn.of(started)
        cairn.say(*TOLD)
        yield cairn


@ERAS
def test_each_fact_stands_under_its_subject_with_the_sentence_it_came_from(chat: Chat, cairn: Cairn, era: str) -> None:
    cairn.call("remember", content="Ada wants invoices as PDF.", type="agent_rule", scope="user")

    chat.open(cairn, era=era)

    shown = dict(zip(chat.texts("h2"), chat.texts("section ul"), strict=True))
    assert shown["allergy"].splitlines()[:2] == [
        "peanuts",
        f"I'm allergic to peanuts {today(chat)} in every project",
    ]
    assert shown["home"].splitlines()[0] == "Oslo"
    assert shown["agent rule"].splitlines()[0] == "Ada wants invoices as PDF."
    assert (chat.record["version"], chat.record["refused"]) == (VERSIONS[era], [])


def today(chat: Chat) -> str:
    """Return the day on which Cairn was told, as the host's user writes it."""
    moment = chat.all("time")[0].get_attribute("datetime")
    return script(
        chat.driver,
        "return new Date(arguments[0]).toLocaleDateString('en-GB', {dateStyle: 'medium', timeZone: 'Europe/Oslo'})",
        moment,
    )


@ERAS
def test_what_is_forgotten_there_is_forgotten_and_can_be_had_back(chat: Chat, cairn: Cairn, era: str) -> None:
    chat.open(cairn, era=era)

    chat.press("Forget: peanuts")
    assert "peanuts" in cairn.values()
    chat.press("Forget it")
    wait(
        chat.driver,
        lambda: chat.texts("#notice > span") == ["Forgotten: peanuts"] and "allergy" not in chat.texts("h2"),
    )

    assert "peanuts" not in cairn.values()
    wait(chat.driver, lambda: chat.focused == "Undo")
    chat.press("Undo")
    wait(chat.driver, lambda: "allergy" in chat.texts("h2"))
    assert "peanuts" in cairn.values()


@ERAS
def test_what_is_wrong_is_corrected_there_and_can_be_had_back(chat: Chat, cairn: Cairn, era: str) -> None:
    chat.open(cairn, era=era)

    chat.press("Correct: Oslo")
    wait(chat.driver, lambda: chat.focused == "What holds instead?")
    chat.named("What holds instead?").send_keys(Keys.BACKSPACE, "Bergen", Keys.ENTER)
    wait(chat.driver, lambda: "Bergen" in chat.texts(".value"))

    assert "Oslo" not in chat.texts(".value")
    assert "Bergen" in cairn.values()
    assert "Oslo" not in cairn.values()
    chat.press("Undo")
    wait(chat.driver, lambda: "Oslo" in chat.texts(".value"))
    assert "Oslo" in cairn.values()
    assert "Bergen" not in cairn.values()


def test_what_is_asked_of_a_named_user_is_changed_of_that_user(chat: Chat, cairn: Cairn, tmp_path: Path) -> None:
    named = {"project": "default", "user_id": cairn.user}
    chat.open(cairn.with_new_key(tmp_path), **named)

    chat.press("Forget: peanuts")
    chat.press("Forget it")
    wait(chat.driver, lambda: "allergy" not in chat.texts("h2"))

    assert chat.texts("h1") == [f"What Cairn knows of {cairn.user}"]
    assert "peanuts" not in cairn.values()
    assert all(call["arguments"].items() >= named.items() for call in chat.record["calls"])


def test_a_key_that_reads_only_is_shown_what_is_known_and_nothing_to_press(
    chat: Chat, cairn: Cairn, tmp_path: Path
) -> None:
    chat.open(cairn.with_new_key(tmp_path, "--scope", "read"), project="default", user_id=cairn.user)

    assert "peanuts" in chat.texts(".value")
    assert chat.all("button") == []


def test_what_the_user_changed_the_model_is_told_as_data(chat: Chat, cairn: Cairn) -> None:
    chat.open(cairn)

    chat.press("Correct: Oslo")
    chat.named("What holds instead?").send_keys('Bergen\\ "x"', Keys.ENTER)
    wait(chat.driver, lambda: chat.texts("#notice > span"))
    chat.press("Forget: peanuts")
    chat.press("Forget it")
    wait(chat.driver, lambda: chat.texts("#notice > span") == ["Forgotten: peanuts"])

    (told,) = chat.record["context"][-1]["content"]
    assert told["text"].splitlines()[1:] == [
        r'- "Oslo" is wrong; it is "Bergen\\ \"x\""',
        '- forgotten: "peanuts"',
    ]


def test_what_was_stored_stays_text_and_the_page_asks_nothing_of_the_web(chat: Chat, cairn: Cairn) -> None:
    cairn.call("remember", content=HOSTILE, type="agent_rule", scope="user")

    chat.open(cairn)
    chat.press(f"Forget: {HOSTILE}")
    chat.press("Forget it")
    wait(chat.driver, lambda: chat.texts("#notice > span") == [f"Forgotten: {HOSTILE}"])

    assert chat.all("img, #subjects script, #notice script") == []
    assert script(chat.driver, "return document.title") == "What is known of you"
    assert [line for line in complaints(chat.driver) if "Content Security Policy" in line or "Uncaught" in line] == []


def test_a_call_that_fails_says_why_and_can_be_made_again(chat: Chat, cairn: Cairn) -> None:
    chat.open(cairn)

    chat.press("Correct: Oslo")
    chat.named("What holds instead?").send_keys("x" * 600)
    chat.press("Save")
    wait(chat.driver, lambda: chat.texts("[role=alert]"))

    assert "content" in chat.texts("[role=alert]")[0]
    assert "Oslo" in cairn.values()
    script(chat.driver, "arguments[0].value = ''", chat.named("What holds instead?"))
    chat.named("What holds instead?").send_keys("Bergen")
    chat.press("Save")
    wait(chat.driver, lambda: "Bergen" in chat.texts(".value"))


def test_the_page_can_be_used_by_keyboard_alone(chat: Chat, cairn: Cairn) -> None:
    chat.open(cairn)
    forget = chat.named("Forget: peanuts")
    script(chat.driver, "arguments[0].focus()", forget)

    forget.send_keys(Keys.ENTER)
    assert chat.focused == "Keep"
    chat.named("Keep").send_keys(Keys.ESCAPE)
    assert chat.focused == "Forget: peanuts"
    assert chat.all(".asked") == []
    assert "peanuts" in cairn.values()


def test_the_page_wears_the_host_s_theme_and_changes_with_it(chat: Chat, cairn: Cairn) -> None:
    back = "return getComputedStyle(document.body).backgroundColor"
    chat.open(cairn, theme="dark")
    chat.enter()
    dark = script(chat.driver, back)

    chat.set_theme("light")
    chat.enter()
    light = wait(chat.driver, lambda: (found := script(chat.driver, back)) != dark and found)

    assert (dark, light) == ("rgb(31, 30, 29)", "rgb(255, 255, 255)")


def test_the_frame_is_as_high_as_the_page_and_follows_it(chat: Chat, cairn: Cairn) -> None:
    chat.open(cairn)
    heights = "return [document.documentElement.scrollHeight, window.innerHeight]"
    fits = "const [page, frame] = (() => { " + heights + " })(); return Math.abs(page - frame) <= 1"
    chat.enter()
    wait(chat.driver, lambda: script(chat.driver, fits))
    before = chat.record["sizes"][-1]

    chat.press("Correct: Oslo")
    wait(chat.driver, lambda: chat.record["sizes"][-1] > before)
    chat.enter()
    wait(chat.driver, lambda: script(chat.driver, fits))


def test_the_model_is_offered_the_page_and_none_of_its_tools(chat: Chat, cairn: Cairn) -> None:
    chat.open(cairn)

    offered = chat.record["tools"]
    assert "memory_list_known" in offered
    assert not {"memory_correct", "memory_restore"} & set(offered)
