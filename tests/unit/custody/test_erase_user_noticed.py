"""Processes that have an erased user's memory in mind tell nothing of it any more."""

from __future__ import annotations

import pytest

from cairn.conversation.items import message
from cairn.ground.ids import Project, UserId
from cairn.log.layout import PROJECT_OWNER
from cairn.memories.model import RecallRequest
from cairn.memories.recall import recall
from cairn.services import Services
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from support.custody import ACME, ADA, BOB, Household, cold_services, erase, session


@pytest.mark.req("R279")
def test_a_process_that_has_the_user_s_memory_in_mind_tells_nothing_of_it_any_more(house: Household) -> None:
    house.move_in().index()
    warm = house.services()

    def asked(where: str, user: UserId) -> str:
        current = (message("user", "Where does Ada live, and which row holds the beans and marigolds?"),)
        request = Preparation(current=current, user_id=user, recall_scope="project")
        return str(prepare(warm, session(where), request).items[1:-1])

    assert "Bergen" in asked("alone", ADA)
    assert "plants the marigolds" in asked("shared", BOB)

    erase(house)

    for where, user in (("alone", ADA), ("shared", BOB), ("bobs", BOB)):
        assert [word for word in ("Bergen", "Oslo", "arigolds", "Row 1") if word in asked(where, user)] == []
    assert "Rome" in asked("shared", BOB)


@pytest.mark.req("R279")
@pytest.mark.parametrize("is_indexed", [False, True])
def test_a_recall_finds_no_turn_fact_or_memory_that_was_erased(house: Household, is_indexed: bool) -> None:  # noqa: FBT001 - a column
    house.move_in()
    if is_indexed:
        house.index()
    warm = house.services()

    def found(services: Services, where: str, user: UserId) -> list[str]:
        question = RecallRequest(query="Bergen, Oslo, marigolds, Rome", limit=50, min_confidence=0, user_id=user)
        return [each.content for each in recall(services, session(where), question).found]

    assert [text for text in found(warm, "alone", ADA) if "Bergen" in text]
    assert [text for text in found(warm, "shared", BOB) if "Marigolds" in text]

    erase(house)

    for services in (warm, house.services()):
        for where, user in (("alone", ADA), ("shared", BOB), ("bobs", BOB), ("shared", ADA)):
            told = "\n".join(found(services, where, user))
            assert [word for word in ("Bergen", "Oslo", "Marigolds", "Row 1") if word in told] == []
        assert [text for text in found(services, "shared", BOB) if "Rome" in text]


def shared_memories(house: Household) -> list[str]:
    """Have Ada and Bob keep things for the project and their session, and return Bob's."""
    shared = session("shared")
    house.say(shared, ADA, "Ada begins.")
    house.say(shared, BOB, "Bob begins.")
    for number in range(40):
        house.remember(shared, ADA if number % 2 else BOB, f"{'Ada' if number % 2 else 'Bob'} keeps row {number}.")
    house.forget(shared, house.remember(shared, ADA, "Ada keeps a secret."), "Ada told it.")
    house.remember(shared, BOB, "Bob keeps the last row.")
    house.remember(shared, ADA, "Ada waits here.", "session")
    house.remember(shared, BOB, "Bob waits here.", "session")
    house.remember(session("bobs"), ADA, "Ada looks in.", "session")
    house.later(minutes=5)
    return [
        "Bob waits here.",
        "Bob keeps the last row.",
        *(f"Bob keeps row {number}." for number in reversed(range(0, 40, 2))),
    ]


@pytest.mark.req("R279")
@pytest.mark.parametrize("indexed", [True, False])
def test_what_a_user_chose_to_keep_where_others_see_it_goes_and_what_others_kept_stays(
    house: Household, *, indexed: bool
) -> None:
    of_bob = shared_memories(house)
    if indexed:
        for owner in (PROJECT_OWNER, "s:shared"):
            assert house.services().indexer.rebuild(ACME, Project("garden"), owner).entries

    done = erase(house)

    assert (done.memories, done.left) == (23, 0)
    assert "Ada" not in "\n".join(house.contents())
    assert house.recalled(session("shared"), BOB) == of_bob
    assert house.recalled(session("bobs"), BOB) == of_bob[1:]
    # What others kept is worth a segment.
    assert len(list(house.inventory.blobs(ACME))) == 1
    house.later(minutes=5)
    for number in range(40):
        house.remember(session("shared"), BOB, f"Bob adds {number}.")
    house.later(minutes=5)
    assert house.services().indexer.run(ACME, Project("garden"), PROJECT_OWNER).entries == 40
    assert len(house.recalled(session("bobs"), BOB)) == 50


@pytest.mark.req("R279")
@pytest.mark.parametrize("indexed", [True, False])
def test_a_process_that_knows_shared_memories_tells_no_erased_one_after_a_minute_and_recalls_none_at_once(
    house: Household, *, indexed: bool
) -> None:
    of_bob = shared_memories(house)
    if indexed:
        house.services().indexer.rebuild(ACME, Project("garden"), PROJECT_OWNER)
    warm, here = house.services(), session("shared")

    def told() -> str:
        asked = Preparation(current=(message("user", "Who keeps a row, and who waits here?"),), user_id=BOB)
        return str(prepare(warm, here, asked).items[1:-1])

    assert "Ada keeps" in told()
    assert "Ada waits" in told()
    assert any("Ada" in each for each in house.recalled(here, BOB, warm))

    erase(house)

    assert "Ada waits" not in told()
    assert house.recalled(here, BOB, warm) == of_bob
    house.later(minutes=1)
    assert "Ada" not in told()
    assert "Bob keeps" in told()


@pytest.mark.req("R279")
def test_a_process_that_only_prepares_turns_notices_after_the_log_was_indexed_again_too(house: Household) -> None:
    shared_memories(house)
    warm = house.services()
    asked = Preparation(current=(message("user", "Who keeps a row, and who waits here?"),), user_id=BOB)
    assert "Ada keeps" in str(prepare(warm, session("shared"), asked).items[1:-1])

    erase(house)
    house.later(minutes=1)
    assert house.services().indexer.rebuild(ACME, Project("garden"), PROJECT_OWNER).entries

    assert "Ada" not in str(prepare(warm, session("shared"), asked).items[1:-1])


@pytest.mark.req("R279")
def test_a_session_s_memories_and_archive_go_with_a_session_that_was_the_user_s_alone(house: Household) -> None:
    house.say(session("alone"), ADA, "Hello.")
    house.say(session("alone", "kitchen"), ADA, "Hello.")
    house.say(session("shared"), ADA, "Hello.")
    house.say(session("shared"), BOB, "Hello.")
    house.say(session("mixed"), ADA, "Hello.")
    house.say(session("mixed", "kitchen"), BOB, "Hello.")
    house.remember(session("alone"), None, "Somebody waits.", "session")
    for name in ("alone", "alone", "alone#2", "shared", "mixed", "elsewhere"):
        house.archive(name, f"tag-{len(name)}")

    assert erase(house, project=Project("kitchen")).archived == 0
    assert erase(house).archived == 1

    assert [each[0] for each in house.archived()] == ["elsewhere", "mixed", "shared", "alone#2"]
    assert [str(item["sk"]) for item in house.inventory.items(ACME) if "s:alone" in f"{item['pk']}{item['sk']}"] == []
    assert house.recalled(session("alone")) == []


@pytest.mark.req("R279")
@pytest.mark.parametrize("entries", [1, 3])
@pytest.mark.parametrize(
    ("owner", "before", "after", "left"),
    [("u:ada", "I like opera.", "I like chess.", "chess"), ("~u:ada", "I live in Oslo.", "I live in Turin.", "Turin")],
    ids=["of the project", "across projects"],
)
def test_a_process_notices_that_a_short_log_was_erased_and_begun_again(  # noqa: PLR0913, PLR0917 - a column each
    house: Household, entries: int, owner: str, before: str, after: str, left: str
) -> None:
    house.say(session("alone"), ADA, before)
    services = cold_services(house)
    house.say(session("alone"), ADA, *("Something else." for _ in range(entries - 1)))
    services.log.refresh(ACME, Project("garden"), owner)
    erase(house)
    house.say(session("alone"), ADA, after)

    services.log.refresh(ACME, Project("garden"), owner)

    with services.log.view(ACME, Project("garden"), owner) as view:
        assert [fact.value for fact in view.facts(house.adapters.clock.now(), None)] == [left]
