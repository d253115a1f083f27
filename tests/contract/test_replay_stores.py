"""Answers from memory are given again on every store that Cairn has."""

from __future__ import annotations

from typing import Any

import pytest

from asked import Scene, Story
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project
from cairn.ground.ports import Blobs, KeyRing, Table
from cairn.process.system import in_turn
from support.doubles import RecordingJobs
from support.services import services_over
from support.stores import each_store


@each_store
@pytest.mark.req("R307")
def test_answers_are_given_again_after_later_turns_and_segments(
    *, table: Table, blobs: Blobs, keyring: KeyRing, clock: Any, entropy: Any
) -> None:
    adapters = Adapters(table, blobs, keyring, clock, entropy, in_turn, RecordingJobs())
    scene = Scene(adapters, lambda: services_over(adapters))
    story = Story(scene, seed=3)
    for number in range(24):
        story.write()
        if number % 4 == 0:
            story.question()
    for owner in ("u:ada", "u:bob", "p:"):
        scene.services.indexer.rebuild(scene.tenant, Project("garden"), owner)
    scene.restart()

    assert len(scene.given) == 6
    assert scene.differing() == {}
