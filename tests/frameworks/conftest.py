"""Frameworks' real packages over Cairn, as `make frameworks` runs them; elsewhere this folder has no tests.

Every test that takes `place` runs twice: with a directory in this process, and with a `cairn serve` on loopback.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from cairn.access.api_keys import Grant
from cairn.ground.ids import Tenant
from cairn.local.store import LOCAL_TENANT, operator_services
from support.frameworks import Place
from support.installed import ROOT, environment, served

_SOURCES = os.pathsep.join(str(ROOT / each) for each in ("layers/core", "functions"))
collect_ignore_glob = [] if os.environ.get("FRAMEWORKS") else ["test_*.py"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a person's home of its own for each test; texts are found by their words."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CAIRN_EMBEDDING_EMBEDDER", "none")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    return tmp_path


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data directory of the server."""
    return tmp_path_factory.mktemp("server") / "data"


@pytest.fixture(scope="session")
def server(data: Path) -> Iterator[tuple[str, str]]:
    """Yield the address of a `cairn serve` that runs until the end, and a key to every project of one tenant."""
    told = environment(data.parent, PYTHONPATH=_SOURCES, CAIRN_EMBEDDING_EMBEDDER="none")
    key = operator_services(data, {}).credentials.create(LOCAL_TENANT, Grant()).text
    with served(data.parent, told, "--data", str(data)) as started:
        yield started.origin, key


@pytest.fixture(scope="session")
def new_key(data: Path) -> Callable[[], str]:
    """Return a function that makes a key to the server, of a tenant of its own."""
    credentials = operator_services(data, {}).credentials
    return lambda: credentials.create(Tenant(f"tenant-{uuid4().hex}"), Grant()).text


@pytest.fixture(params=["directory", pytest.param("url", marks=pytest.mark.enable_socket)])
def new_place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], Place]]:
    """Return a function that makes an empty memory with a project, in a directory of this process or of a server.

    A project alone is not apart from others: what a user told of themselves is known in all of a tenant's.
    """
    made: list[Place] = []
    is_of_server = request.param == "url"
    origin, _ = request.getfixturevalue("server") if is_of_server else ("", "")
    new_key = request.getfixturevalue("new_key") if is_of_server else None

    def make() -> Place:
        store, key = (origin, new_key()) if new_key else (str(tmp_path_factory.mktemp("directory")), None)
        made.append(Place(store, key, f"project-{uuid4().hex[:12]}"))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def place(new_place: Callable[[], Place]) -> Place:
    """Return an empty memory with a project, in a directory of this process or of a server."""
    return new_place()
