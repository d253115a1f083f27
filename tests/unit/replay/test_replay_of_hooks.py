"""What an agent was told by its hooks is found by its conversation, time and turn, and told again as it was."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from asked import Scene
from cairn.calls.receipts import MOST_BYTES
from cairn.custody.erase_user import EraseUser
from cairn.custody.scope import DataScope
from cairn.embedded.inventory import EmbeddedInventory
from cairn.ground.adapters import Adapters
from cairn.ground.codec import rfc3339
from cairn.ground.errors import Unavailable
from cairn.ground.ids import UserId
from cairn.settings.settings import Settings
from support.hooks import SESSION, answered, compacted, context, prompted, started, used
from support.services import services_over

PNPM = "We use pnpm in this project, never npm."
TESTS = "We decided to run the tests with pytest before each commit."
WHICH = "Which package manager does this project use, and how do we run the tests?"
OTHER = "another-session"


@pytest.fixture
def scene(adapters: Adapters, settings: Settings) -> Scene:
    """Return a scene in which an agent was told two things in one conversation."""
    scene = Scene(adapters, lambda: services_over(adapters, settings))
    for turn, said in enumerate((PNPM, TESTS), 1):
        tell(scene, prompted(str(turn), said), answered(str(turn), "Noted."))
    return scene


def tell(scene: Scene, *events: dict[str, Any]) -> str:
    """Tell the door events, and return what the agent is told to the last of them."""
    told = [scene.ask("memory_hook", agent="claude-code", event=event, user_id="ada") for event in events]
    return context(told[-1])


def receipts(scene: Scene, session: str = OTHER, **more: Any) -> list[dict[str, Any]]:
    return scene.ask("memory_list_receipts", project="widget", session_id=session, **more)["receipts"]


def assert_told(scene: Scene, receipt: str, text: str) -> None:
    found = scene.replay(receipt)
    assert (found["proven"], found["identical"]) == (True, True)
    assert (found["answer"].get("text") or "") == text


@pytest.mark.req("R307")
def test_what_an_agent_was_told_for_a_prompt_is_told_again_after_all_that_was_said_since(scene: Scene) -> None:
    told = tell(scene, prompted("7", WHICH, OTHER))
    tell(scene, answered("7", "With pnpm.", OTHER))
    for number in range(5):
        tell(scene, prompted(f"n{number}", f"We use yarn {number} now.", OTHER), answered(f"n{number}", "Ok.", OTHER))
    scene.restart()

    line = receipts(scene)[-1]

    assert "pnpm" in told
    assert (line["turn_id"], line["user_id"], line["words"]) == ("7", "ada", WHICH)
    assert_told(scene, line["receipt"], told)
    found = scene.replay(line["receipt"])
    assert found["explained"]["why"].keys() >= set(found["asked"]["told"]) != set()
    assert scene.replay(line["call"])["proven"]


@pytest.mark.req("R307")
def test_what_it_was_told_before_is_left_out_again_and_told_again_behind_a_summary(scene: Scene) -> None:
    texts: list[str] = []
    for turn in ("1", "2"):
        texts.append(tell(scene, prompted(turn, WHICH, OTHER)))
        tell(scene, answered(turn, "With pnpm.", OTHER))
    scene.adapters.clock.sleep(300)
    tell(scene, compacted("They settled the tools.", OTHER))
    for turn in ("3", "4"):
        texts.append(tell(scene, prompted(turn, WHICH, OTHER)))
        tell(scene, answered(turn, "As said.", OTHER))
    scene.adapters.clock.sleep(40 * 86_400)
    tell(scene, compacted("They settled all.", OTHER), prompted("5", "And yarn?", OTHER))
    scene.restart()

    assert [bool(text) for text in texts[:3]] == [True, False, True]
    assert texts[3] not in texts[:3]
    lines = [line for line in reversed(receipts(scene)) if line["turn_id"] != "5"]
    assert [line["turn_id"] for line in lines] == ["1", "2", "3", "4"]
    for line, text in zip(lines, texts, strict=True):
        assert_told(scene, line["receipt"], text)


def test_a_prompt_that_came_twice_is_told_again_as_it_was_both_times(scene: Scene) -> None:
    told = {tell(scene, prompted("1", WHICH, OTHER)) for _ in range(2)}

    assert len(told) == 1
    for line in receipts(scene):
        assert_told(scene, line["receipt"], *told)


def test_at_a_session_s_begin_what_stands_has_a_receipt_and_nothing_has_none(
    adapters: Adapters, settings: Settings
) -> None:
    scene = Scene(adapters, lambda: services_over(adapters, settings))
    tell(scene, started("third"))
    assert receipts(scene, "third") == []
    tell(scene, prompted("3", "Please answer in French from now on."), answered("3", "D'accord."))

    tell(scene, started("fourth"))

    (line,) = receipts(scene, "fourth")
    assert (line["turn_id"], line["words"]) == (None, "")
    found = scene.replay(line["receipt"])
    assert found["identical"]
    assert "French" in found["answer"]["text"]


@pytest.mark.req("R307")
def test_receipts_are_listed_by_time_newest_first_and_by_the_page(scene: Scene) -> None:
    asked_at: list[datetime] = []
    for number in range(5):
        tell(scene, prompted(str(number), f"How do we run tests? {number}", OTHER), answered(str(number), "So.", OTHER))
        asked_at.append(scene.adapters.clock.now())
    place = {"project": "widget", "session_id": OTHER}
    scene.ask("recall", **place, user_id="ada", query="tests")

    page = scene.ask("memory_list_receipts", **place, limit=4)
    rest = scene.ask("memory_list_receipts", **place, limit=4, cursor=page["cursor"])
    until = scene.ask("memory_list_receipts", **place, until=rfc3339(asked_at[2]))

    assert [line["tool"] for line in page["receipts"]] == ["recall", *["memory_hook"] * 3]
    assert [line["turn_id"] for line in [*page["receipts"], *rest["receipts"]]] == [None, "4", "3", "2", "1", "0"]
    assert rest["cursor"] is None
    assert [line["turn_id"] for line in until["receipts"]] == ["2", "1", "0"]
    assert [len(line["receipt"]) for line in page["receipts"]] == [26, 43, 43, 43]


def test_of_a_prompt_that_is_too_long_its_beginning_and_end_are_kept(scene: Scene) -> None:
    told = tell(scene, prompted("1", f"{WHICH} {'x ' * MOST_BYTES} {WHICH}", OTHER))

    (line,) = receipts(scene)
    found = scene.replay(line["receipt"])

    assert found["cut"]
    assert len(found["asked"]["prompt"]) < MOST_BYTES
    assert found["answer"]["text"] == told


def test_an_event_that_asks_nothing_has_no_receipt_and_its_replay_says_so(scene: Scene) -> None:
    tell(scene, used("2", "call-1", "pnpm test", "42 passed"))

    calls = scene.ask("memory_list_calls", tool="memory_hook")["calls"]

    assert scene.replay(calls[0]["id"])["asked"] is None
    assert [line["turn_id"] for line in receipts(scene, SESSION)] == ["2", "1"]


def test_where_no_receipt_can_be_kept_the_agent_is_told_all_the_same(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = scene.adapters.table.put

    def refusing(write: Any) -> None:
        if "#asked#" in write.item["pk"]:
            raise Unavailable("full")
        put(write)

    monkeypatch.setattr(scene.adapters.table, "put", refusing)

    assert "pnpm" in tell(scene, prompted("1", WHICH, OTHER))
    assert receipts(scene) == []


def test_what_came_too_late_for_the_agent_is_not_put_down_as_told(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[Callable[[], str]] = []

    def late(_seconds: float, work: Callable[[], str]) -> str:
        left.append(work)
        raise Unavailable("too late")

    monkeypatch.setattr("cairn.hooks.happenings.within", late)
    assert tell(scene, prompted("1", WHICH, OTHER)) == ""

    assert [work() for work in left] == [""]

    assert receipts(scene) == []
    monkeypatch.undo()
    assert "pnpm" in tell(scene, prompted("2", WHICH, OTHER))


@pytest.mark.req("R307")
def test_with_a_user_their_prompts_are_erased(scene: Scene, store: Any) -> None:
    tell(scene, prompted("1", WHICH, OTHER))
    (line,) = receipts(scene)
    inventory = EmbeddedInventory(scene.adapters.table, store.directory / "blobs")  # pyright: ignore[reportArgumentType]
    EraseUser(scene.services, inventory).run(DataScope(scene.tenant, user=UserId("ada")))

    assert receipts(scene) == []
    assert scene.replay(line["receipt"])["asked"] is None


def test_a_receipt_is_listed_as_long_as_it_is_kept(scene: Scene, settings: Settings) -> None:
    tell(scene, prompted("1", WHICH, OTHER))
    scene.adapters.clock.sleep(timedelta(days=settings.audit.retention_days, seconds=9).total_seconds())

    assert receipts(scene) == []
