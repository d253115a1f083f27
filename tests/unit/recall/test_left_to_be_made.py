"""What a process that ended left to be made, the next one that is asked has made, where nothing else would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from cairn.conversation.items import message
from cairn.ground.adapters import Adapters
from cairn.ground.ids import UserId
from cairn.ground.jobs import IndexLog
from cairn.log.manifest import ENTRIES
from cairn.memories.model import Note, RecallRequest
from cairn.memories.recall import recall
from cairn.memories.remember import remember
from cairn.services import Services
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from support.doubles import RecordingJobs
from support.services import services_over
from support.turns import SESSION

ADA = UserId("ada")
ASKED = IndexLog(SESSION.tenant, SESSION.project, "u:ada")


def started(adapters: Adapters, *, own_disk: bool = True) -> tuple[Services, RecordingJobs]:
    """Return a process that knows no log yet, and what it asks for."""
    jobs = RecordingJobs()
    return services_over(replace(adapters, own_disk=own_disk, jobs=jobs)), jobs


def keep(adapters: Adapters, count: int) -> None:
    services, _ = started(adapters)
    for number in range(count):
        remember(services, SESSION, Note(content=f"Row {number} has beans.", scope="user", user_id=ADA))


def ask(services: Services) -> None:
    recall(services, SESSION, RecallRequest(query="Which row?", user_id=ADA))


def prepare_a_turn(services: Services) -> None:
    prepare(services, SESSION, Preparation(current=(message("user", "Which row?"),), user_id=ADA))


@pytest.mark.req("R293")
@pytest.mark.parametrize("question", [ask, prepare_a_turn])
def test_on_one_machine_a_question_asks_for_the_segments_that_a_process_left(
    adapters: Adapters, question: Callable[[Services], None]
) -> None:
    keep(adapters, ENTRIES + 3)
    services, jobs = started(adapters)
    question(services)

    assert jobs.sent == [ASKED]

    services.indexer.run(SESSION.tenant, SESSION.project, "u:ada")
    services, jobs = started(adapters)
    question(services)

    assert jobs.sent == []


@pytest.mark.req("R293")
@pytest.mark.parametrize(("count", "own_disk"), [(ENTRIES - 1, True), (ENTRIES + 3, False)])
def test_it_does_not_where_there_are_few_or_a_queue_keeps_what_is_to_be_done(
    adapters: Adapters, count: int, *, own_disk: bool
) -> None:
    keep(adapters, count)
    services, jobs = started(adapters, own_disk=own_disk)
    ask(services)

    assert jobs.sent == []
