"""`cairn policy` and `cairn recount`: what may be done with key-value memory, and what is in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cairn import wiring
from cairn.embedded.table import SqliteTable
from cairn.ground.ids import Namespace, Tenant
from cairn.ground.table import Key, Update
from cairn.keyvalue import layout
from cairn.keyvalue.model import KeyName, Place
from cairn.local.cli import main
from cairn.local.store import open_store

LOCAL = Tenant("local")
SPACE = Namespace("session.a")
DENYING = "tool_permissions: {}\n"


@pytest.fixture
def cairn(data: Path) -> Callable[..., Result]:
    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, [*arguments, "--data", str(data)])

    return run


def may_list(data: Path, **environment: str) -> bool:
    """Tell whether a new process lets its callers list a session's keys."""
    with open_store(data, environment):
        return wiring.services().policies.permission(None, "listMemory").allows(SPACE, "read")


@pytest.mark.req("R157")
def test_a_policy_that_is_set_is_the_next_process_s(cairn: Callable[..., Result], data: Path, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    assert cairn("policy", "show").output == "No policy is set; the standard one holds.\n"
    assert may_list(data)
    file.write_text(DENYING)

    assert cairn("policy", "set", str(file)).exit_code == 0

    assert cairn("policy", "show").output == DENYING + "\n"
    assert not may_list(data)


def test_a_bad_policy_is_not_set(cairn: Callable[..., Result], tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(DENYING)
    cairn("policy", "set", str(file))
    file.write_text("tool_permissions: {listMemory: {operations: [admin]}}")

    refused = cairn("policy", "set", str(file))

    assert refused.exit_code == 2
    assert "policy.tool_permissions.listMemory.operations.0" in refused.output
    assert cairn("policy", "show").output == DENYING + "\n"


@pytest.mark.req("R157")
def test_a_file_that_the_environment_names_goes_before_the_store(
    cairn: Callable[..., Result], data: Path, tmp_path: Path
) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text("tool_permissions: {listMemory: {allowed_namespaces: [session.*], operations: [read]}}")
    other = tmp_path / "other.yaml"
    other.write_text(DENYING)
    cairn("policy", "set", str(other))

    assert may_list(data, CAIRN_POLICY_FILE=str(file))
    assert not may_list(data, CAIRN_POLICY_FILE=str(tmp_path / "missing.yaml"))


def test_a_recount_tells_what_is_stored_and_whether_the_counters_agree(
    cairn: Callable[..., Result], data: Path
) -> None:
    with open_store(data, {}):
        memory = wiring.services().keyvalue
        memory.put(Place(LOCAL, SPACE, KeyName("ab")), "cd")
        memory.put(Place(LOCAL, Namespace("session.b"), KeyName("gone")), 1, ttl_seconds=1)
        memory.put(Place(LOCAL, Namespace("session.b"), KeyName("gone")), 1, ttl_seconds=0)

    counted = cairn("recount")

    assert counted.exit_code == 0
    assert [line.split() for line in counted.output.splitlines()] == [
        ["NAMESPACE", "KEYS", "BYTES"],
        ["session.a", "1", "6"],
        ["session.b", "0", "0"],
        ["(all)", "1", "6"],
    ]
    table = SqliteTable(data / "table.sqlite3")
    table.update(Update(Key(layout.namespace_pk(LOCAL, SPACE), layout.USAGE), add={"items": 1}))
    table.close()
    differing = cairn("recount", "--tenant", "local")
    assert differing.exit_code == 1
    assert "counted 1 keys, 6 bytes" in differing.output
    assert cairn("recount", "--tenant", "a b").exit_code == 2
