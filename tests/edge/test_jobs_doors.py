"""The schedule's door and the queue's: what they queue, do, hand back and log."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from cairn import wiring
from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Project, SessionId, Tenant, TurnId
from cairn.ground.jobs import DUE_SHARDS, KINDS, EmbedLog, IndexLog, Job, MaintainShard, SealAudit, decoded, encoded
from cairn.ground.session import Session
from cairn.ground.table import Key, Query
from cairn.services import Services
from cairn.sessions.layout import SUMMARIES, due_pk, due_shard, session_pk
from cairn.tool.call import Call
from cairn.turns.after_turn import commit
from cairn_jobs import schedule, worker
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from support.doubles import RecordingJobs
from support.log import Journal
from support.services import changed
from support.telemetry import lines
from support.turns import SESSION

CANARY = "canary-7f3a"
EVENTS = Path(__file__).parents[2] / "events" / "jobs"


@dataclass
class Context:
    """A Lambda invocation with this much time left."""

    seconds: float = 120

    def get_remaining_time_in_millis(self) -> int:
        return int(self.seconds * 1000)


def event_of(*bodies: str) -> dict[str, Any]:
    return {"Records": [{"messageId": f"message-{at}", "body": body} for at, body in enumerate(bodies)]}


def jobs_of(adapters: Adapters) -> list[Job]:
    """Return the jobs that were sent, but for those that each append asks for."""
    assert isinstance(adapters.jobs, RecordingJobs)
    return [job for job in adapters.jobs.sent if not isinstance(job, EmbedLog)]


def handed_back(answer: Mapping[str, Any]) -> list[str]:
    return [each["itemIdentifier"] for each in answer["batchItemFailures"]]


@pytest.fixture
def say(services: Services) -> Callable[[str], Session]:
    """Return a function that says something in a session of this name."""

    def said(name: str) -> Session:
        session = Session(Tenant("acme"), Project("garden"), SessionId(name))
        turn = Completion(turn_id=TurnId("t1"), inputs=(message("user", f"I like {CANARY}."),), outputs=())
        commit(services, session, turn)
        return session

    return said


@pytest.fixture
def powertools_log() -> Iterator[io.StringIO]:
    """Return what Powertools logs where POWERTOOLS_DEBUG is set."""
    stream, logger = io.StringIO(), logging.getLogger("aws_lambda_powertools")
    handler, level = logging.StreamHandler(stream), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield stream
    logger.setLevel(level)
    logger.removeHandler(handler)


def listed(adapters: Adapters) -> Iterator[str]:
    """Yield the partitions of all sessions that have an entry in the due index."""
    for shard in range(DUE_SHARDS):
        for item in adapters.table.query(Query(due_pk(shard), "", "\U0010ffff", index=True)).items:
            yield str(item["pk"])


def is_maintained(adapters: Adapters, session: Session) -> bool:
    return adapters.table.get(Key(session_pk(session), SUMMARIES)) is not None


@pytest.mark.req("R253")
def test_the_schedule_queues_one_job_for_each_shard_in_which_a_session_is_due(
    say: Callable[[str], Session], adapters: Adapters, clock: Any, log: io.StringIO
) -> None:
    early = [say(name) for name in ("monday", "tuesday", "monday-2", "monday-3")]
    clock.advance(hours=1)
    say("later")

    answer = schedule.handler({"id": "run-1"}, None)

    shards = sorted({due_shard(session) for session in early})
    assert answer == {"shards": shards}
    assert jobs_of(adapters) == [MaintainShard(shard) for shard in shards]
    (line,) = [each for each in lines(log) if each.get("tool") == "schedule_maintenance"]
    assert (line["request_id"], line["status"], line["counts"]) == (
        *("run-1", "OK"),
        {"shards": len(shards), "audit_logs": 0},
    )


@pytest.mark.req("R253")
@pytest.mark.req("R070")
def test_a_due_session_is_found_in_whichever_shard_it_is_the_first_and_the_last_among_them(
    say: Callable[[str], Session], clock: Any
) -> None:
    shards = {due_shard(say(f"s{number}")) for number in range(8 * DUE_SHARDS)}
    clock.advance(hours=1)

    assert schedule.handler({}, None) == {"shards": sorted(shards)} == {"shards": list(range(DUE_SHARDS))}


@pytest.mark.usefixtures("services")
@pytest.mark.req("R309")
def test_the_schedule_of_sealing_queues_audit_logs_alone(call: Call, adapters: Adapters, clock: Any) -> None:
    memory_after_turn.execute(EXAMPLE, call)
    clock.advance(days=2)

    answer = schedule.handler({"id": "run-1", "only": "sealing"}, None)

    assert answer == {"shards": []}
    assert [each for each in jobs_of(adapters) if not isinstance(each, IndexLog)] == [SealAudit(call.caller.tenant)]


@pytest.mark.usefixtures("services")
def test_a_schedule_with_nothing_due_queues_nothing(adapters: Adapters) -> None:
    assert schedule.handler({}, None) == {"shards": []}
    assert jobs_of(adapters) == []


def test_a_schedule_that_cannot_queue_fails_so_that_it_is_run_again(
    say: Callable[[str], Session], services: Services, clock: Any
) -> None:
    class Refusing:
        def send(self, _: object) -> NoReturn:
            raise Unavailable("the queue is down")

    say("monday")
    clock.advance(hours=1)
    wiring.provide(changed(services, adapters=replace(services.adapters, jobs=Refusing())))

    with pytest.raises(Unavailable):
        schedule.handler({}, None)


@pytest.mark.req("R253")
@pytest.mark.req("R070")
def test_what_the_schedule_queued_the_worker_does_and_then_nothing_is_due(
    say: Callable[[str], Session], adapters: Adapters, clock: Any, log: io.StringIO
) -> None:
    sessions = [say(f"s{number}") for number in range(3)]
    clock.advance(hours=1)
    schedule.handler({}, None)
    event = event_of(*(encoded(job) for job in jobs_of(adapters)))

    assert handed_back(worker.handler(event, Context())) == []
    assert all(is_maintained(adapters, session) for session in sessions)
    assert schedule.handler({}, None) == {"shards": []}

    done = [line for line in lines(log) if line.get("tool") == "maintain_shard"]
    assert sum(line["counts"]["maintained"] for line in done) == len(sessions)
    assert {line["request_id"] for line in done} == {message["messageId"] for message in event["Records"]}
    of_sessions = [line for line in lines(log) if line.get("tool") == "maintain_session"]
    assert sorted(line["session_id"] for line in of_sessions) == sorted(each.session_id for each in sessions)
    assert {(line["status"], line["project"], len(line["tenant"])) for line in of_sessions} == {("OK", "garden", 12)}
    assert CANARY not in log.getvalue()


@pytest.mark.req("R253")
def test_a_job_that_arrives_twice_changes_nothing_the_second_time(
    say: Callable[[str], Session], adapters: Adapters, clock: Any
) -> None:
    session = say("monday")
    clock.advance(hours=1)
    job = encoded(MaintainShard(due_shard(session)))
    worker.handler(event_of(job), Context())
    before = list(adapters.table.query(Query(session_pk(session), "\x01", "\U0010ffff")).items)

    assert handed_back(worker.handler(event_of(job, job), Context())) == []
    assert list(adapters.table.query(Query(session_pk(session), "\x01", "\U0010ffff")).items) == before


@pytest.mark.slow
@pytest.mark.usefixtures("services")
def test_the_worker_indexes_a_log_and_makes_its_segments_anew(adapters: Adapters, log: io.StringIO) -> None:
    journal = Journal(adapters)
    journal.write(40)
    job = IndexLog(SESSION.tenant, SESSION.project, journal.owner)

    assert handed_back(worker.handler(event_of(encoded(job)), Context())) == []
    [first] = journal.manifest().segments
    assert handed_back(worker.handler(event_of(encoded(replace(job, rebuild=True))), Context())) == []
    [second] = journal.manifest().segments

    assert (second.digest != first.digest, second.through) == (True, first.through)
    done = [line for line in lines(log) if line.get("tool") == "index_log"]
    assert [(line["status"], line["project"], line["counts"]["entries"]) for line in done] == [
        ("OK", "garden", first.entries)
    ] * 2


def test_a_message_that_is_no_job_comes_back_alone(
    say: Callable[[str], Session], adapters: Adapters, clock: Any, log: io.StringIO
) -> None:
    session = say("monday")
    clock.advance(hours=1)
    good = encoded(MaintainShard(due_shard(session)))

    answer = worker.handler(event_of(CANARY, good, '{"job": "make_coffee", "version": 1}'), Context())

    assert handed_back(answer) == ["message-0", "message-2"]
    assert is_maintained(adapters, session)
    refused = [line for line in lines(log) if line.get("status") == "INVALID_ARGUMENT"]
    assert [line["request_id"] for line in refused] == ["message-0", "message-2"]
    assert CANARY not in log.getvalue()


@pytest.mark.parametrize("body", [None, ["a list"], CANARY])
def test_a_body_that_cannot_be_read_comes_back_beside_a_good_one_that_is_done(
    body: object, say: Callable[[str], Session], adapters: Adapters, clock: Any, log: io.StringIO
) -> None:
    session = say("monday")
    clock.advance(hours=1)
    event = event_of("", encoded(MaintainShard(due_shard(session))))
    event["Records"][0]["body"] = body

    assert handed_back(worker.handler(event, Context())) == ["message-0"]
    assert is_maintained(adapters, session)
    assert CANARY not in log.getvalue()


@pytest.mark.usefixtures("services")
def test_where_no_message_can_be_done_each_of_them_comes_back() -> None:
    assert handed_back(worker.handler(event_of("", "{}", "[]"), Context())) == ["message-0", "message-1", "message-2"]


@pytest.mark.usefixtures("services")
def test_what_came_back_from_one_event_is_forgotten_at_the_next() -> None:
    worker.handler(event_of("no job"), Context())

    assert handed_back(worker.handler(event_of(encoded(MaintainShard(1))), Context())) == []
    assert handed_back(worker.handler({"Records": []}, Context())) == []


def test_an_event_that_has_no_messages_fails_and_is_not_taken_for_done() -> None:
    with pytest.raises(KeyError, match="Records"):
        worker.handler({"nonsense": [1]}, Context())


@pytest.mark.usefixtures("services")
def test_the_batch_processor_s_own_log_tells_no_content(
    powertools_log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> NoReturn:
        raise OSError(CANARY)

    monkeypatch.setitem(worker.WORK, MaintainShard, fail)  # pyright: ignore[reportArgumentType] - a mapping, of which the test changes one entry

    worker.handler(event_of(encoded(MaintainShard(1)), CANARY), Context())

    assert "Something failed inside" in powertools_log.getvalue()
    assert CANARY not in powertools_log.getvalue()


def test_a_job_that_fails_comes_back_and_the_log_says_where(
    services: Services, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> NoReturn:
        raise OSError(CANARY)

    assert services
    monkeypatch.setitem(worker.WORK, MaintainShard, fail)  # pyright: ignore[reportArgumentType] - a mapping, of which the test changes one entry

    assert handed_back(worker.handler(event_of(encoded(MaintainShard(1))), Context())) == ["message-0"]
    (line,) = [each for each in lines(log) if each.get("failure") == "OSError"]
    assert (line["tool"], line["status"]) == ("maintain_shard", "INTERNAL_ERROR")
    assert CANARY not in log.getvalue()


def test_one_session_s_failure_is_logged_and_the_others_are_maintained(
    say: Callable[[str], Session], adapters: Adapters, clock: Any, log: io.StringIO
) -> None:
    mates = [say(name) for name in ("s0", "s8", "s13")]
    (shard,) = {due_shard(session) for session in mates}
    clock.advance(hours=1)
    run_due = wiring.services().maintenance.run_due

    class Brittle:
        def run_due(self, session: Session, until: Any) -> Any:
            if session == mates[0]:
                raise KeyError(CANARY)
            return run_due(session, until)

    vars(wiring.services())["maintenance"] = Brittle()

    assert handed_back(worker.handler(event_of(encoded(MaintainShard(shard))), Context())) == []
    assert [is_maintained(adapters, session) for session in mates] == [False] + [True] * (len(mates) - 1)
    (line,) = [each for each in lines(log) if each.get("tool") == "maintain_shard"]
    assert line["counts"] == {"failed": 1, "maintained": len(mates) - 1}
    (failed,) = [each for each in lines(log) if each.get("failure") == "KeyError"]
    assert (failed["session_id"], failed["status"]) == (mates[0].session_id, "INTERNAL_ERROR")
    assert CANARY not in log.getvalue()


def test_a_worker_without_time_starts_nothing_and_leaves_it_to_the_next_run(
    say: Callable[[str], Session], adapters: Adapters, clock: Any, log: io.StringIO
) -> None:
    session = say("monday")
    clock.advance(hours=1)
    job = event_of(encoded(MaintainShard(due_shard(session))))

    worker.handler(job, Context(worker.MARGIN.total_seconds()))
    assert not is_maintained(adapters, session)
    assert lines(log)[-1]["counts"] == {"left": 1}

    worker.handler(job, Context(worker.MARGIN.total_seconds() + 1))
    assert is_maintained(adapters, session)


@pytest.mark.usefixtures("services")
def test_the_worker_knows_every_kind_of_job_and_each_has_a_sample_event() -> None:
    assert set(worker.WORK) == set(KINDS)
    for kind in KINDS:
        event = json.loads((EVENTS / f"{kind.kind}.json").read_text(encoding="utf-8"))
        (message,) = event["Records"]
        assert type(decoded(message["body"])) is kind
        assert handed_back(worker.handler(event, Context())) == []
    assert schedule.handler(json.loads((EVENTS / "schedule.json").read_text(encoding="utf-8")), None) == {"shards": []}


@pytest.mark.req("R076")
def test_without_the_schedule_nothing_is_maintained_however_long_it_has_been_due(
    say: Callable[[str], Session], adapters: Adapters, clock: Any
) -> None:
    session = say("monday")
    clock.advance(days=30)
    say("tuesday")

    assert jobs_of(adapters) == []
    assert not is_maintained(adapters, session)
    assert session_pk(session) in set(listed(adapters))
