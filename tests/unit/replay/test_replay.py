"""A receipt leads back to what was asked and answered, whatever was written, tidied, forgotten or taken back since."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partialmethod
from typing import Any

import pytest

from asked import Scene, Story, same
from cairn.access.callers import Caller
from cairn.calls.receipts import MOST_BYTES, Receipt
from cairn.custody.data_keys import DataKeys
from cairn.custody.erase_user import EraseUser
from cairn.custody.planned_erasure import plan_to_erase
from cairn.custody.scope import DataScope
from cairn.embedded.inventory import EmbeddedInventory
from cairn.ground.adapters import Adapters
from cairn.ground.errors import NotFound, PermissionDenied, Unavailable
from cairn.ground.ids import Project, SessionId, Tenant, UserId
from cairn.ground.session import Session, Subject
from cairn.ground.settings import EmbeddingSettings, MemorySettings
from cairn.models.embedders import embedder
from cairn.models.minilm import NAME
from cairn.recall import ranker
from cairn.replay import as_of, positions
from cairn.sessions.leased import leased
from cairn.settings.settings import Settings
from cairn.tool.call import Call, execute
from cairn.tool.maintenance_runs import erase_due
from cairn.upkeep.erase_session import EraseSession
from cairn_tools.catalog import CATALOG
from support.recall import ToyEmbedder
from support.services import services_over

WEEK = timedelta(days=7)
PLACE = {"project": "garden", "session_id": "monday", "user_id": "ada"}


@pytest.fixture
def scene(adapters: Adapters, settings: Settings) -> Scene:
    return Scene(adapters, lambda: services_over(adapters, settings))


def in_march(scene: Scene) -> tuple[str, str]:
    """Tell something, ask for it by both tools, and return the receipts."""
    scene.say("I live in Lisbon and my dog is called Biscuit.")
    scene.say("I prefer tea in the morning.")
    return scene.recall("Where do I live?")["receipt"], scene.prepare("What is my dog called?")["receipt"]


def whats(replayed: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(each["what"], each["id"]) for each in replayed["since"]]


@pytest.mark.slow
@pytest.mark.req("R307")
@pytest.mark.parametrize("embedder", [None, ToyEmbedder()], ids=["by words", "by meaning too"])
def test_every_answer_is_given_again_after_all_that_may_happen_to_a_memory(
    adapters: Adapters, settings: Settings, embedder: Any
) -> None:
    scene = Scene(adapters, lambda: services_over(adapters, settings, embedder=embedder))
    story = Story(scene, seed=7)
    for number in range(250):
        story.write()
        if number < 150 and number % 4 == 0:
            story.question()
        if number % 12 == 0:
            story.upkeep()
    scene.restart()

    assert len(scene.given) > 30
    assert scene.differing() == {}


@pytest.mark.req("R307")
def test_with_the_model_that_is_shipped_every_answer_is_given_again_from_segments_too(
    adapters: Adapters, settings: Settings
) -> None:
    scene = Scene(adapters, lambda: services_over(adapters, settings, embedder=embedder(EmbeddingSettings())))
    story = Story(scene, seed=11)
    for _ in range(5):
        story.write()
        story.question()
    for owner in ("u:ada", "u:bob", "p:"):
        scene.services.indexer.run(scene.tenant, Project("garden"), owner)
    scene.recall("Where does Ada live, and with which animal?")
    scene.restart()

    assert {scene.replay(each)["versions"]["embedder"] for each in scene.given} == {NAME}
    assert "hybrid" in str([*scene.given.values()][-1])
    assert scene.differing() == {}


@pytest.mark.req("R307")
def test_after_an_update_a_replay_says_which_version_is_another_and_claims_nothing(
    adapters: Adapters, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(adapters, lambda: services_over(adapters, settings, embedder=ToyEmbedder()))
    receipt, _ = in_march(scene)
    other = ToyEmbedder("other", alike={"Biscuit": "live", "morning": "live"})
    scene.start = lambda: services_over(adapters, settings, embedder=other)
    scene.restart()
    monkeypatch.setattr("cairn.__version__", "9.9.9")

    found = scene.replay(receipt)

    assert found["changed"] == {
        "release": {"then": found["versions"]["release"], "now": "9.9.9"},
        "embedder": {"then": "toy", "now": "other"},
    }
    assert (found["proven"], found["identical"]) == (True, False)


@pytest.mark.req("R307")
def test_a_replay_says_what_was_asked_how_it_was_ranked_and_what_it_went_by(scene: Scene) -> None:
    by_recall, by_turn = in_march(scene)
    scene.say("Actually I moved to Porto.")

    found = scene.replay(by_recall)
    assert same(found, scene.given[by_recall])
    assert found["asked"] == {**PLACE, "query": "Where do I live?"}
    assert found["explained"]["memories"][0]["why"]["rank"] == 1
    assert found["explained"]["memories"][0]["why"]["signals"]["words"] > 0
    assert found["positions"]["m#garden#u:ada"].startswith("m#")
    assert set(found["versions"]) == {"release", "weights", "embedder"}
    assert found["changed"] == {}
    assert same(scene.replay(by_turn), scene.given[by_turn])


@pytest.mark.req("R307")
def test_an_answer_that_is_another_now_is_told_from_the_one_given_then(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt, _ = in_march(scene)
    fitted = ranker.fitted("words")
    monkeypatch.setattr("cairn.recall.ranker.fitted", {"words": replace(fitted, values=-fitted.values)}.__getitem__)

    found = scene.replay(receipt)

    assert (found["proven"], found["identical"]) == (True, False)


@pytest.mark.parametrize("reads", ["what came later", "nothing of the segments' end"])
def test_a_replay_that_read_too_far_or_not_far_enough_would_not_pass_for_the_answer(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, reads: str
) -> None:
    receipt, _ = in_march(scene)
    scene.say("I live in Porto now, by the river.")
    cut = "m#~" if reads == "what came later" else ""
    monkeypatch.setattr(as_of.Moment, "of_log", partialmethod(_at, cut))

    found = scene.replay(receipt)

    assert not found["identical"]
    assert not found["proven"]


@pytest.mark.req("R307")
def test_a_call_that_read_less_than_its_time_allows_is_found_by_its_receipt_alone(scene: Scene) -> None:
    scene.say("I prefer tea in the morning.")
    scene.ask("remember", **PLACE, content="Tea is in the shed.", scope="project")
    scene.prepare("Where is the tea?")
    behind = scene.services
    scene.restart()
    scene.ask("remember", **PLACE, content="Tea is in the house now.", scope="project")
    vars(scene)["_services"] = behind  # which reads the project's memories once a minute

    receipt = scene.prepare("Where is the tea?")["receipt"]

    assert "house" not in str(scene.given[receipt])
    assert same(scene.replay(receipt), scene.given[receipt])
    by_time = scene.replay(receipt.partition(".")[0])
    assert (by_time["proven"], by_time["identical"]) == (False, None)
    assert "house" in str(by_time["answer"])


def test_where_no_position_fits_a_replay_says_that_it_goes_by_time(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt, _ = in_march(scene)
    call, digests = receipt.split(".")
    monkeypatch.setattr(positions, "_MOST", 50)

    found = scene.replay(f"{call}.AAAAAAAA{digests[8:]}")

    assert (found["proven"], found["identical"]) == (False, True)


@pytest.mark.req("R307")
def test_what_was_forgotten_corrected_or_replaced_since_is_told_by_id(scene: Scene) -> None:
    kept = scene.ask("remember", **PLACE, content="Beans go north of the shed.")["memory_id"]
    scene.say("My dog is called Biscuit.")
    receipt = scene.recall("What of beans, and what is the dog called?")["receipt"]
    dog = next(each["id"] for each in scene.ask("memory_list_known", **_of_ada())["facts"])
    told = scene.recall("dog", type="fact")["receipt"]
    scene.ask("forget", **PLACE, memory_id=kept)
    corrected = scene.ask("memory_correct", **_of_ada(), memory_id=dog, content="Otto")

    forgotten, replaced = scene.replay(receipt), scene.replay(told)

    assert same(forgotten, scene.given[receipt])
    assert same(replaced, scene.given[told])
    assert ("forgotten", kept) in whats(forgotten)
    (since,) = replaced["since"]
    assert (since["id"], since["by"]) == (dog, corrected["memory_id"])


@pytest.mark.req("R307")
def test_a_turn_that_was_taken_back_since_is_told_and_its_words_are_not(scene: Scene) -> None:
    in_march(scene)
    turn = scene.say("The safe is behind the Rembrandt.")
    receipt = scene.recall("Where is the safe?")["receipt"]
    scene.ask("memory_take_back_turn", project="garden", session_id="monday", turn_id=turn)

    found = scene.replay(receipt)

    assert ("taken_back", turn) in whats(found)
    assert (found["proven"], found["identical"]) == (False, False)
    assert "Rembrandt" not in str(found)


@pytest.mark.req("R307")
def test_with_a_user_their_questions_are_erased_and_of_what_others_were_told_of_them_the_replay_says_so(
    scene: Scene, store: Any
) -> None:
    hers, _ = in_march(scene)
    scene.say("Ada lives in Lisbon, I hear.", user="bob")
    his = scene.recall("Who lives in Lisbon?", user="bob")["receipt"]
    inventory = EmbeddedInventory(scene.adapters.table, store.directory / "blobs")  # pyright: ignore[reportArgumentType]
    scope = DataScope(scene.tenant, user=UserId("ada"))
    with scene.services.journal.command(scene.tenant, "cairn erase", _about(scope)):
        EraseUser(scene.services, inventory).run(scope)

    gone, changed = scene.replay(hers), scene.replay(his)

    assert (gone["asked"], gone["answer"]) == (None, None)
    assert gone["user_id"] == "ada"
    assert changed["asked"]["query"] == "Who lives in Lisbon?"
    assert not changed["identical"]
    for found in (gone, changed):
        assert [(each["what"], each["user_id"]) for each in found["since"]] == [("erased", "ada")]


def test_an_erasure_that_waited_is_told_once_it_is_carried_out(
    adapters: Adapters, settings: Settings, store: Any
) -> None:
    inventory = EmbeddedInventory(adapters.table, store.directory / "blobs")  # pyright: ignore[reportArgumentType]
    scene = Scene(adapters, lambda: services_over(adapters, settings, inventory=inventory))
    receipt, _ = in_march(scene)
    plans = scene.services.plans
    plans.apply(scene.tenant, plans.plan(plan_to_erase(DataScope(scene.tenant, user=UserId("ada")))).id, WEEK)
    assert scene.replay(receipt)["since"] == []
    adapters.clock.sleep(WEEK.total_seconds())
    assert erase_due(scene.services, "request-1") == [True]

    assert [(each["what"], each["user_id"]) for each in scene.replay(receipt)["since"]] == [("erased", "ada")]


def test_of_a_user_erased_in_one_project_the_questions_in_another_stay(scene: Scene, store: Any) -> None:
    here, _ = in_march(scene)
    there = scene.ask("recall", **{**PLACE, "project": "office"}, query="Where do I live?")["receipt"]
    inventory = EmbeddedInventory(scene.adapters.table, store.directory / "blobs")  # pyright: ignore[reportArgumentType]
    EraseUser(scene.services, inventory).run(DataScope(scene.tenant, Project("garden"), UserId("ada")))

    assert scene.replay(here)["asked"] is None
    assert scene.replay(there)["asked"]["query"] == "Where do I live?"


def test_with_a_session_what_was_asked_in_it_is_erased(scene: Scene) -> None:
    receipt, _ = in_march(scene)
    elsewhere = scene.recall("Where do I live?", session="tuesday")["receipt"]
    with leased(scene.services, Session(scene.tenant, Project("garden"), SessionId("monday"))) as held:
        for _ in EraseSession(scene.services).forget(held, scene.adapters.clock.now().replace(year=2030)):
            pass

    assert scene.replay(receipt)["asked"] is None
    assert scene.replay(elsewhere)["asked"]["query"] == "Where do I live?"


def test_under_new_data_keys_a_context_is_given_again_with_the_tag_it_had(scene: Scene, store: Any) -> None:
    _, receipt = in_march(scene)
    inventory = EmbeddedInventory(scene.adapters.table, store.directory / "blobs")  # pyright: ignore[reportArgumentType]
    keys = DataKeys(scene.adapters, inventory)
    keys.rotate(scene.tenant)
    scene.adapters.clock.sleep(7 * 86_400)
    keys.rewrap(scene.tenant)
    scene.restart()

    assert "1." in str(scene.given[receipt]["input_items"])
    assert same(scene.replay(receipt), scene.given[receipt])


def test_other_settings_and_other_weights_are_named_and_the_settings_of_then_hold(
    adapters: Adapters, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    then = replace(settings, memory=MemorySettings(recall_facts_limit=1, recent_context_items=2))
    scene = Scene(adapters, lambda: services_over(adapters, then))
    _, receipt = in_march(scene)
    scene.start = lambda: services_over(adapters, settings)
    scene.restart()
    monkeypatch.setattr("cairn.replay.versions._weights", lambda: "others")

    found = scene.replay(receipt)

    assert same(found, scene.given[receipt])
    assert found["settings"] == {"recall_facts_limit": 1, "recent_context_items": 2}
    assert found["changed"] == {
        "recall_facts_limit": {"then": 1, "now": None},
        "recent_context_items": {"then": 2, "now": None},
        "weights": {"then": found["versions"]["weights"], "now": "others"},
    }


def test_the_prepare_of_a_run_turn_is_answered_again_too(scene: Scene) -> None:
    in_march(scene)
    begun = scene.ask("memory_run_turn", **PLACE, phase="begin", current_input="What is my dog called?")
    scene.say("My dog is called Otto.")

    assert same(scene.replay(begun["receipt"]), begun)


@pytest.mark.parametrize("name", ["01KJMMA4EG018SDSA6SEZ3WBM5", "01KJMMA4EG018SDSA6SEZ3WBM5.AAAAAAAAAAAAAAAA"])
def test_a_receipt_of_nothing_is_not_found(scene: Scene, name: str) -> None:
    in_march(scene)
    with pytest.raises(NotFound):
        scene.replay(name)


def test_a_call_of_a_tool_that_recalls_nothing_has_no_receipt(scene: Scene) -> None:
    scene.ask("remember", **PLACE, content="Beans go north.")
    calls = scene.ask("memory_list_calls", tool="remember")["calls"]
    with pytest.raises(NotFound):
        scene.replay(calls[0]["id"])


@pytest.mark.req("R307")
def test_nobody_but_an_operator_of_the_tenant_replays_a_receipt(scene: Scene) -> None:
    receipt, _ = in_march(scene)
    theirs = replace(scene, tenant=Tenant("globex"))
    theirs.say("We are others.")
    with pytest.raises(NotFound):
        theirs.replay(receipt)

    for caller in (
        Caller(scene.tenant, frozenset({"read", "write"}), "r", ("*",)),  # pyright: ignore[reportArgumentType]
        Caller(scene.tenant, frozenset({"read", "admin"}), "r", ("garden",)),  # pyright: ignore[reportArgumentType]
        Caller(scene.tenant, frozenset({"read", "admin"}), "r", ("*",), users=(UserId("bob"),)),  # pyright: ignore[reportArgumentType]
    ):
        place = {"project": "garden", "session_id": "monday"}
        for tool, given in (("memory_replay", {"receipt": receipt}), ("memory_list_receipts", place)):
            with pytest.raises(PermissionDenied):
                execute(CATALOG, tool, given, Call(caller, scene.services))


def test_a_replay_writes_nothing_but_its_own_record(scene: Scene, store: Any) -> None:
    receipt, _ = in_march(scene)
    rows = store.rows()

    scene.replay(receipt)

    assert store.rows() == rows


def test_a_receipt_is_kept_as_long_as_the_record_of_its_call(scene: Scene, settings: Settings) -> None:
    receipt, _ = in_march(scene)
    scene.adapters.clock.sleep(86_400 * settings.audit.retention_days + 10)

    assert scene.replay(receipt)["asked"] is None


def test_a_receipt_takes_less_than_50_characters_of_a_context(scene: Scene) -> None:
    for receipt in in_march(scene):
        assert len(receipt) == 43
        assert Receipt.parse(receipt).text() == receipt


@pytest.mark.req("R307")
@pytest.mark.parametrize("where", ["current_input", "conversation_items", "base_instructions"])
def test_of_arguments_that_are_too_long_what_memory_is_searched_for_is_kept_and_no_sameness_is_claimed(
    scene: Scene, where: str
) -> None:
    in_march(scene)
    said = {"current_input": "What is my dog called?", where: f"What is my dog called? {'x ' * MOST_BYTES} Goodbye."}
    short = scene.ask("memory_before_turn", **PLACE, **{**said, where: said[where][: MOST_BYTES - 500]})
    long = scene.ask("memory_before_turn", **PLACE, **said)
    scene.say("My dog is called Otto.")

    whole, cut = scene.replay(short["receipt"]), scene.replay(long["receipt"])

    assert same(whole, short)
    assert (whole["cut"], cut["cut"]) == (False, True)
    assert (cut["proven"], cut["identical"]) == (True, None)
    assert cut["answer"]["recall_fact_ids"] == long["recall_fact_ids"] != []
    assert "What is my dog called?" in str(cut["asked"])
    assert len(str(cut["asked"])) < MOST_BYTES


def test_where_a_receipt_cannot_be_kept_the_answer_comes_without_one(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_march(scene)
    put: Callable[..., None] = scene.adapters.table.put

    def refusing(write: Any) -> None:
        if "#asked#" in write.item["pk"]:
            raise Unavailable("full")
        put(write)

    monkeypatch.setattr(scene.adapters.table, "put", refusing)

    answer = scene.recall("Where do I live?")

    assert answer["memories"]
    assert "receipt" not in answer


def test_what_was_asked_is_nowhere_in_the_store_in_the_clear(scene: Scene, store: Any) -> None:
    scene.recall("Where is the Rembrandt?")
    assert b"Rembrandt" not in store.contents()


def _at(_moment: as_of.Moment, cut: str, _pk: str) -> str:
    return cut


def _of_ada() -> dict[str, str]:
    return {"project": "garden", "user_id": "ada"}


def _about(scope: DataScope) -> Subject:
    return Subject(project=scope.project, user_id=scope.user)
