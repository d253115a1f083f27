"""What a user has across projects is exported, imported, erased, indexed and checked as all else that is theirs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cairn.custody.bundles import Bundles, DataScope
from cairn.custody.check import Check
from cairn.custody.data_keys import DataKeys
from cairn.custody.erase_tenant import EraseTenant
from cairn.custody.export import Export
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project
from cairn.ground.jobs import EmbedLog, IndexLog, decoded, encoded
from cairn.ground.session import NO_SESSION, Session
from cairn.ground.table import Delete, Key, Update
from cairn.log.manifest import ENTRIES
from cairn.memories.model import Note, RecallRequest
from cairn.memories.recall import recall
from cairn.memories.remember import remember
from cairn.overview.items import items
from cairn.recall.indexing import reindex
from cairn.sessions.layout import HEAD, session_pk
from cairn.turns.take_back import take_back
from support.custody import ACME, ADA, BOB, GARDEN, Household, erase, imported, session
from support.services import services_over

PK = "acme#m#~#u:ada"
THERE = session("friday", "shop")


@pytest.fixture
def lived_in(house: Household) -> Household:
    """A store in which two users said who they are, in two projects, and had rules kept for all of them."""
    house.say(session("alone"), ADA, "My name is Ada. I live in Oslo.", "The shed is red.")
    house.say(THERE, ADA, "I moved to Bergen.")
    house.say(session("bobs"), BOB, "I live in Rome.")
    for user, rule in ((ADA, "Answer in German."), (BOB, "Answer in Italian.")):
        remember(house.services(), session("alone"), Note(content=rule, user_id=user, scope="user_everywhere"))
        remember(house.services(), desk(), Note(content=f"No tables: {rule}", user_id=user, scope="user_everywhere"))
    return house


def desk(project: Project = GARDEN) -> Session:
    return Session(ACME, project, NO_SESSION)


def known(house: Household, user: Any = ADA, where: Session | None = None) -> list[str]:
    found = recall(house.services(), where or desk(Project("third")), RecallRequest(limit=50, user_id=user)).found
    return sorted(each.content for each in found)


OF_ADA = ["Answer in German.", "No tables: Answer in German.", "home: Bergen", "name: Ada"]
OF_BOB = ["Answer in Italian.", "No tables: Answer in Italian.", "home: Rome"]


def bundle(house: Household, **narrowed: Any) -> list[Any]:
    made = Bundles(house.adapters, house.inventory, house.services().vault)
    return list(made.export(DataScope(ACME, **narrowed)))


def take_in(house: Household, records: list[Any], **narrowed: Any) -> None:
    scope, taken = DataScope(ACME, **narrowed), json.loads(json.dumps(records))
    made = Bundles(house.adapters, house.inventory, house.services().vault)
    list(made.store(scope, taken, made.check(scope, taken)))


def findings(house: Household) -> list[str]:
    services = house.services()
    return [str(each) for each in Check(services, house.inventory, services.audit).run(ACME).findings]


@pytest.mark.req("R287")
@pytest.mark.req("R279")
def test_erasing_a_user_takes_what_they_are_known_by_everywhere_and_leaves_others(lived_in: Household) -> None:
    assert known(lived_in) == OF_ADA

    done = erase(lived_in)

    left = "\n".join(lived_in.contents())
    assert not [word for word in ("Oslo", "Bergen", "German", "u:ada") if word in left]
    assert (done.left, known(lived_in), known(lived_in, BOB)) == (0, [], OF_BOB)


@pytest.mark.req("R287")
def test_erasing_a_user_from_one_project_leaves_who_they_are_elsewhere(lived_in: Household) -> None:
    erase(lived_in, project=GARDEN)

    assert known(lived_in) == OF_ADA
    assert "shed" not in "\n".join(lived_in.contents())


@pytest.mark.req("R287")
def test_erasing_a_tenant_leaves_nothing_of_it(lived_in: Household) -> None:
    EraseTenant(lived_in.adapters, lived_in.inventory).run(ACME)

    assert [item for item in lived_in.inventory.items(ACME) if "#m#" in str(item["pk"])] == []


@pytest.mark.req("R287")
@pytest.mark.parametrize("narrowed", [{}, {"user": ADA}])
def test_a_bundle_of_a_tenant_or_a_user_brings_what_they_are_known_by(
    narrowed: dict[str, Any], lived_in: Household, elsewhere: Household
) -> None:
    take_in(elsewhere, bundle(lived_in, **narrowed), **narrowed)

    assert known(elsewhere) == OF_ADA
    assert known(elsewhere, BOB) == ([] if narrowed else OF_BOB)
    assert findings(elsewhere) == []
    assert bundle(elsewhere, **narrowed) == imported(bundle(lived_in, **narrowed))


@pytest.mark.req("R287")
@pytest.mark.parametrize("narrowed", [{"project": GARDEN}, {"project": GARDEN, "user": ADA}])
def test_a_bundle_of_a_project_leaves_out_what_its_users_are_known_by_elsewhere(
    narrowed: dict[str, Any], lived_in: Household
) -> None:
    records = bundle(lived_in, **narrowed)

    assert records
    assert not [record for record in records if record["partition"].startswith("m#~")]
    assert "Bergen" not in str(records)


@pytest.mark.req("R287")
@pytest.mark.parametrize(
    "change",
    [
        {"partition": "m#~#p:"},
        {"partition": "m#~#s:monday"},
        {"partition": "m#~"},
        {"partition": "m#~~#u:ada"},
        {"content": {"session": "monday"}},
        {"content": {"session": "garden/..", "added": []}},
        {"content": {"session": "a\n/monday"}},
        {"content": {"said_in": "2"}},
        {"content": {"turn": {"id": "t", "seq": 1, "events": 0, "texts": []}}},
    ],
)
def test_a_bundle_that_lies_about_a_log_across_projects_is_refused(
    change: dict[str, Any], lived_in: Household, elsewhere: Household
) -> None:
    records = [each for each in bundle(lived_in) if each["partition"] == "m#~#u:ada" and each["sort"].startswith("m#")]
    first = json.loads(json.dumps(records[0]))
    first["partition"] = change.get("partition", first["partition"])
    first["content"] |= change.get("content", {})

    with pytest.raises(InvalidArgument):
        take_in(elsewhere, [first])
    with pytest.raises(InvalidArgument):
        take_in(elsewhere, records, project=GARDEN)
    with pytest.raises(InvalidArgument):
        take_in(elsewhere, records, user=BOB)


@pytest.mark.req("R302")
def test_a_check_finds_nothing_wrong_and_counts_again_what_no_session_kept(lived_in: Household) -> None:
    assert findings(lived_in) == []
    lived_in.adapters.table.delete(Delete(Key(PK, "kept")))

    services = lived_in.services()
    check = Check(services, lived_in.inventory, services.audit)
    assert len(findings(lived_in)) == 1
    assert [str(each.kind) for each in check.repair(ACME)] == ["missing"]

    assert findings(lived_in) == []
    assert (lived_in.adapters.table.get(Key(PK, "kept")) or {})["kept"] == 1


def test_a_log_across_projects_is_indexed_made_anew_and_sealed_anew_as_any_other(lived_in: Household) -> None:
    for number in range(ENTRIES):
        remember(lived_in.services(), desk(), Note(content=f"R{number}", user_id=ADA, scope="user_everywhere"))
    lived_in.later(seconds=61)
    services = lived_in.services()
    job = decoded(encoded(IndexLog(ACME, GARDEN, "~u:ada")))
    assert isinstance(job, IndexLog)
    assert services.indexer.run(job.tenant, job.project, job.owner).entries >= ENTRIES
    assert decoded(encoded(EmbedLog(ACME, GARDEN, "~u:ada"))) == EmbedLog(ACME, GARDEN, "~u:ada")
    assert sum(each.entries for each in reindex(services.indexer, lived_in.inventory, ACME)) >= ENTRIES
    before = known(lived_in)

    keys = DataKeys(lived_in.adapters, lived_in.inventory)
    keys.rotate(ACME)
    lived_in.later(hours=2)
    keys.rewrap(ACME)
    assert {item["kid"] for item in lived_in.inventory.items(ACME) if item["pk"] == PK and "kid" in item} == {2}

    assert known(lived_in) == before
    assert len(before) > len(OF_ADA)


@pytest.mark.req("R295")
@pytest.mark.parametrize("lost", [False, True])
def test_a_turn_is_taken_back_across_projects_with_a_head_that_was_made_anew_too(
    lived_in: Household, *, lost: bool
) -> None:
    head = Key(session_pk(THERE), HEAD)
    if lost:
        lived_in.adapters.table.delete(Delete(head))
    else:
        lived_in.adapters.table.update(Update(head, set={"seq": 0}, remove=("across",)))
    services = lived_in.services()
    list(Check(services, lived_in.inventory, services.audit).repair(ACME))
    assert findings(lived_in) == []
    newest = items(services, THERE, 0, 100).listed[-1]

    assert take_back(lived_in.services(), THERE, newest.turn_id).retracted == 1

    assert known(lived_in) == [each.replace("Bergen", "Oslo") for each in OF_ADA]
    assert known(lived_in, BOB) == OF_BOB
    assert findings(lived_in) == []


def test_maintenance_ends_what_says_the_same_and_indexes_across_projects(house: Household) -> None:
    house.say(session("alone"), ADA, "I prefer short answers.", "I prefer the short answers.")
    assert len(known(house)) == 2

    assert services_over(house.adapters).maintenance.run(session("alone")).merged_facts == 1

    assert len(known(house)) == 1
    assert house.adapters.table.get(Key(PK, "m~tail")) is not None


def test_an_export_beside_a_writer_holds_no_fact_of_a_turn_that_it_does_not_hold(lived_in: Household) -> None:
    """As in DynamoDB, where a session is read first and a log may have grown by then."""

    class Growing:
        """A view of the store that is of no moment: a turn comes in after the sessions were read."""

        def __init__(self, reads: Any) -> None:
            self.reads, self.grown = reads, False

        def __getattr__(self, name: str) -> Any:
            return getattr(self.reads, name)

        def query(self, query: Any) -> Any:
            if "#m#" in query.pk and not self.grown:
                self.grown = True
                lived_in.say(THERE, ADA, "I moved to Tromsø.")
            return lived_in.adapters.table.query(query)

        def get(self, key: Any) -> Any:
            return lived_in.adapters.table.get(key)

    with lived_in.inventory.snapshot() as snapshot:
        growing: Any = Growing(snapshot)
        records = list(
            Export(lived_in.adapters, lived_in.services().vault, growing, DataScope(ACME, user=ADA)).records()
        )
    assert growing.grown
    assert "Bergen" in str(records)
    assert "Tromsø" not in str(records)
