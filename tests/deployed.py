"""The stack that tests/stack deploys, as a test may hold it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

import boto3

from cairn.ground.ids import Project, SessionId, Tenant
from cairn.ground.session import Session
from cairn.local.emulator.deployment import Deployment
from cairn.local.emulator.emulator import emulated
from cairn.sessions.layout import session_pk

AWS = cast("Any", boto3)  # its stubs know three services


@dataclass(slots=True)
class Stack:
    """The deployed stack; the emulator under it can be ended and started again."""

    deployment: Deployment
    port: int
    outputs: dict[str, str] = field(default_factory=dict[str, str])
    _running: ExitStack = field(default_factory=ExitStack)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def host(self) -> str:
        """Return what the API is called: no resolver knows the name, so it goes into the Host header."""
        return urlsplit(self.outputs["ApiUrl"]).netloc

    def start(self) -> None:
        self._running.enter_context(emulated(self.deployment.emulator, self.deployment.home, self.port, iam=True))

    def stop(self) -> None:
        self._running.close()


@dataclass(frozen=True, slots=True)
class Items:
    """The items of acme's sessions in the deployed table, seen and changed as by the account's owner."""

    table: str

    def has(self, turn: Mapping[str, Any], sk: str) -> bool:
        found = AWS.client("dynamodb").get_item(TableName=self.table, Key=_key(turn, sk), ConsistentRead=True)
        return "Item" in found

    def change(self, turn: Mapping[str, Any], sk: str, name: str, value: dict[str, str]) -> None:
        """Change an attribute that the item has."""
        AWS.client("dynamodb").update_item(
            TableName=self.table,
            Key=_key(turn, sk),
            UpdateExpression="SET #n = :v",
            ConditionExpression="attribute_exists(#n)",
            ExpressionAttributeNames={"#n": name},
            ExpressionAttributeValues={":v": value},
        )


def eventually(condition: Callable[[], bool], seconds: float) -> None:
    """Wait until a condition holds, AssertionError where it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.5)


def _key(turn: Mapping[str, Any], sk: str) -> dict[str, Any]:
    session = Session(Tenant("acme"), Project(turn["project"]), SessionId(turn["session_id"]))
    return {"pk": {"S": session_pk(session)}, "sk": {"S": sk}}


def as_if_over_tls(request: Any, **_: object) -> None:
    """Say what a proxy with TLS in front of the emulator would say: a queue's policy holds for its owner too."""
    request.headers["X-Forwarded-Proto"] = "https"
