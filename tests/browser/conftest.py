"""A real browser that BROWSER=1 asks for; without that this folder has no tests."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from selenium.webdriver import Chrome

from support.chromium import browsed
from support.console_story import Console, serving
from support.surfing import Surfer

collect_ignore_glob = [] if os.environ.get("BROWSER") else ["test_*.py"]


@pytest.fixture(scope="session")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """A console over a person's story, for whoever changes nothing in it."""
    with serving(tmp_path_factory.mktemp("person")) as console:
        yield console


@pytest.fixture(scope="session")
def scripted(tmp_path_factory: pytest.TempPathFactory, console: Console) -> Iterator[Surfer]:
    """Somebody who is signed in there, in a browser that runs JavaScript."""
    with browsed(tmp_path_factory.mktemp("scripted")) as driver:
        surfer = Surfer(driver, console)
        surfer.sign_in()
        yield surfer


@pytest.fixture(scope="session")
def scriptless(tmp_path_factory: pytest.TempPathFactory, console: Console) -> Iterator[Surfer]:
    """Somebody who is signed in there, in a browser that runs none."""
    with browsed(tmp_path_factory.mktemp("scriptless"), scripts=False) as driver:
        surfer = Surfer(driver, console)
        surfer.sign_in()
        yield surfer


@pytest.fixture(scope="module")
def own_console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """A console for a module that changes what is in it."""
    with serving(tmp_path_factory.mktemp("own")) as console:
        yield console


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """A browser for a module that changes what it keeps."""
    with browsed(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture(params=["scripted", "scriptless"])
def surfer(request: pytest.FixtureRequest) -> Surfer:
    """Each of them."""
    return request.getfixturevalue(request.param)
