"""What was erased is gone: of a tenant everything, of a user all that is theirs and nothing that is others'."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from builders import cold
from cairn.domain import layout
from cairn.domain.credentials import Grant
from cairn.domain.errors import CorruptData, InvalidArgument, ResourceBusy
from cairn.domain.ids import Project, Tenant, UserId
from cairn.domain.items import message
from cairn.domain.memories import Question
from cairn.domain.table import Key, Put
from cairn.domain.turns import Preparation
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.inventory import EmbeddedInventory
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.table import SqliteTable
from cairn.service.bundles import Scope
from cairn.service.credentials import Credentials
from cairn.service.engine import Engine
from cairn.service.erasure import TenantErasure
from cairn.service.memory_log import LATE_APPEND
from cairn.service.recall import owners_of
from cairn.service.subject_erasure import ErasedUser, SubjectErasure
from cairn.service.vault import Vault
from cairn.service.world import World
from custody import ACME, ADA, BOB, SETTINGS, Household, session

OTHER = Tenant("acme2")
OF_ADA = ("Ada", "ada", "Oslo", "Bergen", "soup", "Marigolds")
OF_OTHERS = [
    "I live in Rome.",
    "Beans, Bob.",
    "Bob waters the beans.",
    "Beans, Bob.",
    "Somebody sings to the beans.",
    "Bob adds basil.",
    "Bob sees it too.",
]


@pytest.fixture
def house(world: World, store: Any) -> Household:
    return Household.over(replace(world, keys=LocalKeyRing(bytes(range(32)))), store.directory)


@pytest.fixture
def another(house: Household) -> Household:
    """A tenant beside the first, whose name begins with the other's."""
    house.say(session("alone", tenant=OTHER), ADA, "I am of another tenant.")
    return house


def erase(house: Household, user: UserId = ADA, **scope: Any) -> ErasedUser:
    return SubjectErasure(cold_parts(house), house.inventory).run(Scope(ACME, user=user, **scope))


def cold_parts(house: Household, world: World | None = None) -> Any:
    return cold(world or house.world, recent_context_items=SETTINGS.recent_context_items)


def sealed_items(house: Household) -> int:
    return sum("kid" in item for item in house.inventory.items(ACME))


@pytest.mark.req("R252")
def test_an_erased_tenant_has_no_item_no_blob_and_no_key_that_opens_and_another_keeps_all(another: Household) -> None:
    another.move_in().index()
    credentials = Credentials(another.world)
    ours, theirs = credentials.create(ACME, Grant()), credentials.create(OTHER, Grant())

    done = TenantErasure(another.world, another.inventory).run(ACME)

    assert (done.api_keys, done.data_keys, done.left) == (1, 1, 0)
    assert done.items > 30
    assert done.blobs >= 3
    assert list(another.inventory.items(ACME)) == list(another.inventory.blobs(ACME)) == []
    assert credentials.check(ours.text) is None
    assert credentials.check(theirs.text) is not None
    assert another.history(session("alone", tenant=OTHER)) == ["I am of another tenant.", "Noted."]


@pytest.mark.slow
@pytest.mark.req("R252")
def test_of_a_copy_made_once_the_keys_are_gone_nothing_opens_though_all_of_the_data_is_in_it(
    house: Household, tmp_path: Path
) -> None:
    house.move_in().index()
    before, copy = sealed_items(house), tmp_path / "copy"

    TenantErasure(house.world, house.inventory).run(ACME, lambda: shutil.copytree(house.directory, copy) and None)

    table = SqliteTable(copy / "table.sqlite3")
    stolen = replace(house.world, table=table, blobs=DirectoryBlobs(copy / "blobs"))
    inventory = EmbeddedInventory(table, copy / "blobs")
    sealed = [item for item in inventory.items(ACME) if "kid" in item]
    assert len(sealed) == before
    for item in sealed:
        with pytest.raises(CorruptData):
            Vault(stolen).unseal(ACME, item)
    for digest in list(inventory.blobs(ACME)):
        with pytest.raises(CorruptData):
            Vault(stolen).unseal_blob(ACME, Key("acme#m#garden#u:ada", layout.MANIFEST), stolen.blobs.get(ACME, digest))
    table.close()


@pytest.mark.req("R252")
def test_the_keys_of_an_erased_tenant_are_in_no_file_of_the_store(house: Household) -> None:
    house.say(session("alone"), ADA, "Hello.")
    item = house.world.table.get(Key(layout.keys_pk(ACME), layout.key_sk(1)))
    assert item is not None
    assert isinstance(item["wrapped"], bytes)
    wrapped, found = base64.b64encode(item["wrapped"]), list[bool]()

    def look() -> None:
        found.append(wrapped in house.raw())

    look()
    TenantErasure(house.world, house.inventory).run(ACME, look)

    assert found == [True, False]


@pytest.mark.req("R252")
def test_a_tenant_can_be_erased_twice_and_begin_anew(house: Household) -> None:
    house.say(session("alone"), ADA, "Hello.")
    erasure = TenantErasure(house.world, house.inventory)
    erasure.run(ACME)

    assert erasure.run(ACME).items == 0
    house.say(session("alone"), ADA, "A new beginning.")
    assert house.history(session("alone")) == ["A new beginning.", "Noted."]


@pytest.mark.req("R279")
def test_nothing_that_an_erased_user_said_or_was_told_is_left_and_all_that_others_said_is(house: Household) -> None:
    house.move_in().index()
    before = house.history(session("shared"))

    done = erase(house)

    left = "\n".join(house.contents())
    assert [word for word in OF_ADA if word in left] == []
    assert (done.sessions, done.shared_turns, done.left) == (2, 4, 0)
    assert [said for said in house.history(session("shared")) if said in OF_OTHERS] == OF_OTHERS
    assert len(house.history(session("shared"))) == len(before) - 8
    assert house.history(session("bobs")) == ["I like basil.", "Noted."]
    named = {str(item["blob"]) for item in house.inventory.items(ACME) if "blob" in item}
    assert set(house.inventory.blobs(ACME)) == named


@pytest.mark.req("R279")
def test_a_blob_that_nothing_names_any_more_goes_with_the_user_it_may_be_of(house: Household) -> None:
    house.move_in()
    named = {str(item["blob"]) for item in house.inventory.items(ACME) if "blob" in item}
    assert set(house.inventory.blobs(ACME)) > named

    assert erase(house).blobs >= 2

    assert list(house.inventory.blobs(ACME)) == []


def test_a_blob_that_an_item_names_anywhere_stays(house: Household) -> None:
    blobs, where = house.world.blobs, Key("acme#files#1", "1")
    for_content, for_attribute, for_key = (blobs.put(ACME, name) for name in (b"1", b"2", b"3"))
    sealed = Vault(house.world).seal(ACME, where, {"chunks": [for_content]})
    house.world.table.put(Put({"pk": where.pk, "sk": where.sk, **sealed}))
    house.world.table.put(Put({"pk": "acme#a", "sk": "1", "pointer": f"cascade://{for_attribute}"}))
    house.world.table.put(Put({"pk": "acme#a", "sk": f"card#{for_key}"}))
    house.say(session("alone"), ADA, "Hello.")
    blobs.put(ACME, b"4")

    assert erase(house).blobs == 1

    assert set(house.inventory.blobs(ACME)) == {for_content, for_attribute, for_key}


@pytest.mark.req("R279")
def test_in_one_project_a_user_is_erased_and_in_the_others_kept(house: Household) -> None:
    house.move_in()

    assert erase(house, project=Project("kitchen")).sessions == 1

    assert house.history(session("alone", "kitchen")) == []
    assert "I moved to Bergen." in house.history(session("alone"))


@pytest.mark.req("R279")
def test_a_process_that_has_the_user_s_memory_in_mind_tells_nothing_of_it_any_more(house: Household) -> None:
    house.move_in().index()
    warm = house.engine()

    def asked(where: str, user: UserId) -> str:
        current = (message("user", "Where does Ada live, and which row holds the beans and marigolds?"),)
        request = Preparation(current=current, user_id=user, recall_scope="project")
        return str(warm.turns.before(session(where), request).items[1:-1])

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
    warm = house.engine()

    def found(engine: Engine, where: str, user: UserId) -> list[str]:
        question = Question(query="Bergen, Oslo, marigolds, Rome", limit=50, min_confidence=0, user_id=user)
        return [each.content for each in engine.memories.recall(session(where), question).found]

    assert [text for text in found(warm, "alone", ADA) if "Bergen" in text]
    assert [text for text in found(warm, "shared", BOB) if "Marigolds" in text]

    erase(house)

    for engine in (warm, house.engine()):
        for where, user in (("alone", ADA), ("shared", BOB), ("bobs", BOB), ("shared", ADA)):
            told = "\n".join(found(engine, where, user))
            assert [word for word in ("Bergen", "Oslo", "Marigolds", "Row 1") if word in told] == []
        assert [text for text in found(engine, "shared", BOB) if "Rome" in text]


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
        for owner in (layout.PROJECT_OWNER, "s:shared"):
            assert house.engine().indexer.rebuild(ACME, Project("garden"), owner).entries

    done = erase(house)

    assert (done.memories, done.left) == (23, 0)
    assert "Ada" not in "\n".join(house.contents())
    assert house.recalled(session("shared"), BOB) == of_bob
    assert house.recalled(session("bobs"), BOB) == of_bob[1:]
    assert list(house.inventory.blobs(ACME)) == []
    house.later(minutes=5)
    for number in range(40):
        house.remember(session("shared"), BOB, f"Bob adds {number}.")
    house.later(minutes=5)
    assert house.engine().indexer.run(ACME, Project("garden"), layout.PROJECT_OWNER).entries == 61
    assert len(house.recalled(session("bobs"), BOB)) == 50


@pytest.mark.req("R279")
@pytest.mark.parametrize("indexed", [True, False])
def test_a_process_that_knows_shared_memories_tells_no_erased_one_after_a_minute_and_recalls_none_at_once(
    house: Household, *, indexed: bool
) -> None:
    of_bob = shared_memories(house)
    if indexed:
        house.engine().indexer.rebuild(ACME, Project("garden"), layout.PROJECT_OWNER)
    warm, here = house.engine(), session("shared")

    def told() -> str:
        asked = Preparation(current=(message("user", "Who keeps a row, and who waits here?"),), user_id=BOB)
        return str(warm.turns.before(here, asked).items[1:-1])

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
    warm = house.engine()
    asked = Preparation(current=(message("user", "Who keeps a row, and who waits here?"),), user_id=BOB)
    assert "Ada keeps" in str(warm.turns.before(session("shared"), asked).items[1:-1])

    erase(house)
    house.later(minutes=1)
    assert house.engine().indexer.rebuild(ACME, Project("garden"), layout.PROJECT_OWNER).entries

    assert "Ada" not in str(warm.turns.before(session("shared"), asked).items[1:-1])


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
def test_a_process_notices_that_a_short_log_was_erased_and_begun_again(house: Household, entries: int) -> None:
    house.say(session("alone"), ADA, "I live in Oslo.")
    parts = cold_parts(house)
    house.say(session("alone"), ADA, *("Something else." for _ in range(entries - 1)))
    parts.log.refresh(ACME, Project("garden"), "u:ada")
    erase(house)
    house.say(session("alone"), ADA, "I live in Turin.")

    parts.log.refresh(ACME, Project("garden"), "u:ada")

    with parts.log.view(ACME, Project("garden"), "u:ada") as view:
        assert [fact.value for fact in view.facts(house.world.clock.now(), None)] == ["Turin"]


@pytest.mark.req("R279")
def test_a_shared_session_goes_on_and_is_still_summarised(house: Household) -> None:
    house.move_in()
    erase(house)
    shared = session("shared")

    house.say(shared, BOB, *(f"Bob goes on with decision {number}." for number in range(6)))
    request = Preparation(current=(message("user", "And now?"),), user_id=BOB, max_input_tok=300)
    prepared = house.engine().turns.before(shared, request)

    assert prepared.compacted
    assert not [word for word in OF_ADA if word in str(prepared.items[1:])]
    house.later(days=2)
    house.maintain(shared)
    assert [said for said in house.history(shared) if said in OF_OTHERS] == OF_OTHERS
    head = house.world.table.get(Key(layout.session_pk(shared), layout.HEAD))
    assert head is not None
    assert owners_of(head) == ["u:bob", "s:shared"]


@pytest.mark.req("R279")
def test_what_the_user_says_while_being_erased_is_met_by_the_second_pass(house: Household) -> None:
    house.move_in()
    clock: Any = house.world.clock
    stage = Stage(clock, lambda: house.say(session("shared"), ADA, "Ada is still here."))

    done = SubjectErasure(cold_parts(house, replace(house.world, clock=stage)), house.inventory).run(
        Scope(ACME, user=ADA)
    )

    assert (done.left, done.shared_turns) == (0, 5)
    assert "Ada" not in "\n".join(house.contents())


@pytest.mark.req("R279")
def test_what_the_user_says_after_all_is_counted_as_left(house: Household) -> None:
    house.say(session("alone"), ADA, "Hello.")

    class Late(EmbeddedInventory):
        def scrub(self) -> None:
            house.say(session("alone"), ADA, "Hello again.")

    table: Any = house.world.table
    late = Late(table, house.directory / "blobs")

    assert SubjectErasure(cold_parts(house), late).run(Scope(ACME, user=ADA)).left == 4


def test_a_session_in_use_stops_the_erasure_which_can_be_run_again(house: Household) -> None:
    house.move_in()
    parts = cold_parts(house)
    lease = parts.sessions.lease(session("shared"), "somebody", replace(SETTINGS, guard_lease_seconds=900))

    with pytest.raises(ResourceBusy):
        erase(house)
    parts.sessions.release(lease)

    assert erase(house).left == 0
    assert "Ada" not in "\n".join(house.contents())


def test_a_user_is_named(house: Household) -> None:
    with pytest.raises(InvalidArgument, match="user"):
        SubjectErasure(cold_parts(house), house.inventory).run(Scope(ACME))


def test_what_a_shared_session_counts_stays(house: Household) -> None:
    house.say(session("shared"), ADA, "Ada's.")
    house.say(session("shared"), BOB, "Bob's.")
    where = Key(layout.session_pk(session("shared")), "e#}")
    house.world.table.put(Put({"pk": where.pk, "sk": where.sk, "count": 2}))

    assert erase(house).shared_turns == 1

    assert house.world.table.get(where) == {"pk": where.pk, "sk": where.sk, "count": 2}


def test_nobody_is_erased_for_having_a_name_that_begins_alike(house: Household) -> None:
    house.say(session("alone"), UserId("ada2"), "I am Ada's sister.")
    house.say(session("mixed"), UserId("ad"), "I am Ada's brother.")

    assert erase(house) == ErasedUser()

    assert len(house.history(session("alone"))) == len(house.history(session("mixed"))) == 2


class Stage:
    """A clock that has something happen when somebody waits for calls to end."""

    def __init__(self, clock: Any, happens: Callable[[], None]) -> None:
        self._clock = clock
        self._happens = happens

    def now(self) -> Any:
        return self._clock.now()

    def sleep(self, seconds: float) -> None:
        if timedelta(seconds=seconds) == LATE_APPEND:
            self._happens()
        self._clock.sleep(seconds)
