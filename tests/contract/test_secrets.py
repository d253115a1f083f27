"""A secret of Secrets Manager: kept for a while, given up when it is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, TypeAlias

import pytest

from cairn.aws.clients import Clients
from cairn.aws.secret_parameter import SecretParameter
from cairn.aws.secrets import LIFETIME, KeptSecret
from cairn.ground.errors import InternalError

Secret: TypeAlias = KeptSecret | SecretParameter


@pytest.fixture
def secret(cloud: Clients, request: pytest.FixtureRequest) -> str:
    return cloud.secrets.create_secret(Name=request.node.name, SecretString="first\n")["ARN"]


@pytest.fixture(params=[KeptSecret, SecretParameter])
def open_secret(request: pytest.FixtureRequest, cloud: Clients, clock: Any) -> Callable[[str], Secret]:
    """Return a function that opens a secret as a call does, or as the sandbox does."""
    if request.param is KeptSecret:
        return lambda arn: KeptSecret(cloud.secrets, arn, clock)
    return lambda arn: SecretParameter(cloud, arn)


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


def test_a_secret_parameter_is_read_without_the_blanks_around_it_and_kept_for_its_lifetime(
    cloud: Clients, secret: str, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aws_lambda_powertools.utilities.parameters.base.datetime", SimpleNamespace(now=clock.now))
    monkeypatch.setenv("POWERTOOLS_PARAMETERS_MAX_AGE", "1")
    kept = SecretParameter(cloud, secret)
    assert kept.read() == "first"

    cloud.secrets.put_secret_value(SecretId=secret, SecretString="second")
    clock.time += LIFETIME
    assert kept.read() == "first"
    clock.time += timedelta(microseconds=1)
    assert kept.read() == "second"


def test_a_secret_that_was_refused_is_asked_for_anew(
    cloud: Clients, secret: str, open_secret: Callable[[str], Secret]
) -> None:
    kept = open_secret(secret)
    assert kept.read() == "first"

    cloud.secrets.put_secret_value(SecretId=secret, SecretString="second")
    kept.forget()

    assert kept.read() == "second"


def test_a_secret_that_is_not_there_is_a_failure_that_does_not_name_it(open_secret: Callable[[str], Secret]) -> None:
    arn = "arn:aws:secretsmanager:us-east-1:123456789012:secret:absent-AbCdEf"

    with pytest.raises(InternalError, match=r"^GetSecretValue failed: ResourceNotFoundException$"):
        open_secret(arn).read()


def test_a_secret_of_bytes_alone_is_empty(
    cloud: Clients, open_secret: Callable[[str], Secret], request: pytest.FixtureRequest
) -> None:
    arn = cloud.secrets.create_secret(Name=request.node.name, SecretBinary=b"\x00")["ARN"]

    assert open_secret(arn).read() == ""
