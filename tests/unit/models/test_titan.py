"""Titan Text Embeddings V2: a stand-in for its endpoint on the loopback interface, good and broken."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cairn.aws.clients import Clients
from cairn.aws.titan import Titan
from cairn.ground.calibration import Calibration
from cairn.ground.errors import EmbeddingFailed
from cairn.ground.settings import MINILM_DEVIATION, MINILM_MEAN, EmbeddingSettings

pytestmark = pytest.mark.enable_socket

CANARY = "canary-90ab"
Answer = Callable[[Any], object]
Serve = Callable[..., Any]
Says = Callable[..., Answer]
VECTOR = [0.0, -0.6, 0.8, *[0.0] * 253]


def embedding(values: object) -> bytes:
    return json.dumps({"embedding": values, "inputTextTokenCount": 7}).encode()


@pytest.fixture
def titan(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Titan]:
    """Return a function that makes an embedder which asks an endpoint."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "role-id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", CANARY)

    def make(endpoint: Any, **knobs: Any) -> Titan:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", endpoint.url)
        return Titan(Clients(), EmbeddingSettings(embedder="titan", **knobs))

    return make


def test_it_is_asked_for_256_numbers_of_length_1_as_the_process_s_role(
    serve: Serve, says: Says, titan: Callable[..., Titan]
) -> None:
    endpoint = serve(says(embedding(VECTOR)))

    vector = titan(endpoint).embed("I feed my cat Tom.")

    assert (vector.dtype, vector.tolist()) == (np.float32, np.array(VECTOR, np.float32).tolist())
    [(path, headers, body)] = endpoint.asked
    assert path == "/model/amazon.titan-embed-text-v2%3A0/invoke"
    assert headers["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=role-id/")
    assert "/eu-central-1/bedrock/" in headers["Authorization"]
    assert headers["Content-Type"] == "application/json"
    assert body == {"inputText": "I feed my cat Tom.", "dimensions": 256, "normalize": True}


def test_of_a_long_text_it_is_asked_for_what_it_takes(serve: Serve, says: Says, titan: Callable[..., Titan]) -> None:
    endpoint = serve(says(embedding(VECTOR)))

    titan(endpoint).embed("語" * 200_000)

    [(_, _, body)] = endpoint.asked
    assert body["inputText"] == "語" * 4_000


def test_its_cosines_have_minilm_s_mean_and_deviation_once_calibrated(
    serve: Serve, says: Says, titan: Callable[..., Titan]
) -> None:
    endpoint = serve(says(embedding(VECTOR)))
    cosines = np.random.default_rng(7).normal(0.05, 0.2, 1000)

    made = titan(endpoint, titan_mean=cosines.mean(), titan_deviation=cosines.std()).calibration

    calibrated = made.shift + made.scale * cosines
    assert (calibrated.mean(), calibrated.std()) == pytest.approx((MINILM_MEAN, MINILM_DEVIATION))
    assert titan(endpoint).calibration == Calibration()


def refused(status: str, code: str) -> Callable[[Says], Answer]:
    return lambda says: says(json.dumps({"message": CANARY}).encode(), f"x-amzn-ErrorType: {code}", status=status)


FAILURES: dict[str, tuple[Callable[[Says], Answer], str, int]] = {
    "not allowed": (refused("403 Forbidden", "AccessDeniedException"), "InvokeModel failed: AccessDeniedException", 1),
    "refused text": (refused("400 Bad", "ValidationException"), "InvokeModel failed: ValidationException", 1),
    "throttled": (refused("429 Slow", "ThrottlingException"), "InvokeModel failed: ThrottlingException", 2),
    "it fails": (refused("500 Failed", "InternalServerException"), "InvokeModel failed: InternalServerException", 2),
    "no object": (lambda says: says(b"[]"), "the answer makes no sense", 1),
    "no embedding": (lambda says: says(json.dumps({"other": CANARY}).encode()), "the answer makes no sense", 1),
    "no JSON": (lambda says: says(CANARY.encode()), "the answer makes no sense", 1),
    "no UTF-8": (lambda says: says(b"\xff\xff"), "the answer makes no sense", 1),
    "texts": (lambda says: says(embedding([CANARY] * 256)), "the answer makes no sense", 1),
    "rows of two lengths": (lambda says: says(embedding([[1], [1, 2]])), "the answer makes no sense", 1),
    "too short": (lambda says: says(embedding(VECTOR[:255])), "the answer is no unit vector", 1),
    "too long": (lambda says: says(embedding([*VECTOR, 0.0])), "the answer is no unit vector", 1),
    "not normalized": (lambda says: says(embedding([2.0, *VECTOR[1:]])), "the answer is no unit vector", 1),
    "not a number": (lambda says: says(embedding([float("nan"), *VECTOR[1:]])), "the answer is no unit vector", 1),
    "nothing": (lambda says: says(embedding(None)), "the answer is no unit vector", 1),
    "hung up": (lambda _: lambda exchange: exchange.connection.close(), "AWS could not be reached", 2),
    "cut short": (
        lambda says: says(embedding(VECTOR)[:-9], length=9999),
        "AWS could not be reached: ResponseStreamingError",
        1,
    ),
}


@pytest.mark.parametrize("case", FAILURES)
def test_however_it_fails_nothing_that_was_said_is_repeated(
    case: str, serve: Serve, says: Says, titan: Callable[..., Titan]
) -> None:
    answer, told, attempts = FAILURES[case]
    endpoint = serve(answer(says))

    with pytest.raises(EmbeddingFailed) as failed:
        titan(endpoint).embed(CANARY)

    assert str(failed.value).startswith(told)
    assert "canary" not in str(failed.value)
    assert len(endpoint.asked) == attempts


@pytest.mark.slow
def test_a_model_that_is_silent_is_given_up_after_two_attempts_of_a_second(
    serve: Serve, titan: Callable[..., Titan]
) -> None:
    silence: Answer = lambda exchange: exchange.hesitate()  # noqa: E731 - its type is said here
    endpoint = serve(silence)

    with pytest.raises(EmbeddingFailed, match=r"^AWS could not be reached: ReadTimeoutError$"):
        titan(endpoint).embed(CANARY)
    assert len(endpoint.asked) == 2
