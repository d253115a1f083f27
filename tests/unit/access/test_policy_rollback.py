"""An older policy that is put back into the table opens nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from cairn.access import policies
from cairn.access.layout import POLICIES, POLICY, policies_pk, policy_versions_pk
from cairn.access.policies import Policies
from cairn.access.policy_store import PolicyRolledBack, PolicyStore, StoredPolicy
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters, NoTally
from cairn.ground.errors import Conflict, CorruptData
from cairn.ground.ids import Namespace
from cairn.ground.table import Attributes, Delete, Key, Put, Query
from cairn.vault.vault import Vault

WIDE = "tool_permissions: {listMemory: {allowed_namespaces: [session.*], operations: [read]}}"
NARROW = "tool_permissions: {}"
WHERE = Key(policies_pk(), POLICY)


class Tally(NoTally):
    def __init__(self) -> None:
        self.times = 0

    def access_anomaly(self) -> None:
        self.times += 1


def may_list(held: Policies) -> bool:
    return held.permission(None, "listMemory").allows(Namespace("session.a"), "read")


def marks(adapters: Adapters) -> tuple[Attributes, ...]:
    return adapters.table.query(Query(policy_versions_pk(), "", "\U0010ffff")).items


@pytest.fixture
def older(adapters: Adapters) -> Attributes:
    """Set a wide policy and then a narrow one; return the item of the wide one."""
    assert PolicyStore(adapters).write(WIDE) == 1
    item = adapters.table.get(WHERE)
    assert PolicyStore(adapters).write(NARROW) == 2
    return item or {}


@pytest.mark.req("R168")
def test_an_older_sealed_policy_that_is_put_back_denies_everything_in_a_new_process_until_one_is_set(
    adapters: Adapters, older: Attributes, clock: Any, caplog: pytest.LogCaptureFixture
) -> None:
    tally = Tally()
    adapters.table.put(Put(older))
    held = policies.of_table(PolicyStore(adapters).stored, clock, tally)

    with caplog.at_level(logging.ERROR, "cairn"):
        assert not may_list(held)
        assert not held.permission(None, "getContext").rights
    assert tally.times == 2
    assert "the stored policy is version 1, and version 2 was in force. `cairn policy set`" in caplog.text

    assert PolicyStore(adapters).write(WIDE) == 3
    assert may_list(held)


@pytest.mark.req("R168")
@pytest.mark.parametrize("also", [False, True], ids=["alone", "with the newest mark removed"])
def test_a_process_that_has_seen_the_newer_policy_believes_no_older_one(
    adapters: Adapters, older: Attributes, clock: Any, *, also: bool
) -> None:
    held = policies.of_table(PolicyStore(adapters).stored, clock)
    assert not may_list(held)
    adapters.table.put(Put(older))
    if also:
        adapters.table.delete(Delete(Key.of(marks(adapters)[-1])))
    clock.advance(minutes=6)

    assert not may_list(held)


@pytest.mark.usefixtures("older")
@pytest.mark.parametrize(
    "removed",
    [WHERE, Key(policy_versions_pk(), "version#000000002")],
    ids=["the policy is removed", "the newest mark is removed"],
)
def test_a_policy_or_a_mark_that_was_removed_is_noticed(adapters: Adapters, removed: Key) -> None:
    adapters.table.delete(Delete(removed))

    with pytest.raises(PolicyRolledBack):
        PolicyStore(adapters).read()


@pytest.mark.usefixtures("older")
def test_a_mark_under_another_number_is_not_believed(adapters: Adapters) -> None:
    first, _ = marks(adapters)
    adapters.table.put(Put({**first, "sk": "version#000000009"}))

    with pytest.raises(CorruptData):
        PolicyStore(adapters).read()


def test_what_an_older_release_stored_is_version_0_and_not_believed_once_a_policy_was_set(adapters: Adapters) -> None:
    vault = Vault(adapters)
    before = {"pk": WHERE.pk, "sk": WHERE.sk, **vault.seal(POLICIES, WHERE, WIDE)}
    adapters.table.put(Put(before))
    assert PolicyStore(adapters).stored() == StoredPolicy(WIDE, 0)
    assert PolicyStore(adapters).write(NARROW) == 1

    adapters.table.put(Put(before))

    with pytest.raises(PolicyRolledBack):
        PolicyStore(adapters).read()


def test_of_two_who_set_a_policy_at_once_one_is_told_so(adapters: Adapters, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = PolicyStore(adapters), PolicyStore(adapters)
    other.write(NARROW)
    monkeypatch.setattr(one, "highest", lambda: 0)

    with pytest.raises(Conflict):
        one.write(WIDE)


def test_a_policy_that_is_set_between_the_two_reads_of_a_new_process_is_no_rollback(
    adapters: Adapters, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = PolicyStore(adapters), PolicyStore(adapters)
    writer.write(WIDE)
    seen = [(StoredPolicy(WIDE, 1), 1), (StoredPolicy(WIDE, 1), 2)]
    monkeypatch.setattr(reader, "_look", seen.pop)

    assert reader.stored() == StoredPolicy(WIDE, 1)


@pytest.mark.req("R168")
def test_the_command_says_which_version_is_set_and_that_an_older_one_was_put_back(
    run: Callable[..., Result], data: Path, tmp_path: Path
) -> None:
    file = tmp_path / "policy.yaml"
    assert run("policy", "version").output == "0\n"
    file.write_text(WIDE)
    assert "version 1" in run("policy", "set", str(file)).output
    table = SqliteTable(data / "table.sqlite3")
    older = table.get(WHERE)
    file.write_text(NARROW)
    assert "version 2" in run("policy", "set", str(file)).output
    assert run("policy", "version").output == "2\n"

    table.put(Put(older or {}))
    table.close()

    refused = run("policy", "show")
    assert refused.exit_code == 1
    assert "version 1, and version 2 was in force" in refused.output


@pytest.mark.usefixtures("older")
def test_a_policy_that_is_set_mends_one_that_was_tampered_with(adapters: Adapters) -> None:
    item, (*_, mark) = adapters.table.get(WHERE) or {}, marks(adapters)
    for each in (item, mark):
        adapters.table.put(Put({**each, "data": b"\0" * 40}))
    with pytest.raises(CorruptData):
        PolicyStore(adapters).read()

    assert PolicyStore(adapters).write(NARROW) == 3
    assert PolicyStore(adapters).read() == NARROW
