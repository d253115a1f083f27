"""The clients of a process: made at first use, once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from botocore.errorfactory import ClientExceptionsFactory

from cairn.aws.clients import Clients

THREADS = 8


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] - pytest uses it
    for name, value in ("DEFAULT_REGION", "us-east-1"), ("ACCESS_KEY_ID", "test"), ("SECRET_ACCESS_KEY", "test"):
        monkeypatch.setenv(f"AWS_{name}", value)


def test_threads_that_need_a_client_at_once_share_one() -> None:
    clients, together = Clients(), Barrier(THREADS)

    def use(_: int) -> Any:
        together.wait()
        return clients.s3

    with ThreadPoolExecutor(THREADS) as threads:
        made = list(threads.map(use, range(THREADS)))

    assert all(each is clients.s3 for each in made)
    assert len({id(each) for each in made}) == 1


def test_a_client_has_its_error_classes_before_threads_share_it(monkeypatch: pytest.MonkeyPatch) -> None:
    dynamodb = Clients().dynamodb

    monkeypatch.delattr(ClientExceptionsFactory, "create_client_exceptions")

    assert dynamodb.exceptions.ConditionalCheckFailedException
