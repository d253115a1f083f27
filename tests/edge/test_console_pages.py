"""What people do on the console's pages, with forms alone, and what memory is like then."""

from __future__ import annotations

import base64
import io
import zipfile
from typing import Any, cast

import pytest

from cairn import wiring
from cairn.access.api_keys import Grant, project_pattern
from cairn.embedded.inventory import EmbeddedInventory
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant, UserId
from cairn.services import Services
from cairn.tool.call import Call, execute
from cairn_console.catalog import PAGES
from cairn_tools.catalog import CATALOG
from conftest import Store
from support.console import Browser, Form, Garden, Page
from support.doubles import FakeClock
from support.services import services_over

ACME = Tenant("acme")
HERS = {"project": "garden", "user": "ada"}


@pytest.fixture
def garden(call: Call) -> Garden:
    return Garden(call)


@pytest.fixture
def browser(services: Services) -> Browser:
    signed_in = Browser()
    signed_in.sign_in(services.credentials.create(ACME, Grant()).text)
    return signed_in


def people(browser: Browser) -> Page:
    return browser.get("/console/people", **HERS)


@pytest.mark.req("R316")
def test_what_is_wrong_is_corrected_and_the_correction_undone(browser: Browser, garden: Garden) -> None:
    garden.tell("I live in Oslo.")

    corrected = browser.send(people(browser).form("correct"), content="Bergen")
    assert garden.known() == {"home": "Bergen"}
    assert "Corrected" in corrected.text

    undone = browser.send(corrected.form("restore"))
    assert garden.known() == {"home": "Oslo"}
    assert "It holds again" in undone.text


@pytest.mark.req("R316")
def test_what_is_forgotten_is_gone_from_the_page_and_comes_back_by_undo(browser: Browser, garden: Garden) -> None:
    garden.tell("I live in Oslo.")

    forgotten = browser.send(people(browser).form("forget"), reason="Private.")
    assert garden.known() == {}
    assert "Nothing is known yet" in forgotten.text

    browser.send(forgotten.form("restore"))
    assert garden.known() == {"home": "Oslo"}


def test_what_is_done_is_told_once(browser: Browser, garden: Garden) -> None:
    garden.tell("I live in Oslo.")

    assert "Forgotten" in browser.send(people(browser).form("forget")).text
    assert "Forgotten" not in people(browser).text


def test_a_pinned_fact_stands_in_every_context_until_it_is_unpinned(browser: Browser, garden: Garden) -> None:
    garden.tell("I love opera.")

    def context() -> str:
        asked = {"session_id": "x", "current_input": "Which port does the server listen on?", "format": "text"}
        return garden.ask("memory_before_turn", user_id="ada", **asked)["text"]

    assert "opera" not in context()
    pinned = browser.send(people(browser).form("pin"))
    assert "pinned" in pinned.text
    assert "opera" in context()

    browser.send(pinned.form("unpin"))
    assert "opera" not in context()


def test_a_memory_that_an_agent_kept_is_corrected_and_forgotten_too(browser: Browser, garden: Garden) -> None:
    garden.ask(
        "remember", content="The bed gets four hours of sun.", type="decision", user_id="ada", session_id="monday"
    )

    browser.send(people(browser).form("correct"), content="The bed gets seven hours of sun.")
    assert [each["content"] for each in kept(garden)] == ["The bed gets seven hours of sun."]

    browser.send(people(browser).form("forget"))
    assert kept(garden) == []


def kept(garden: Garden) -> list[dict[str, Any]]:
    return garden.ask("memory_list_known", user_id="ada")["memories"]


def test_a_history_tells_what_replaced_what_and_lets_the_old_hold_again(browser: Browser, garden: Garden) -> None:
    garden.tell("I live in Oslo.", session="monday")
    garden.tell("I moved to Bergen.", session="tuesday")
    link = next(each for each in people(browser).read.links if "/statement" in each)

    history = browser.get(link)

    assert "Bergen was Oslo" in history.text
    assert [each for each in history.read.links if "session=monday" in each]
    browser.send(history.form("restore"))
    assert garden.known() == {"home": "Oslo"}


def test_a_key_that_may_only_read_is_offered_nothing_to_change(services: Services, garden: Garden) -> None:
    garden.tell("I live in Oslo.")
    browser = Browser()
    browser.sign_in(services.credentials.create(ACME, Grant(scopes=("read",))).text)

    page, conversation = people(browser), browser.get("/console/session", **HERS, session="monday")

    assert "Oslo" in page.text
    assert [form.action for form in page.read.forms] == ["/console/sign-out"]
    assert "Oslo" in conversation.text
    assert [link for link in conversation.read.links if "/replay" in link] == []


def test_a_conversation_shows_what_was_said_and_what_came_of_it(browser: Browser, garden: Garden) -> None:
    garden.tell("I live in Oslo.", session="monday", answer="A fine city.")
    garden.tell("I moved to Bergen.", session="monday")

    page = browser.get("/console/session", **HERS, session="monday")

    assert "A fine city." in page.text
    assert "replaced Bergen in place of Oslo" in page.text


def test_a_conversation_shows_what_hooks_told_the_agent(browser: Browser, garden: Garden) -> None:
    garden.tell("I prefer answers without emojis.", session="before")
    for event in (
        {"hook_event_name": "UserPromptSubmit", "prompt_id": "p1", "prompt": "Hello there", "session_id": "now"},
        {"hook_event_name": "Stop", "prompt_id": "p1", "last_assistant_message": "Hello.", "session_id": "now"},
    ):
        garden.ask("memory_hook", agent="claude-code", user_id="ada", session_id="now", event=event)

    page = browser.get("/console/session", **HERS, session="now")

    assert "Memory told the agent" in page.text
    assert "without emojis" in page.text


@pytest.mark.parametrize(
    ("expected", "says"),
    [
        ("Oslo", "It was found"),
        ("Fjordbank", "nothing ties it to this question"),
        ("Lisbon", "It was forgotten, because: Private."),
        ("opera", "Somebody else said it"),
        ("zeppelin", "Nothing with these words is stored"),
    ],
)
def test_a_search_says_why_something_is_not_found(browser: Browser, garden: Garden, expected: str, says: str) -> None:
    garden.tell("I live in Oslo.")
    garden.tell("I work at Fjordbank.", session="tuesday")
    garden.tell("I love opera.", session="hers", user="eve")
    lisbon = garden.ask(
        "remember", content="The offsite is in Lisbon.", user_id="ada", session_id="monday", scope="user"
    )
    garden.ask("forget", memory_id=lisbon["memory_id"], user_id="ada", session_id="monday", reason="Private.")

    page = browser.get("/console/search", **HERS, q="Where do I live? Oslo", expected=expected)

    assert says in page.text


def test_a_search_shows_each_signal_and_the_context_that_an_agent_would_get(browser: Browser, garden: Garden) -> None:
    garden.tell("I live in Oslo.")

    page = browser.get("/console/search", **HERS, q="Where do I live?")

    assert "words" in page.text
    assert "What an agent would be given" in page.text
    assert "End of memory" in page.text


def test_a_search_as_of_an_earlier_day_finds_what_was_true_then(
    garden: Garden, clock: FakeClock, request: pytest.FixtureRequest
) -> None:
    garden.tell("I live in Oslo.")
    clock.advance(days=10)
    garden.tell("I moved to Bergen.")
    browser: Browser = request.getfixturevalue("browser")  # a sign-in of before would have ended

    then = browser.get("/console/search.json", **HERS, q="home", days="5", type="fact").json

    assert [each["content"] for each in then["found"]["best"]] == ["home: Oslo"]
    assert then["context"] is None


def test_a_key_is_made_shown_once_replaced_and_revoked(browser: Browser, services: Services) -> None:
    made = browser.send(browser.get("/console/keys").form("create"), projects="garden", users="ada", write="")
    text = next(word for word in made.text.split() if word.startswith("cairn_"))
    credential = services.credentials.check(text)
    assert credential is not None
    assert credential.grant == Grant((project_pattern("garden"),), ("read",), None, (UserId("ada"),))
    assert text not in browser.get("/console/keys").text

    browser.send(browser.get("/console/keys").form("revoke", id=credential.id))
    assert services.credentials.check(text) is None


def test_the_record_of_calls_is_verified(browser: Browser, garden: Garden) -> None:
    garden.tell("I live in Oslo.")

    verified = browser.send(browser.get("/console/calls").form("verify"))

    assert "The record is as it was written" in verified.text


def test_a_call_leads_to_what_was_asked_and_answered_and_a_receipt_proves_it(
    browser: Browser, garden: Garden, call: Call
) -> None:
    garden.tell("I live in Oslo.")
    asked = {"project": "garden", "session_id": "monday", "user_id": "ada", "query": "Where do I live?"}
    receipt = execute(CATALOG, "recall", asked, call)["receipt"]

    by_time = browser.get("/console/replay", receipt=receipt.partition(".")[0])
    proven = browser.get("/console/replay", receipt=receipt)

    assert f"receipt={receipt.partition('.')[0]}" in browser.get("/console/calls").body
    assert "By the time of the call" in by_time.text
    assert "bit for bit the one given then" in proven.text
    assert "Where do I live?" in proven.text
    assert "I live in Oslo." in proven.text


def test_a_conversation_leads_to_why_its_agent_was_told_what_it_was_told(
    browser: Browser, garden: Garden, call: Call, clock: FakeClock
) -> None:
    garden.tell("I live in Oslo.")
    clock.advance(minutes=1)
    where = {"project": "garden", "session_id": "tuesday", "user_id": "ada"}
    event = {"hook_event_name": "UserPromptSubmit", "prompt_id": "t7", "prompt": "Where do I live?"}
    for told in (event, {"hook_event_name": "Stop", "prompt_id": "t7", "last_assistant_message": "In Oslo."}):
        execute(CATALOG, "memory_hook", {**where, "agent": "codex", "event": told}, call)
    clock.advance(minutes=1)
    execute(CATALOG, "recall", {**where, "query": "later than that"}, call)

    conversation = browser.get("/console/session", project="garden", user="ada", session="tuesday")
    [to_asked] = [link for link in conversation.read.links if link.startswith("/console/replay?")]
    asked = browser.get(to_asked)
    [to_why] = [link for link in asked.read.links if "receipt=" in link]
    why = browser.get(to_why)

    assert "later than that" not in asked.text
    assert "t7" in asked.text
    assert "bit for bit the one given then" in why.text
    assert "I live in Oslo." in why.text


def test_what_was_corrected_or_taken_back_since_stands_beside_the_answer(
    browser: Browser, garden: Garden, call: Call, clock: FakeClock
) -> None:
    garden.tell("I live in Oslo.")
    whose = {"project": "garden", "user_id": "ada"}
    asked = {**whose, "session_id": "monday", "query": "Where do I live?", "type": "fact"}
    told = execute(CATALOG, "recall", asked, call)
    home = told["memories"][0]["id"]
    clock.advance(minutes=1)
    execute(CATALOG, "memory_correct", {**whose, "memory_id": home, "content": "Bergen"}, call)

    corrected = browser.get("/console/replay", receipt=told["receipt"])
    execute(CATALOG, "memory_take_back_turn", {"project": "garden", "session_id": "monday", "turn_id": "t1"}, call)
    taken_back = browser.get("/console/replay", receipt=told["receipt"])

    assert f"superseded {home}" in corrected.text
    assert "in its place" in corrected.text
    assert "taken back t1" in taken_back.text


def test_a_value_is_stored_and_removed_unless_somebody_changed_it_meanwhile(browser: Browser, garden: Garden) -> None:
    def store(value: object) -> None:
        execute(CATALOG, "putMemory", {"namespace": "agent.notes", "key": "beds", "value": value}, garden.call)

    store({"north": 4})
    shown = browser.get("/console/values", namespace="agent.notes", key="beds")
    store({"north": 5})

    assert browser.send(shown.form("put"), value='{"north": 6}').status == 409
    shown = browser.get("/console/values", namespace="agent.notes", key="beds")
    assert browser.send(shown.form("put"), value="not JSON").status == 400
    assert browser.send(shown.form("put"), value='{"north": 6}').status == 200
    shown = browser.get("/console/values", namespace="agent.notes", key="beds")
    assert '"north": 6' in shown.text

    removed = browser.send(shown.form("delete"))
    assert (removed.status, "Removed." in removed.text) == (200, True)
    assert "0 keys in agent.notes" in removed.text


@pytest.mark.parametrize("page", ["", *(f"console/{name}" for name in ("search", "people", "sessions", "over-time"))])
def test_without_a_project_a_page_leads_to_itself_in_each_that_there_is(
    browser: Browser, garden: Garden, page: str
) -> None:
    garden.tell("I live in Oslo.")

    links = browser.get(f"/{page}", user="ada").read.links

    assert f"/{page}?project=garden" in links


def test_every_page_has_its_template_beside_it_and_a_name_of_its_own() -> None:
    names = [page.name for page in PAGES]

    assert len(set(names)) == len(names)
    assert all(page.of is None or page.of in names for page in PAGES)


@pytest.fixture
def office(services: Services, adapters: Adapters, store: Store) -> Services:
    """Return services that know the way to all that is stored, in place for this process."""
    inventory = EmbeddedInventory(cast("SqliteTable", adapters.table), store.directory / "blobs")
    built = services_over(adapters, services.settings, inventory=inventory)
    wiring.provide(built)
    return built


def test_a_user_is_counted_exported_and_erased_with_proof(
    office: Services, browser: Browser, garden: Garden, clock: FakeClock
) -> None:
    garden.tell("I live in Oslo.")
    garden.tell("I love opera.", session="hers", user="eve")

    def run(form: Form) -> Page:
        """Start a task by its form, let it be done, and return the page then."""
        clock.advance(seconds=1)
        assert browser.send(form).status == 200
        task = browser.get("/console/custody.json").json["tasks"][0]
        office.tasks.run(ACME, task["task_id"])
        return browser.get("/console/custody")

    counted = browser.send(browser.get("/console/custody").form("count"), user_id="ada")
    assert "There is of ada in all projects" in counted.text

    exported = run(counted.form("start", kind="export"))
    form = exported.form("download")
    bundle = browser.post(form.action, form.fields)
    assert bundle.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(bundle.body))) as opened:
        assert b"Oslo" in opened.read("items.jsonl")
        assert b"opera" not in opened.read("items.jsonl")

    erased = run(counted.form("start", kind="erase"))
    assert "left 0" in erased.text
    assert garden.known() == {}
    assert garden.known("eve") != {}


def test_what_changed_since_it_was_counted_is_not_erased(office: Services, browser: Browser, garden: Garden) -> None:
    del office
    garden.tell("I live in Oslo.")
    counted = browser.send(browser.get("/console/custody").form("count"), user_id="ada")
    garden.tell("I moved to Bergen.")

    refused = browser.send(counted.form("start", kind="erase"))

    assert refused.status == 409
    assert garden.known() == {"home": "Bergen"}
