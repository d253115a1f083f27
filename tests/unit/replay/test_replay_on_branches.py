"""A receipt from a branch leads back to what was answered there, of the project's past and the branch's own."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from asked import Scene
from cairn.custody.erase_user import EraseUser
from cairn.custody.scope import DataScope
from cairn.embedded.inventory import EmbeddedInventory
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Project, UserId
from cairn.settings.settings import Settings
from support.services import services_over

TRY = "garden@try-1"
PLACE = {"session_id": "monday", "user_id": "ada"}


@pytest.fixture
def scene(adapters: Adapters, settings: Settings) -> Scene:
    """Return a scene with a branch of a project in which a little was said."""
    scene = Scene(adapters, lambda: services_over(adapters, settings))
    say(scene, "garden", "I live in Lisbon and my dog is called Biscuit.")
    say(scene, "garden", "I prefer tea in the morning.")
    scene.ask("remember", project="garden", **PLACE, content="Likes tulips.", scope="user_everywhere")
    branched(scene, "create")
    return scene


def say(scene: Scene, project: str, text: str) -> str:
    turn = f"turn-{scene.adapters.entropy.token(6).hex()}"
    said: dict[str, Any] = {"input_items": [{"type": "message", "role": "user", "content": text}]}
    scene.ask("memory_after_turn", project=project, **PLACE, turn_id=turn, **said, output_items="Noted.")
    return turn


def branched(scene: Scene, action: str) -> None:
    scene.ask("memory_branch", project="garden", action=action, name="try-1")


def asked(scene: Scene) -> list[str]:
    """Ask on the branch by both tools, and return the receipts."""
    by_turn = scene.ask("memory_before_turn", project=TRY, **PLACE, current_input="Where do I live?")
    return [by_turn["receipt"], scene.ask("recall", project=TRY, **PLACE, query="Where do I live?")["receipt"]]


def nothing(_: Scene) -> None:
    pass


def more_is_said(scene: Scene) -> None:
    for number in range(4):
        say(scene, "garden", f"I live in Oslo, at number {number}.")
        say(scene, TRY, f"I live in Graz, at number {number}.")


def is_tidied(scene: Scene) -> None:
    scene.adapters.clock.sleep(30 * 3600)
    for owner in ("u:ada", "~u:ada"):
        scene.services.indexer.run(scene.tenant, Project("garden"), owner)
    scene.ask("memory_run_maintenance", project="garden", session_id="monday")


@pytest.mark.req("R307")
@pytest.mark.parametrize("own", [(), ("I moved to Porto.",)], ids=["as it began", "gone on"])
@pytest.mark.parametrize("happens", [nothing, more_is_said, is_tidied])
def test_what_was_answered_on_a_branch_is_answered_again(scene: Scene, own: tuple[str, ...], happens: Any) -> None:
    for text in own:
        say(scene, TRY, text)
    receipts = asked(scene)
    happens(scene)
    scene.restart()

    assert scene.differing(receipts) == {}
    for receipt in receipts:
        assert scene.replay(receipt.partition(".")[0])["answer"] == scene.replay(receipt)["answer"]


@pytest.mark.req("R307")
def test_what_was_answered_by_a_summary_of_turns_that_were_archived_is_answered_again(scene: Scene) -> None:
    branched(scene, "drop")
    for number in range(25):
        say(scene, "garden", f"We decided to plant beans number {number} next to the shed. " * 20)
    branched(scene, "create")
    for number in range(9):
        say(scene, "garden", f"We decided to plant kale number {number} next to the pond. " * 20)
    before = asked(scene)
    scene.adapters.clock.sleep(40 * 24 * 3600)
    scene.ask("memory_run_maintenance", project="garden", session_id="monday")
    scene.restart()
    receipts = [*before, *asked(scene)]

    assert "compact_summary" in str(scene.given[receipts[2]])
    assert scene.differing(receipts) == {}


def test_a_turn_that_the_project_takes_back_is_told_of_an_answer_on_its_branch(scene: Scene) -> None:
    turn = say(scene, "garden", "The gate is green.")
    branched(scene, "drop")
    branched(scene, "create")
    receipts = asked(scene)
    scene.ask("memory_take_back_turn", project="garden", session_id="monday", turn_id=turn)

    for receipt in receipts:
        found = scene.replay(receipt)
        assert not found["identical"]
        assert [(each["what"], each["id"]) for each in found["since"]] == [("taken_back", turn)]


@pytest.mark.req("R307")
@pytest.mark.parametrize(("end", "ended"), [("merge", "merged"), ("drop", "dropped")])
def test_what_was_answered_on_a_branch_is_gone_with_it_and_the_replay_says_how_it_ended(
    scene: Scene, end: str, ended: str
) -> None:
    say(scene, TRY, "I moved to Porto.")
    receipts = asked(scene)
    branched(scene, end)
    at = scene.adapters.clock.now()

    for receipt in receipts:
        found = scene.replay(receipt)
        assert (found["answer"], found["explained"], found["identical"], found["proven"]) == (None, None, None, False)
        assert "Where do I live?" in str(found["asked"])
        (since,) = found["since"]
        assert (since["what"], since["project"], since["id"]) == (ended, TRY, None)
        assert abs(datetime.fromisoformat(since["at"]) - at) < timedelta(milliseconds=1)


def test_no_other_branch_of_the_name_answers_what_was_asked_on_one_that_ended(scene: Scene) -> None:
    receipts = asked(scene)
    branched(scene, "drop")
    branched(scene, "create")
    branched(scene, "merge")
    branched(scene, "create")

    for receipt in receipts:
        found = scene.replay(receipt)
        assert (found["answer"], found["identical"], found["proven"]) == (None, None, False)
        assert [each["what"] for each in found["since"]] == ["dropped"]
    assert scene.differing(asked(scene)) == {}


def test_on_a_branch_that_is_being_merged_a_replay_says_so(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    receipts = asked(scene)

    def stopped(*_: object) -> None:
        raise Unavailable("stopped")

    monkeypatch.setattr("cairn.branches.merge.erase", stopped)
    with pytest.raises(Unavailable):
        branched(scene, "merge")

    assert [each["what"] for receipt in receipts for each in scene.replay(receipt)["since"]] == ["merged", "merged"]


def test_where_the_record_of_a_branch_s_end_is_gone_its_replays_still_claim_nothing(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipts = asked(scene)
    branched(scene, "drop")
    monkeypatch.setattr("cairn.replay.since._MOST_PAGES", 0)

    found = scene.replay(receipts[0])

    assert (found["answer"], found["identical"], found["since"]) == (None, None, [])


def test_the_record_of_calls_says_what_was_done_with_which_branch(scene: Scene) -> None:
    branched(scene, "drop")

    calls = scene.ask("memory_list_calls", tool="memory_branch")["calls"]

    assert [each["key_name"] for each in calls] == ["drop try-1", "create try-1"]


def test_with_a_user_of_a_project_what_was_asked_for_them_on_its_branches_is_erased(scene: Scene, store: Any) -> None:
    receipts = asked(scene)
    inventory = EmbeddedInventory(scene.adapters.table, store.directory / "blobs")  # pyright: ignore[reportArgumentType]
    EraseUser(scene.services, inventory).run(DataScope(scene.tenant, Project("garden"), UserId("ada")))

    assert [scene.replay(receipt)["asked"] for receipt in receipts] == [None, None]
