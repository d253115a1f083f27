"""What the docstrings of the room show is what happens."""

from __future__ import annotations

import doctest
from importlib import import_module
from pkgutil import iter_modules

import pytest

import cairn.client

ROOM = [each.name for each in iter_modules(cairn.client.__path__, "cairn.client.")]
SHOWN = {
    "Memory": {"add", "search", "before_turn", "after_turn", "remember", "forget", "history"},
    "AsyncMemory": set[str](),
}


def examples_in(module: str) -> list[doctest.DocTest]:
    return doctest.DocTestFinder().find(import_module(module))


@pytest.mark.req("R286")
@pytest.mark.parametrize("module", ROOM)
def test_the_examples_of_a_module_run_in_their_order(module: str) -> None:
    """As one session, in the order in which they stand in the file: what was added above is found below."""
    tests = sorted((each for each in examples_in(module) if each.examples), key=lambda each: each.lineno or 0)
    known: dict[str, object] = {}
    for test in tests:
        test.globs = known
        failed, _ = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, clear_globs=False)
        assert failed == 0, test.name
    if "memory" in known:
        getattr(known["memory"], "close")()  # noqa: B009 - a doctest's name has no type


def test_every_method_that_a_program_calls_has_an_example() -> None:
    shown = {test.name.rpartition(".")[2] for module in ROOM for test in examples_in(module) if test.examples}

    assert shown >= {name for names in SHOWN.values() for name in names} | set(SHOWN)
