"""A directory that is open beside the process's own services has its own: its jobs, its audit log, its end."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest

from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.ground.errors import SettingsError
from cairn.local.store import LOCAL_TENANT, opened
from cairn.recall.corpus import Vector
from cairn.services import Services
from cairn.tool.call import Call
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from cairn_tools.recall import recall
from support.recall import ToyEmbedder

SECONDS = 20
ASKED = {"project": "garden", "session_id": "monday", "user_id": "ada", "query": "beans"}
OF_EACH_LOG = {"My name is Ada. I prefer raised beds.", "name: Ada"}
"""What the example says, and of what it teaches one that holds in every project."""


class NotedEmbedder(ToyEmbedder):
    """Tells when it was asked for vectors of each log that the turn is in: the last job has begun by then."""

    def __init__(self) -> None:
        super().__init__()
        self.was_asked = Event()

    def embed(self, text: str) -> Vector:
        vector = super().embed(text)
        if set(self.asked) >= OF_EACH_LOG:
            self.was_asked.set()
        return vector


def call(services: Services) -> Call:
    return Call(Caller(LOCAL_TENANT, frozenset({"read", "write"}), "request-1", (ALL_PROJECTS,)), services)


def test_a_job_of_a_directory_runs_on_the_directory_s_own_services(data: Path) -> None:
    told, later = NotedEmbedder(), NotedEmbedder()
    with opened(data, {}, "store") as services:
        services.embedder = told  # pyright: ignore[reportAttributeAccessIssue] - a capability that is set is not made
        memory_after_turn.execute(EXAMPLE, call(services))
        assert told.was_asked.wait(SECONDS)

    with opened(data, {}, "store") as services:
        services.embedder = later  # pyright: ignore[reportAttributeAccessIssue]
        found = recall.execute(ASKED, call(services))

    assert found["count"] > 0
    assert later.asked == ["beans"], "the texts' vectors are stored; only the question is new"


@pytest.mark.req("R309")
def test_a_directory_s_audit_log_is_whole_after_its_end(data: Path) -> None:
    with opened(data, {}, "store") as services:
        memory_after_turn.execute(EXAMPLE, call(services))

    with opened(data, {}, "store") as services:
        verified = services.audit.verify(LOCAL_TENANT)
    assert (verified.findings, verified.records + verified.unsealed) == ([], 1)


def test_what_cannot_be_opened_is_called_as_whoever_chose_it_did(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(SettingsError, match=r"^store: cannot use"), opened(tmp_path / "file", {}, "store"):
        pass
