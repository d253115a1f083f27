"""A user who is erased is gone from what AgentCore's clients have in common as well."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from cairn.access.api_keys import Grant
from cairn.custody.erase_actor import ACTORS, PLACES
from cairn.custody.erase_user import EraseUser
from cairn.custody.scope import DataScope
from cairn.documents.model import Owner, Sought
from cairn.ground.ids import Project, Tenant, UserId
from cairn.services import Services
from cairn_agentcore import events, kept
from support.agentcore import MEMORY, Gateway, client, signing_at
from support.doubles import FakeClock

ACME = Tenant("acme")
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _signed_by_the_clock(clock: FakeClock) -> Iterator[None]:
    with signing_at(clock):
        yield


def test_the_names_of_what_is_erased_are_the_door_s() -> None:
    assert (ACTORS, PLACES) == (events.ACTORS, kept.PLACES)


@pytest.mark.req("R315")
def test_an_erased_actor_has_no_events_records_or_name_left(services: Services) -> None:
    agentcore = client(services.credentials.create(ACME, Grant(), derived=True), Gateway())
    records = {actor: _lived(agentcore, actor) for actor in ("ada", "bob")}

    EraseUser(services, services.inventory).run(DataScope(ACME, user=UserId("ada")))

    assert [each["actorId"] for each in agentcore.list_actors(memoryId=MEMORY)["actorSummaries"]] == ["bob"]
    assert agentcore.list_events(memoryId=MEMORY, actorId="ada", sessionId="monday")["events"] == []
    assert len(agentcore.list_events(memoryId=MEMORY, actorId="bob", sessionId="monday")["events"]) == 1
    with pytest.raises(ClientError, match="ResourceNotFound"):
        agentcore.get_memory_record(memoryId=MEMORY, memoryRecordId=records["ada"])
    assert agentcore.get_memory_record(memoryId=MEMORY, memoryRecordId=records["bob"])["memoryRecord"]
    left = services.documents.search(Owner(ACME, Project(MEMORY)), Sought(limit=100)).hits
    assert {str(each.document.value) for each in left} == {"True", "{'namespace': '/facts/bob', 'user': 'bob'}"}
    _lived(agentcore, "ada")
    assert len(agentcore.list_actors(memoryId=MEMORY)["actorSummaries"]) == 2


def _lived(agentcore: Any, actor: str) -> str:
    """Have somebody say something and a record made of them, and return the record's id."""
    said = {"role": "USER", "content": {"text": "I live in Oslo."}}
    place = {"memoryId": MEMORY, "actorId": actor, "sessionId": "monday"}
    agentcore.create_event(**place, eventTimestamp=NOW, payload=[{"conversational": said}])
    told = {"namespaces": [f"/facts/{actor}"], "content": {"text": "The shed is red."}, "timestamp": NOW}
    made = agentcore.batch_create_memory_records(memoryId=MEMORY, records=[{"requestIdentifier": "r", **told}])
    return made["successfulRecords"][0]["memoryRecordId"]
