"""Bundles go through pipes, and a store of any size through the same memory."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from click.testing import Result

from cairn import wiring
from cairn.custody.scope import DataScope
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, SessionId, Tenant
from cairn.ground.session import Session
from cairn.local.commands import bundle_files
from cairn.local.store import open_store, operator_services
from cairn.turns.after_turn import commit
from support.turns import turn

Run = Callable[..., Result]
LOCAL = Tenant("local")
WHERE = Session(LOCAL, Project("garden"), SessionId("s"))
CAIRN = (sys.executable, "-m", "cairn.local")


def say(data: Path, *numbers: int) -> None:
    with open_store(data, {}):
        for number in numbers:
            commit(wiring.services(), WHERE, turn(f"t{number}", f"I like tea {number}."))


def turns(data: Path) -> int:
    return len(list(operator_services(data, {}).sessions.history(WHERE)))


@pytest.mark.slow
@pytest.mark.req("R301")
def test_a_bundle_and_what_came_since_go_from_one_store_to_another_through_a_pipe(
    run: Run, data: Path, tmp_path: Path
) -> None:
    other, base = tmp_path / "other", str(tmp_path / "base.zip")
    say(data, 1, 2)
    assert run("export", base).exit_code == 0
    assert piped(data, other, "export", "-") == 0
    assert turns(other) == 2
    say(data, 3)

    assert piped(data, other, "export", "-", "--since", base) == 0

    assert turns(other) == 3


def piped(data: Path, other: Path, *arguments: str) -> int:
    """Run `cairn export - | cairn import -` between two directories, and return how the import ended."""
    export, import_ = [*CAIRN, *arguments, "--data", str(data)], [*CAIRN, "import", "-", "--data", str(other)]
    with subprocess.Popen(export, stdout=subprocess.PIPE) as writer:  # noqa: S603 - our own command
        reader = subprocess.run(import_, stdin=writer.stdout, check=False)  # noqa: S603 - our own command
    assert writer.returncode == 0
    return reader.returncode


@pytest.mark.req("R301")
@pytest.mark.parametrize("part", [0, 1, 0.3, 0.7, 0.99])
def test_a_stream_that_is_cut_anywhere_is_no_bundle_and_nothing_of_it_is_stored(
    run: Run, data: Path, tmp_path: Path, part: float
) -> None:
    say(data, 1, 2)
    whole = run("export", "-").stdout_bytes
    other = tmp_path / "other"

    refused = run("import", "-", at=other, input=whole[: int(part * len(whole)) if part < 1 else len(whole) - 1])

    assert (refused.exit_code, "is no bundle" in refused.output) == (2, True), refused.output
    assert list(operator_services(other, {}).inventory.items(LOCAL)) == []
    assert run("import", "-", at=other, input=whole).exit_code == 0
    assert turns(other) == 2


@pytest.mark.slow
@pytest.mark.req("R301")
def test_exports_and_imports_take_no_more_memory_for_more_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cairn.embedded.table.MAX_PAGE_BYTES", 10_000)
    monkeypatch.setattr("cairn.embedded.table._OWNED_BATCH", 10)

    peaks(tmp_path / "first", 2)  # which imports modules

    # Fewer would not fill the batches that are read and written at once.
    few, many = peaks(tmp_path / "few", 40), peaks(tmp_path / "many", 120)

    # The 240 records more are 330 kB; the numbers of a session's turns are kept while it is read.
    assert all(more < less + 120_000 for less, more in zip(few, many, strict=True)), (few, many)


def peaks(directory: Path, number: int) -> list[int]:
    """Return how much memory an export and an import take, and both once more of what came since."""
    directory.mkdir()
    here, there, scope = directory / "here", directory / "there", DataScope(LOCAL)
    whole, since = directory / "whole.zip", directory / "since.zip"
    say(here, *range(number))
    source, target = operator_services(here, {}), operator_services(there, {})
    take_in = partial(bundle_files.take_in, owner=None, project=None, user=None, services=target)
    steps: list[Callable[[], object]] = [
        partial(bundle_files.write, whole, scope, source),
        partial(take_in, whole),
        partial(say, here, number),
        lambda: bundle_files.write(since, scope, source, bundle_files.state_of(whole, scope)),
        partial(take_in, since),
    ]
    found = [peak(step) for step in steps]
    assert turns(there) == number + 1
    return [*found[:2], *found[3:]]


def peak(step: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        step()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_only_a_bundle_of_the_same_scope_can_be_followed(run: Run, data: Path, tmp_path: Path) -> None:
    say(data, 1)
    assert run("export", str(tmp_path / "b.zip"), "--project", "garden").exit_code == 0

    refused = run("export", str(tmp_path / "c.zip"), "--since", str(tmp_path / "b.zip"))

    assert (refused.exit_code, "another tenant, project or user" in refused.output) == (2, True), refused.output
    assert run("export", str(tmp_path / "c.zip"), "--start").exit_code == 2
    with pytest.raises(InvalidArgument, match="no bundle"):
        bundle_files.state_of(data / "table.sqlite3", DataScope(LOCAL))
