from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from datetime import UTC, timedelta
from threading import Barrier, Event
from typing import cast

import pytest

from cairn.ground.ports import Clock, Entropy, Parallel
from cairn.process.system import SystemClock, SystemEntropy, ThreadedParallel, in_turn


@pytest.fixture(params=["in turn", "threaded"])
def parallel(request: pytest.FixtureRequest) -> Iterator[Parallel]:
    if request.param == "in turn":
        yield in_turn
        return
    threaded = ThreadedParallel(2)
    yield threaded
    threaded.close()


def test_results_are_in_the_order_of_the_calls(parallel: Parallel) -> None:
    calls: list[Callable[[], object]] = [lambda: 1, lambda: "two", lambda: None, lambda: [4]]
    assert parallel(calls) == [1, "two", None, [4]]
    assert parallel([]) == []


def test_the_first_error_is_raised_after_all_have_ended(parallel: Parallel) -> None:
    ended: list[str] = []

    def fail(error: Exception) -> None:
        ended.append(str(error))
        raise error

    with pytest.raises(KeyError, match="first"):
        parallel([lambda: fail(KeyError("first")), lambda: fail(ValueError("second")), lambda: ended.append("third")])
    assert sorted(ended) == ["'first'", "second", "third"]


def test_threaded_calls_run_at_once() -> None:
    threaded, meeting = ThreadedParallel(3), Barrier(3, timeout=5)
    assert sorted(map(int, map(str, threaded([meeting.wait] * 3)))) == [0, 1, 2]
    threaded.close()


def test_calls_of_calls_run_at_once_too_even_where_all_kept_threads_wait_for_them() -> None:
    threaded, meeting = ThreadedParallel(2), Barrier(4, timeout=5)

    def both() -> list[object]:
        return threaded([meeting.wait] * 2)

    found = [each for answers in threaded([both] * 2) for each in cast("list[int]", answers)]
    assert sorted(found) == [0, 1, 2, 3]
    threaded.close()


def test_an_error_does_not_leave_before_a_slower_call_has_ended() -> None:
    threaded, failed, ended = ThreadedParallel(2), Event(), Event()

    def fail() -> None:
        failed.set()
        raise RuntimeError

    def end_after_the_failure() -> None:
        failed.wait(5)
        ended.set()

    with pytest.raises(RuntimeError):
        threaded([fail, end_after_the_failure])
    assert ended.is_set()
    threaded.close()


def test_calls_in_turn_are_interrupted_at_once() -> None:
    ran: list[int] = []

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_turn([interrupt, lambda: ran.append(1)])
    assert ran == []


@pytest.mark.req("R078")
def test_the_clock_tells_utc() -> None:
    clock: Clock = SystemClock()
    first = clock.now()
    clock.sleep(0)
    assert first.tzinfo is UTC
    assert timedelta(0) <= clock.now() - first < timedelta(seconds=5)


def test_tokens_have_their_size_and_differ() -> None:
    entropy: Entropy = SystemEntropy()
    assert {len(entropy.token(16)) for _ in range(50)} == {16}
    assert len({entropy.token(16) for _ in range(50)}) == 50


@pytest.mark.req("R012")
def test_calls_at_once_see_the_caller_s_context(parallel: Parallel) -> None:
    request: ContextVar[str] = ContextVar("request")
    token = request.set("request-1")

    assert parallel([request.get] * 3) == ["request-1"] * 3

    request.reset(token)
