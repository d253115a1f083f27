"""How a fault is planted in the engine, and looked for."""

from __future__ import annotations
import __future__

import inspect
import textwrap
from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pkgutil import resolve_name
from types import CodeType, FunctionType

from simulation.schedule import EVERYTHING, Game, simulated

MOST_SEEDS = 2000
"""After how many schedules from its seed on a planted fault counts as not found."""


@dataclass(frozen=True, slots=True)
class Change:
    """Another text in the source of one function, named as module:name."""

    function: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault, how to plant it, and the first seed whose schedule of this game found it when last planted."""

    name: str
    changes: tuple[Change, ...]
    seed: int = 0
    game: Game = EVERYTHING


@contextmanager
def planted(mutant: Mutant) -> Generator[None]:
    """Have the functions work as the mutant does, under every name they were imported by."""
    with ExitStack() as undoing:
        for change in mutant.changes:
            function: object = resolve_name(change.function)
            assert isinstance(function, FunctionType)
            undoing.callback(setattr, function, "__code__", function.__code__)
            function.__code__ = _changed(change, function)
        yield


def _changed(change: Change, function: FunctionType) -> CodeType:
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(change.old) == 1, f"{function.__qualname__} has changed: say anew how to break it"
    flags = __future__.annotations.compiler_flag
    code = compile(source.replace(change.old, change.new), function.__qualname__, "exec", flags, dont_inherit=True)
    return next(each for each in code.co_consts if isinstance(each, CodeType))


def found(mutant: Mutant, seeds: Iterable[int]) -> int | None:
    """Return the first of these seeds whose schedule goes wrong with the fault planted, None where none does."""
    with planted(mutant):
        return next((seed for seed in seeds if simulated(seed, game=mutant.game).problems), None)
