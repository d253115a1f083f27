"""A tenant sees the same of the service, call by call, whether others use it or nobody does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from cairn.local.invoke.mocked import mocked_aws
from cairn_tools.catalog import CATALOG
from isolation.homes import Home, InAws, OneMachine
from isolation.mutants import MUTANTS, found
from isolation.trial import Among, isolated
from simulation.planting import Mutant

TRIALS, CALLS, PARTIES = 14, 150, 3
FIRST = 19
"""The first of so many seeds whose trials have every tool answer."""
NEARBY = 30
"""How many seeds after the one that found a planted leak may find it, where scripts are drawn otherwise by now."""
NewHome = Callable[[], Home]


@pytest.fixture
def simulated_aws() -> Iterator[NewHome]:
    """Yield a function that makes an empty table and bucket."""
    names = (f"memory-{number}" for number in count())
    with mocked_aws():
        yield lambda: InAws(next(names))


@pytest.fixture(params=["one machine", "aws"])
def new_home(request: pytest.FixtureRequest, tmp_path: Path) -> NewHome:
    """Return a function that makes an empty store."""
    if request.param == "aws":
        return request.getfixturevalue("simulated_aws")
    directories = (tmp_path / str(number) for number in count())
    return lambda: OneMachine(next(directories))


@pytest.mark.req("R010")
@pytest.mark.req("R143")
@pytest.mark.req("R261")
@pytest.mark.slow
def test_nothing_that_a_tenant_sees_depends_on_another_whatever_tools_they_call() -> None:
    verdicts = [isolated(seed, CALLS) for seed in range(FIRST, FIRST + TRIALS)]
    assert not [problem for verdict in verdicts for problem in verdict.problems]
    answered = {tool for verdict in verdicts for tool, code in verdict.outcomes if code == "OK"}
    assert {tool.name for tool in CATALOG} == answered, "a tool whose calls all fail shows nothing"
    assert all(verdict.outcomes["forget", "OK"] >= PARTIES for verdict in verdicts), "each tenant forgets something"
    assert sum(verdict.stolen for verdict in verdicts) > TRIALS * CALLS / 20


@pytest.mark.req("R011")
@pytest.mark.slow
def test_no_answer_about_a_project_depends_on_another_project_of_the_tenant() -> None:
    verdicts = [isolated(seed, CALLS, among="projects") for seed in range(3)]
    assert not [problem for verdict in verdicts for problem in verdict.problems]
    assert len({tool for verdict in verdicts for tool, code in verdict.outcomes if code == "OK"}) > 8


@pytest.mark.req("R011")
@pytest.mark.req("R287")
@pytest.mark.slow
def test_no_answer_to_a_user_depends_on_another_though_memory_knows_each_across_their_projects() -> None:
    verdicts = [isolated(seed, CALLS, among="users") for seed in (2, 5, 7)]
    assert not [problem for verdict in verdicts for problem in verdict.problems]
    assert all(len(verdict.across) > 1 for verdict in verdicts), "several are known across projects"
    assert all(verdict.outcomes["forget", "OK"] for verdict in verdicts)
    assert any(verdict.outcomes["memory_list_known", "OK"] for verdict in verdicts)
    assert any(code == "PERMISSION_DENIED" for verdict in verdicts for _, code in verdict.outcomes)


@pytest.mark.req("R010")
@pytest.mark.req("R143")
@pytest.mark.slow
def test_the_same_holds_on_every_store(new_home: NewHome) -> None:
    verdict = isolated(TRIALS, 40, new_home)
    assert not verdict.problems
    assert verdict.calls >= 40
    assert verdict.outcomes["forget", "OK"] >= PARTIES


@pytest.mark.slow
@pytest.mark.parametrize(("among", "mutant"), MUTANTS, ids=[mutant.name for _, mutant in MUTANTS])
def test_a_leak_that_is_planted_is_found(among: Among, mutant: Mutant) -> None:
    assert found(among, mutant, NEARBY) is not None
