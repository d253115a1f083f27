"""Memory files are counted, exported, imported, checked, sealed anew and erased as all else of a user."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from cairn.calls.audit import AuditLog
from cairn.custody.bundles import Bundles, DataScope, Record
from cairn.custody.check import Check
from cairn.custody.data_keys import DataKeys
from cairn.custody.holdings import count
from cairn.files import owners
from cairn.files.commands import Create, Remove, StrReplace, View, Write
from cairn.files.memory_files import Condition, MemoryFile
from cairn.files.receipts import Operation
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, Tenant
from cairn.ground.session import Session
from cairn.ground.table import Key
from cairn.services import Services
from cairn.sessions.layout import session_pk
from cairn.sessions.leased import leased
from cairn.upkeep.erase_session import EraseSession
from cairn.vault.vault import Vault
from support.custody import ACME, ADA, BOB, GARDEN, LARGE, Household, erase, exported, session

OF_ADA, OF_BOB = owners.of_user(ACME, GARDEN, ADA), owners.of_user(ACME, GARDEN, BOB)
OF_ALL, ALONE = owners.of_project(ACME, GARDEN), session("alone")
OWNERS = (OF_ADA, OF_BOB, OF_ALL, ALONE)
GLOBEX = Tenant("globex")


@pytest.fixture
def kept(house: Household) -> Household:
    """Return a store with the same files of Ada, of Bob, of everyone and of a session, each with earlier versions."""
    files = house.services().memory_files
    for owner in OWNERS:
        name = owner.session_id
        files.run(owner, Create("/memories/ä/notes.md", f"{name} first"), Condition(operation=Operation("o1", name)))
        files.run(owner, StrReplace("/memories/ä/notes.md", "first", f"two {LARGE}"))
        files.run(owner, Write("/memories/ä/notes.md", f"{name} three"), Condition(operation=Operation("o3", name)))
        files.run(owner, Create("/memories/gone/away.md", f"{name} gone"), Condition(operation=Operation("o2", name)))
        files.run(owner, Remove("/memories/gone/away.md"))
    house.say(ALONE, ADA, "I like beans.")
    return house


def told(services: Services, owner: Session) -> tuple[Any, ...]:
    """Return all that can be seen of someone's files, and which operations wrote them."""
    files = services.memory_files
    paths = ("/memories/ä/notes.md", "/memories/gone/away.md")
    versions = [each for path in paths for each in files.versions(owner, path)]
    held = [_content(files.read(owner, each.path, each.version)) for each in versions]
    shown = [files.view(owner, View(path)).words for path in ("/memories", paths[0])]
    return versions, held, shown


def _content(file: MemoryFile | None) -> tuple[str, str | None] | None:
    return None if file is None else (file.content, file.operation_id)


def checked(house: Household, tenant: Tenant = ACME) -> list[str]:
    services = house.services()
    audit = AuditLog(house.adapters, services.vault)
    return [f"{each.where}: {each.problem}" for each in Check(services, house.inventory, audit).run(tenant).findings]


def bundled(house: Household, records: list[Record], **scope: Any) -> Bundles:
    bundles = Bundles(house.adapters, house.inventory, Vault(house.adapters))
    whose = DataScope(GLOBEX, **scope)
    assert all(bundles.store(whose, records, bundles.check(whose, records)))
    return bundles


def test_a_store_with_memory_files_is_found_sound(kept: Household) -> None:
    assert checked(kept) == []


@pytest.mark.req("R314")
def test_all_files_and_versions_come_with_a_tenant_s_bundle(kept: Household) -> None:
    bundled(kept, exported(kept))

    for owner in OWNERS:
        theirs = Session(GLOBEX, owner.project, owner.session_id)
        assert told(kept.services(), theirs) == told(kept.services(), owner)
    assert checked(kept, GLOBEX) == []


def test_a_user_s_bundle_holds_their_files_and_no_other_user_s(kept: Household) -> None:
    records = exported(kept, user=ADA)

    text = json.dumps(records, ensure_ascii=False)
    assert [name for name in ("u/ada three", "u/ada gone", "alone three") if name not in text] == []
    assert [name for name in ("u/bob", "p/ ") if name in text] == []
    bundled(kept, records, user=ADA)
    assert told(kept.services(), owners.of_user(GLOBEX, GARDEN, ADA)) == told(kept.services(), OF_ADA)


def test_an_imported_store_goes_on_with_the_versions_that_it_was_given(kept: Household) -> None:
    bundled(kept, exported(kept))
    done = kept.services().memory_files.run(
        owners.of_user(GLOBEX, GARDEN, ADA), Write("/memories/ä/notes.md", "four"), Condition(version=3)
    )
    assert done.version == 6


@pytest.mark.parametrize(
    "changed",
    [
        {"partition": "s#garden#u/bob"},
        {"partition": "s#garden#p/"},
        {"partition": "s#garden#x/ada"},
        {"partition": "s#garden#u/"},
        {"partition": "s#garden#u/a/b"},
        {"sort": "file#memories/../x"},
        {"sort": "file#memories/%2E"},
        {"sort": "was#1#memories/a"},
        {"sort": "was#000000000001#other/../a"},
        {"sort": "e#~"},
        {"sort": "turn#1"},
        {"content": {"tail": "x"}},
        {"content": {"parts": [], "tail": "x", "operation_id": None}},
        {"content": {"parts": [], "tail": "x", "by": "o1"}},
    ],
)
def test_a_forged_record_of_a_user_s_files_is_refused(changed: Mapping[str, Any], kept: Household) -> None:
    records = [
        each for each in exported(kept, user=ADA) if each["sort"].startswith("file#") and "u/ada" in each["partition"]
    ]
    bundles = Bundles(kept.adapters, kept.inventory, Vault(kept.adapters))
    with pytest.raises(InvalidArgument):
        bundles.check(DataScope(GLOBEX, user=ADA), [{**records[0], **changed}])
    if changed.get("partition") not in {"s#garden#u/bob", "s#garden#p/"}:  # which are a tenant's all the same
        with pytest.raises(InvalidArgument):
            bundles.check(DataScope(GLOBEX), [{**records[0], **changed}])


@pytest.mark.parametrize("content", [{"text": "x"}, {"text": "x", "operation_id": 1}, ["x"], 7])
def test_a_forged_earlier_version_is_refused(content: Any, kept: Household) -> None:
    (record,) = (
        each for each in exported(kept, user=ADA) if each["sort"].startswith("was#") and _is_of_ada(each, "o2")
    )
    bundles = Bundles(kept.adapters, kept.inventory, Vault(kept.adapters))
    bundles.check(DataScope(GLOBEX, user=ADA), [record])
    with pytest.raises(InvalidArgument):
        bundles.check(DataScope(GLOBEX, user=ADA), [{**record, "content": content}])


def _is_of_ada(record: Record, operation_id: str) -> bool:
    return "u/ada" in record["partition"] and operation_id in str(record["content"])


def test_a_forged_list_of_directories_is_refused(kept: Household) -> None:
    bundles = Bundles(kept.adapters, kept.inventory, Vault(kept.adapters))
    for listed in ("meta", "memories/..", "memories/a\n/etc"):
        record = {"partition": "s#garden#u/ada", "sort": "files", "attributes": {"tree": 1, "dirs": listed}}
        with pytest.raises(InvalidArgument):
            bundles.check(DataScope(GLOBEX), [record])


@pytest.mark.req("R279")
def test_an_erased_user_s_files_are_gone_with_all_versions_and_others_stay(kept: Household) -> None:
    before = told(kept.services(), OF_BOB), told(kept.services(), OF_ALL)

    done = erase(kept)

    assert (done.files, done.left) == (1, 0)
    left = "\n".join(kept.contents())
    assert [word for word in ("u/ada", "alone three", "alone gone") if word in left] == []
    assert (told(kept.services(), OF_BOB), told(kept.services(), OF_ALL)) == before
    named = {str(item["blob"]) for item in kept.inventory.items(ACME) if "blob" in item}
    assert set(kept.inventory.blobs(ACME)) == named
    assert checked(kept) == []


def test_what_a_user_keeps_in_another_project_stays_where_one_project_is_meant(kept: Household) -> None:
    erase(kept, project=Project("kitchen"))
    assert told(kept.services(), OF_ADA)[0]


def test_a_survey_counts_a_user_s_files(kept: Household) -> None:
    services = kept.services()
    found = count(services, kept.inventory, DataScope(ACME, user=ADA))
    assert found.files == 2  # their own, and that of the session that is theirs alone
    assert count(services, kept.inventory, DataScope(ACME)).files == len(OWNERS)


def test_new_data_keys_take_over_files_versions_and_operations(kept: Household) -> None:
    before = told(kept.services(), OF_ADA)
    keys = DataKeys(kept.adapters, kept.inventory)
    keys.rotate(ACME)
    kept.later(minutes=7)

    keys.rewrap(ACME)

    sealed = [item for item in kept.inventory.items(ACME) if item["pk"] == session_pk(OF_ADA) and "kid" in item]
    assert {item["kid"] for item in sealed} == {2}
    assert len(sealed) == 7  # a file, its two earlier versions, the deleted file's, three operations
    assert told(kept.services(), OF_ADA) == before
    assert kept.services().memory_files.operation(OF_ADA, Operation("o1", OF_ADA.session_id))


def test_nothing_that_a_file_says_or_stands_for_is_stored_in_the_clear(kept: Household) -> None:
    kept.services().memory_files.run(
        OF_ADA, Create("/memories/b", "a secret of beans"), Condition(operation=Operation("by-this", "stands-for-it"))
    )
    raw = kept.raw()
    assert [word for word in (b"secret of beans", b"stands-for-it", b"by-this", b"Successfully") if word in raw] == []


def test_a_session_that_is_erased_takes_its_files_and_versions(kept: Household) -> None:
    services = kept.services()
    with leased(services, ALONE) as held:
        list(EraseSession(services).empty(held))
    assert [Key.of(each).sk for each in kept.inventory.items(ACME) if each["pk"] == session_pk(ALONE)] == []
