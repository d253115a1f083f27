"""Tasks: what the commands do, in the background, told of while it is done and proven when it is."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from cairn.custody import kept_bundles
from cairn.custody.check import Check
from cairn.custody.data_keys import DataKeys
from cairn.custody.erase_tenant import EraseTenant
from cairn.custody.erase_user import ErasedUser
from cairn.custody.erasures import erasures
from cairn.custody.holdings import count
from cairn.custody.layout import bundles_pk, tasks_pk
from cairn.custody.scope import DataScope
from cairn.ground.errors import Conflict, InvalidArgument, NotFound
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.jobs import RunTask
from cairn.ground.table import Key, Query, Update
from cairn.local.commands import bundle_files
from cairn.process.system import SystemEntropy
from support.custody import ACME, ADA, ALONE, BOB, SETTINGS, Household, exported, imported, session
from support.doubles import RecordingJobs
from support.memory_store import MemoryTable
from support.services import services_over
from support.tasks import KEY, bundle, done, kept_items, office, started, told, unzipped

GARDEN = Project("garden")
DAY = timedelta(hours=24)


@pytest.fixture
def in_small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_bundles, "PART_BYTES", 1000)


def erase_log(house: Household) -> list[str]:
    """Return what the audit log says was done by whom, and how it went."""
    services, now = office(house), house.adapters.clock.now()
    found = services.audit.records(ACME, now - timedelta(days=9), now + timedelta(days=1))
    return [f"{each.credential} {each.tool} {each.outcome} {each.subject.user_id}" for each in found]


# Export


@pytest.mark.usefixtures("in_small_parts")
@pytest.mark.parametrize("scope", [{}, {"project": GARDEN}, {"user": ADA}, {"project": GARDEN, "user": BOB}])
def test_an_export_s_bundle_says_what_the_command_writes(
    house: Household, tmp_path: Path, scope: dict[str, Any]
) -> None:
    house.move_in().archive("alone", "beans")
    services = office(house)

    task = done(services, "export", **scope)

    whole = bundle(services, task)
    bundle_files.write(tmp_path / "b.zip", DataScope(ACME, **scope), services)
    manifest, items = unzipped(whole)
    assert (manifest, items) == unzipped((tmp_path / "b.zip").read_bytes())
    assert (task.state, task.sha256) == ("done", hashlib.sha256(whole).hexdigest())
    assert task.counts == {"items": manifest["items"], "bytes": len(whole)}
    assert task.parts == -(-len(whole) // 1000) > 1


def test_a_bundle_s_bytes_tell_of_no_time_but_that_of_its_export(house: Household) -> None:
    house.move_in()
    services, now = office(house), house.adapters.clock.now()

    with zipfile.ZipFile(io.BytesIO(bundle(services, done(services, "export")))) as opened:
        dated = {each.date_time for each in opened.infolist()}

    assert dated == {now.timetuple()[:6]}


@pytest.mark.usefixtures("in_small_parts")
def test_an_export_s_bundle_can_be_imported_elsewhere(house: Household, elsewhere: Household, tmp_path: Path) -> None:
    house.move_in()
    services = office(house)
    file = tmp_path / "b.zip"
    file.write_bytes(bundle(services, done(services, "export")))

    bundle_files.take_in(file, None, None, None, office(elsewhere))

    assert exported(elsewhere) == imported(exported(house))


@pytest.mark.usefixtures("in_small_parts")
def test_neither_a_bundle_nor_whose_it_is_stands_in_the_clear_on_the_disk(house: Household) -> None:
    house.say(session("alone"), UserId("zeppelin"), "Beans.")
    services, before = office(house), house.raw()
    assert b"zeppelin" in before

    task = done(services, "export", user=UserId("zeppelin"))

    assert not [item for item in kept_items(house) if "zeppelin" in str(item)]
    assert b"items.jsonl" in bundle(services, task)
    assert b"items.jsonl" not in house.raw()
    assert b"PK\x03\x04" not in house.raw()


def test_a_bundle_s_parts_are_three_megabytes_in_base64_at_most() -> None:
    assert kept_bundles.PART_BYTES * 4 / 3 == 3 * 2**20


@pytest.mark.usefixtures("in_small_parts")
def test_a_bundle_goes_a_day_after_its_export_began_and_what_is_told_of_it_after_a_month(house: Household) -> None:
    house.move_in()
    services = office(house)
    task = done(services, "export")
    blobs = set(house.inventory.blobs(ACME))

    house.later(hours=23, minutes=59)
    assert services.tasks.bundles.remove_overdue() == 0
    assert bundle(services, told(house, task.id))
    house.later(minutes=2)
    with pytest.raises(NotFound):
        services.tasks.bundles.part(told(house, task.id), 1)
    assert services.tasks.bundles.remove_overdue() == task.parts

    assert len(blobs - set(house.inventory.blobs(ACME))) == task.parts
    assert kept_items(house, "part#") == []
    assert services.adapters.table.query(Query(bundles_pk(), "0", "~", index=True)).items == ()
    assert told(house, task.id).sha256 == task.sha256
    house.later(days=30)
    with pytest.raises(NotFound):
        told(house, task.id)
    assert services.tasks.records.newest(ACME, 9) == []


# Erase


@pytest.mark.req("R279")
def test_what_a_survey_counts_of_a_user_is_what_is_erased_and_a_recount_finds_nothing(house: Household) -> None:
    house.move_in().index()
    house.remember(session("alone"), ADA, "Ada's beans go north.")
    house.remember(session("shared"), ADA, "Ada's session beans.", scope="session")
    house.archive("alone", "beans")
    services, scope = office(house), DataScope(ACME, user=ADA)
    found = count(services, house.inventory, scope)
    alone = len([*house.history(session("alone")), *house.history(session("alone", "kitchen"))]) // 2

    assert house.recalled(session("alone"), ADA, services) == ["Ada's beans go north."]

    task = done(services, "erase", user=ADA)

    counts = ErasedUser(**task.counts)
    assert (task.state, counts.left) == ("done", 0)
    assert (counts.sessions, counts.archived) == (found.sessions, found.archived) == (2, 1)
    assert found.turns == alone + counts.shared_turns
    assert (found.shared_sessions, found.memories, counts.memories) == (1, 2, 2)
    assert found.facts > 3
    after = count(services, house.inventory, scope)
    assert after == type(after)()
    left = "\n".join(house.contents())
    assert "Bergen" not in left
    assert house.recalled(session("alone"), ADA) == house.recalled(session("alone"), ADA, services) == []
    assert "Bob waters the beans." in house.history(session("shared"))


@pytest.mark.parametrize(
    ("scope", "sessions", "turns", "blobs"),
    [({}, 4, 19, 4), ({"project": GARDEN}, 3, 18, 3), ({"project": Project("kitchen")}, 1, 1, 0)],
)
def test_a_survey_counts_a_tenant_s_or_a_project_s_sessions_and_turns(
    house: Household, scope: dict[str, Any], sessions: int, turns: int, blobs: int
) -> None:
    house.move_in().archive("alone", "beans")
    house.say(session("alone", tenant=Tenant("acme2")), ADA, "I am of another tenant.")

    found = count(office(house), house.inventory, DataScope(ACME, **scope))

    assert (found.sessions, found.turns, found.shared_sessions) == (sessions, turns, 0)
    assert (found.archived, found.values) == (0 if scope else 1, 0)
    assert found.blobs == blobs
    assert found.bytes > blobs * 32 * 1024


def test_what_is_erased_has_to_be_what_was_shown(house: Household) -> None:
    house.move_in()
    services, scope = office(house), DataScope(ACME, user=ADA)
    shown = count(services, house.inventory, scope).digest(scope)
    others = count(services, house.inventory, DataScope(ACME, user=BOB)).digest(DataScope(ACME, user=BOB))
    narrower = replace(scope, project=Project("garden"))
    house.say(session("alone"), ADA, "I like figs now.")

    for digest, whose in ((shown, scope), (others, scope), (shown, narrower), ("", scope)):
        with pytest.raises(Conflict):
            services.tasks.start("erase", whose, KEY, digest)
    with pytest.raises(InvalidArgument, match="digest"):
        services.tasks.start("erase", scope, KEY)
    with pytest.raises(InvalidArgument, match="user_id"):
        services.tasks.start("erase", DataScope(ACME), KEY, shown)

    assert kept_items(house) == []
    assert "I like figs now." in house.history(session("alone"))


def test_a_survey_s_digest_stays_the_same_while_work_in_the_background_goes_on(house: Household) -> None:
    house.move_in().index()
    services, scope = office(house), DataScope(ACME, user=ADA)
    before = count(services, house.inventory, scope)
    house.say(session("bobs"), BOB, "Basil again.")
    house.later(days=9)
    house.maintain(session("alone"), session("shared"))
    services.indexer.rebuild(ACME, GARDEN, "u:ada")

    after = count(services, house.inventory, scope)

    assert before.digest(scope) == after.digest(scope)
    assert before.bytes != after.bytes


@pytest.mark.req("R279")
@pytest.mark.usefixtures("in_small_parts")
def test_a_user_is_erased_from_bundles_too_and_those_that_cannot_hold_them_stay(house: Household) -> None:
    house.move_in()
    services = office(house)
    whole, kitchen, adas = (
        done(services, "export", **scope) for scope in ({}, {"project": Project("kitchen")}, {"user": ADA})
    )
    bobs = done(services, "export", user=BOB)

    first = done(services, "erase", project=GARDEN, user=ADA)

    assert [told(house, each.id).parts > 0 for each in (whole, adas, kitchen, bobs)] == [False, False, True, True]
    assert (first.counts["exports"], told(house, whole.id).state) == (2, "done")
    with pytest.raises(NotFound):
        services.tasks.bundles.part(whole, 1)
    assert done(services, "erase", user=ADA).counts["exports"] == 1
    assert unzipped(bundle(services, told(house, bobs.id)))[0]["user"] == BOB
    assert {str(item["sk"]).split("#")[1] for item in kept_items(house, "part#")} == {bobs.id}


# Reindex


@pytest.mark.parametrize(
    ("scope", "logs"), [({}, 2), ({"project": GARDEN}, 2), ({"project": Project("kitchen")}, 0), ({"user": BOB}, 1)]
)
def test_a_reindexing_makes_the_indexes_of_its_scope_anew(house: Household, scope: dict[str, Any], logs: int) -> None:
    house.move_in().index().index(session("bobs"), BOB)
    before = house.answers()

    task = done(office(house), "reindex", **scope)

    assert (task.state, task.counts["logs"], bool(task.counts["entries"])) == ("done", logs, logs > 0)
    assert house.answers() == before


# What is kept of tasks


def test_tasks_are_told_newest_first_by_the_page_with_who_started_them(house: Household) -> None:
    house.move_in()
    services = office(house)
    names: list[str] = []
    for kind in ("export", "reindex", "export"):
        names.append(started(services, kind, project=GARDEN))
        house.later(seconds=1)

    listed = services.tasks.records.newest(ACME, 9)

    assert [each.id for each in listed] == names[::-1]
    assert {(each.state, each.by, each.scope) for each in listed} == {("waiting", KEY, DataScope(ACME, GARDEN))}
    assert [each.id for each in services.tasks.records.newest(ACME, 9, names[2])] == [names[1], names[0]]
    assert [each.id for each in services.tasks.records.newest(ACME, 1, names[2])] == [names[1]]
    jobs: Any = house.adapters.jobs
    assert isinstance(jobs, RecordingJobs)
    assert jobs.sent[-3:] == [RunTask(ACME, name) for name in names]


def test_a_task_is_on_record_with_the_key_that_started_it(house: Household) -> None:
    house.move_in()

    done(office(house), "erase", user=ADA)

    assert erase_log(house) == [f"{KEY} task erase done ada", f"{KEY} task erase admitted ada"]


def test_no_tenant_sees_another_s_tasks(house: Household) -> None:
    house.move_in()
    services, other = office(house), Tenant("acme2")
    house.say(session("alone", tenant=other), ADA, "I am of another tenant.")
    task = done(services, "export")

    with pytest.raises(NotFound) as refused:
        services.tasks.records.get(other, task.id)
    with pytest.raises(NotFound) as unknown:
        services.tasks.records.get(other, "01ARYZ6S410000000000000000")
    with pytest.raises(NotFound):
        services.tasks.start_again(other, task.id)

    assert (refused.value.message, refused.value.details) == (unknown.value.message, unknown.value.details)
    assert services.tasks.records.newest(other, 9) == []
    assert services.tasks.run(other, task.id) == {}


def keys_of(house: Household) -> Iterator[str]:
    return (str(item["pk"]) for item in house.inventory.items(ACME))


@pytest.mark.usefixtures("in_small_parts")
def test_operators_commands_know_what_is_kept_of_tasks(house: Household) -> None:
    house.move_in()
    services = office(house)
    task = done(services, "export")
    house.later(days=2)
    check = Check(services, house.inventory, services.audit)
    assert [each for each in check.run(ACME).findings if "#tasks" in each.where or each.kind == "blob"] == []
    assert {record["partition"] for record in exported(house)}.isdisjoint({"tasks"})

    house.adapters.table.update(Update(Key(tasks_pk(ACME), f"task#{task.id}"), set={"state": "asleep"}))
    (found,) = [each for each in check.run(ACME).findings if "#tasks" in each.where]
    assert found.kind == "record"
    assert services.tasks.records.newest(ACME, 9) == []

    EraseTenant(house.adapters, house.inventory).run(ACME)
    assert list(keys_of(house)) == list(house.inventory.blobs(ACME)) == []


@pytest.mark.usefixtures("in_small_parts")
def test_a_bundle_opens_under_new_data_keys(house: Household) -> None:
    house.move_in()
    task = done(office(house), "export")
    keys = DataKeys(replace(house.adapters, entropy=SystemEntropy()), house.inventory)
    before = bundle(office(house), task)
    keys.rotate(ACME)
    house.later(minutes=10)

    keys.rewrap(ACME)

    assert bundle(office(house), told(house, task.id)) == before


@pytest.mark.req("R306")
def test_an_erasure_by_a_task_waits_for_the_grace_time_too(house: Household) -> None:
    house.say(ALONE, ADA, "I live in Oslo.")
    services = services_over(house.adapters, replace(SETTINGS, erasure_grace_days=7), inventory=house.inventory)

    task = done(services, "erase", user=ADA)

    assert (task.state, dict(task.counts)) == ("done", {"waiting": 1})
    assert house.history(ALONE) == ["I live in Oslo.", "Noted."]
    (plan,) = services.plans.records.every(ACME)
    assert (plan.state, plan.user) == ("waiting", ADA)
    assert erase_log(house) == [f"{KEY} task erase --grace done ada", f"{KEY} task erase --grace admitted ada"]
    assert erasures(house.adapters.table, ACME, plan.made, MemoryTable()) == []
