"""A secret of Secrets Manager: kept for a while, given up when it is refused."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from cairn.aws.clients import Clients
from cairn.aws.secrets import LIFETIME, KeptSecret
from cairn.ground.errors import InternalError


@pytest.fixture
def secret(cloud: Clients, request: pytest.FixtureRequest) -> str:
    return cloud.secrets.create_secret(Name=request.node.name, SecretString="first\n")["ARN"]


def test_a_secret_is_read_without_the_blanks_around_it_and_kept_for_its_lifetime(
    cloud: Clients, secret: str, clock: Any
) -> None:
    kept = KeptSecret(cloud.secrets, secret, clock)
    assert kept.read() == "first"

    cloud.secrets.put_secret_value(SecretId=secret, SecretString="second")
    clock.time += LIFETIME - timedelta(seconds=1)
    assert kept.read() == "first"
    clock.time += timedelta(seconds=1)
    assert kept.read() == "second"


def test_a_secret_that_was_refused_is_asked_for_anew(cloud: Clients, secret: str, clock: Any) -> None:
    kept = KeptSecret(cloud.secrets, secret, clock)
    assert kept.read() == "first"

    cloud.secrets.put_secret_value(SecretId=secret, SecretString="second")
    kept.forget()

    assert kept.read() == "second"


def test_a_secret_that_is_not_there_is_a_failure_that_does_not_name_it(cloud: Clients, clock: Any) -> None:
    arn = "arn:aws:secretsmanager:us-east-1:123456789012:secret:absent-AbCdEf"

    with pytest.raises(InternalError, match=r"^GetSecretValue failed: ResourceNotFoundException$"):
        KeptSecret(cloud.secrets, arn, clock).read()


def test_a_secret_of_bytes_alone_is_empty(cloud: Clients, clock: Any) -> None:
    arn = cloud.secrets.create_secret(Name="bytes", SecretBinary=b"\x00")["ARN"]

    assert KeptSecret(cloud.secrets, arn, clock).read() == ""
