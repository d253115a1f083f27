"""The schedule and the queue at work: what is due is maintained, what is no job ends as a dead letter."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, cast
from uuid import uuid4

import boto3
import httpx2
import pytest

from cairn.ground.ids import Project, SessionId, Tenant
from cairn.ground.jobs import MaintainShard, encoded
from cairn.ground.session import Session
from cairn.sessions.layout import SUMMARIES, due_shard
from support.stack import Items, eventually

pytestmark = pytest.mark.enable_socket

AWS = cast("Any", boto3)  # its stubs know three services
SCHEDULED_WITHIN_SECONDS = 120
WORKED_OFF_WITHIN_SECONDS = 90


@pytest.fixture
def queue(outputs: dict[str, str]) -> str:
    """Return the queue, empty: the jobs that other tests sent may wait for minutes."""
    url = outputs["JobQueueUrl"]
    AWS.client("sqs").purge_queue(QueueUrl=url)
    return url


@pytest.fixture
def impatient(queue: str) -> Iterator[None]:
    """Let a failed job come again after a second and be given up after two times, not after an hour."""
    sqs = AWS.client("sqs")
    names = ["VisibilityTimeout", "RedrivePolicy"]
    told = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=names)["Attributes"]
    redrive = {**json.loads(told["RedrivePolicy"]), "maxReceiveCount": 2}
    changed = {"VisibilityTimeout": "1", "RedrivePolicy": json.dumps(redrive)}
    sqs.set_queue_attributes(QueueUrl=queue, Attributes=changed)
    yield
    sqs.set_queue_attributes(QueueUrl=queue, Attributes=told)


def test_a_job_on_the_queue_is_done_and_leaves_it(
    queue: str,
    items: Items,
    call: Callable[..., httpx2.Response],
    turn_of: Callable[[str], dict[str, Any]],
    let_be_due: Callable[[dict[str, Any]], None],
) -> None:
    turn = turn_of("due-by-a-job")
    session = Session(Tenant("acme"), Project(turn["project"]), SessionId(turn["session_id"]))
    assert call("memory_after_turn", turn).status_code == 200
    let_be_due(turn)
    job = encoded(MaintainShard(due_shard(session)))

    AWS.client("sqs").send_message(QueueUrl=queue, MessageBody=job)

    eventually(lambda: items.has(turn, SUMMARIES) and _held(queue) == 0, WORKED_OFF_WITHIN_SECONDS)


@pytest.mark.usefixtures("impatient")
def test_what_is_no_job_ends_among_the_dead_letters(queue: str, outputs: dict[str, str]) -> None:
    poison = json.dumps({"version": 1, "job": f"unknown-{uuid4().hex}"})

    AWS.client("sqs").send_message(QueueUrl=queue, MessageBody=poison)

    eventually(lambda: poison in _received(outputs["JobDeadLettersUrl"]), WORKED_OFF_WITHIN_SECONDS)
    eventually(lambda: _held(queue) == 0, WORKED_OFF_WITHIN_SECONDS)


@pytest.mark.req("R253")
def test_a_session_that_is_due_is_maintained_without_anybody_s_call(items: Items, due: dict[str, Any]) -> None:
    eventually(lambda: items.has(due, SUMMARIES), SCHEDULED_WITHIN_SECONDS)


def _held(queue: str) -> int:
    """Return how many messages wait or are at work."""
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    counted = AWS.client("sqs").get_queue_attributes(QueueUrl=queue, AttributeNames=names)["Attributes"]
    return sum(int(counted[name]) for name in names)


def _received(queue: str) -> list[str]:
    messages = AWS.client("sqs").receive_message(QueueUrl=queue, MaxNumberOfMessages=10, VisibilityTimeout=0)
    return [each["Body"] for each in messages.get("Messages", [])]
