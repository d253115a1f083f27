"""Properties that are made once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from cairn.ground.adapters import Adapters
from cairn.process.once import Once
from support.services import services_over

AT_ONCE = 8


class Cups:
    """Things that are made of one another; what a test gives is done while the tea is made."""

    def __init__(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        self.made: list[str] = []
        self.meanwhile = meanwhile

    @Once
    def water(self) -> object:
        """Return water."""
        self.made.append("water")
        return object()

    @Once
    def tea(self) -> tuple[str, object]:
        self.made.append("tea")
        self.meanwhile()
        return "tea", self.water


def at_once(call: Callable[[], object]) -> list[object]:
    """Return what as many threads get that make the call at the same time."""
    start = Barrier(AT_ONCE)

    def started(_: int) -> object:
        start.wait()
        return call()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(started, range(AT_ONCE)))


def test_what_is_made_of_another_is_made_when_it_is_asked_for_and_kept() -> None:
    cups = Cups()

    assert cups.made == []
    assert cups.tea is cups.tea
    assert cups.tea[1] is cups.water
    assert cups.made == ["tea", "water"]


def test_each_object_has_its_own() -> None:
    assert Cups().water is not Cups().water


def test_threads_that_ask_while_it_is_made_wait_for_the_one_that_is_made() -> None:
    making, may_end = Event(), Event()
    cups = Cups(lambda: (making.set(), may_end.wait(30)))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        first = pool.submit(lambda: cups.tea)
        assert making.wait(30)
        others = [pool.submit(lambda: cups.tea) for _ in range(AT_ONCE - 1)]
        may_end.set()

    assert {id(each.result()) for each in others} == {id(first.result())}
    assert cups.made == ["tea", "water"]


def test_what_cannot_be_made_is_tried_again() -> None:
    failures = [OSError("no kettle")]

    def fail_once() -> None:
        if failures:
            raise failures.pop()

    cups = Cups(fail_once)
    with pytest.raises(OSError, match="no kettle"):
        _ = cups.tea

    assert cups.tea[0] == "tea"


@pytest.mark.parametrize("name", ["water"])
def test_what_was_set_is_not_made(name: str) -> None:
    cups = Cups()
    setattr(cups, name, "given")

    assert cups.tea == ("tea", "given")
    assert cups.made == ["tea"]


def test_its_docstring_is_the_method_s() -> None:
    assert Cups.water.__doc__ == "Return water."


@pytest.mark.parametrize("name", ["vault", "log", "journal", "sessions", "searcher", "registry", "keyvalue"])
def test_a_process_has_one_of_each_cache_however_many_threads_ask_for_it_first(name: str, adapters: Adapters) -> None:
    services = services_over(adapters)

    assert len({id(each) for each in at_once(lambda: getattr(services, name))}) == 1
