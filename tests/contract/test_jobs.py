"""Every queue hands on each job that was sent."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cairn.aws.clients import Clients
from cairn.aws.queue import SqsJobs
from cairn.embedded.queue import InProcessJobs
from cairn.embedded.wiring import EmbeddedWiring
from cairn.ground.adapters import NoJobs
from cairn.ground.errors import InternalError, Unavailable
from cairn.ground.ids import Project, Tenant
from cairn.ground.jobs import IndexLog, Job, MaintainShard, RunTask
from cairn.ground.ports import Jobs
from cairn.settings.settings import EmbeddedStore, Settings
from support.doubles import HeldWork, settle

Queue = tuple[Jobs, Callable[[], list[Job]]]


@pytest.mark.parametrize("number", [0, 1, 10, 11, 25])
def test_every_job_that_was_sent_arrives(queue: Queue, number: int) -> None:
    jobs, received = queue
    sent: list[Job] = [MaintainShard(each % 16) for each in range(number)]

    jobs.send(sent)

    assert sorted(received(), key=repr) == sorted(sent, key=repr)


def test_jobs_of_several_sendings_arrive(queue: Queue) -> None:
    jobs, received = queue

    jobs.send([MaintainShard(1)])
    jobs.send([MaintainShard(2), MaintainShard(1)])

    assert sorted(received(), key=repr) == [MaintainShard(1), MaintainShard(1), MaintainShard(2)]


def test_a_message_that_sqs_did_not_take_makes_the_sending_unavailable(
    cloud: Clients, make_sqs_queue: Callable[[], str]
) -> None:
    def refuse(parsed: dict[str, Any], **_: Any) -> None:
        parsed["Failed"] = [{"Id": "0", "Code": "InternalError", "SenderFault": False}]

    jobs = SqsJobs(cloud, make_sqs_queue())
    cloud.sqs.meta.events.register("after-call.sqs.SendMessageBatch", refuse, unique_id="refuse")
    try:
        with pytest.raises(Unavailable, match="1 of 2 jobs: InternalError"):
            jobs.send([MaintainShard(1), MaintainShard(2)])
    finally:
        cloud.sqs.meta.events.unregister("after-call.sqs.SendMessageBatch", unique_id="refuse")


def test_a_queue_that_is_not_there_fails_and_where_none_is_configured_nothing_is_taken(cloud: Clients) -> None:
    with pytest.raises(InternalError):
        SqsJobs(cloud, "https://sqs.us-east-1.amazonaws.com/123456789012/none").send([MaintainShard(1)])
    with pytest.raises(Unavailable):
        SqsJobs(cloud, None).send([MaintainShard(1)])
    SqsJobs(cloud, None).send([])


def test_the_client_of_the_queue_is_made_at_the_first_job() -> None:
    clients = Clients()

    SqsJobs(clients, "https://sqs.us-east-1.amazonaws.com/123456789012/jobs")

    assert "sqs" not in vars(clients)


def test_a_job_that_fails_does_not_end_the_worker() -> None:
    done: list[Job] = []

    def work(job: Job) -> None:
        if job == MaintainShard(1):
            raise OSError("a fault of the test")
        done.append(job)

    jobs = InProcessJobs(work)
    jobs.send([MaintainShard(1), MaintainShard(2)])
    settle(jobs)
    jobs.close()

    assert done == [MaintainShard(2)]


def test_the_sender_does_not_wait_for_a_job_and_jobs_that_wait_at_the_end_are_dropped() -> None:
    work = HeldWork()
    jobs = InProcessJobs(work)
    jobs.send([MaintainShard(1), MaintainShard(2)])
    assert work.started.wait(timeout=30)
    assert work.done == []
    closing = threading.Thread(target=jobs.close)
    closing.start()
    inside: Any = jobs
    while not inside._executor._shutdown:
        work.go_on.wait(0.001)
    work.go_on.set()
    closing.join(timeout=30)

    assert work.done == [MaintainShard(1)]


def test_a_log_that_waits_to_be_indexed_waits_once_and_again_after_it_began() -> None:
    one, other = (IndexLog(Tenant("acme"), Project("garden"), owner) for owner in ("u:ada", "u:bo"))
    work = HeldWork()
    jobs = InProcessJobs(work)
    jobs.send([MaintainShard(1)])
    assert work.started.wait(timeout=30)
    jobs.send([one, other, one])
    jobs.send([one])
    assert jobs.waiting(Tenant("acme")) == 2
    work.go_on.set()
    settle(jobs)
    jobs.send([one])
    settle(jobs)
    jobs.close()

    assert work.done == [MaintainShard(1), one, other, one]


def test_without_a_worker_jobs_are_dropped(tmp_path: Path) -> None:
    settings = Settings(memory_enabled=True)
    jobs = EmbeddedWiring(EmbeddedStore(directory=tmp_path), settings).adapters().jobs
    before = threading.active_count()
    jobs.send([MaintainShard(1)])

    assert isinstance(jobs, NoJobs)
    assert threading.active_count() == before


def test_a_task_that_lasts_holds_up_no_other_job_and_one_task_is_done_at_a_time() -> None:
    started, go_on, other = threading.Event(), threading.Event(), threading.Event()
    done: list[Job] = []

    def work(job: Job) -> None:
        if job == RunTask(Tenant("acme"), "1"):
            started.set()
            assert go_on.wait(timeout=30)
        done.append(job)
        if isinstance(job, MaintainShard):
            other.set()

    jobs = InProcessJobs(work)
    jobs.send([RunTask(Tenant("acme"), "1"), RunTask(Tenant("globex"), "2"), MaintainShard(1)])
    assert started.wait(timeout=30)
    assert other.wait(timeout=30)
    assert done == [MaintainShard(1)]
    go_on.set()
    settle(jobs, tasks=True)
    jobs.close()

    assert done == [MaintainShard(1), RunTask(Tenant("acme"), "1"), RunTask(Tenant("globex"), "2")]


def test_a_queue_that_is_closed_tells_the_task_that_runs_to_end_and_drops_the_next() -> None:
    started = threading.Event()
    done: list[Job] = []

    def work(job: Job) -> None:
        started.set()
        for _ in range(30_000):
            if jobs.is_ending():
                done.append(job)
                return
            threading.Event().wait(0.001)

    jobs = InProcessJobs(work)
    jobs.send([RunTask(Tenant("acme"), "1"), RunTask(Tenant("acme"), "2")])
    assert started.wait(timeout=30)
    assert not jobs.is_ending()
    jobs.close()

    assert done == [RunTask(Tenant("acme"), "1")]
