"""A policy says what each tool may do, denies what it does not name, and is taken as a whole or not at all."""

from __future__ import annotations

import io
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.access import policies
from cairn.access.layout import POLICIES
from cairn.access.policies import parse
from cairn.access.policy import NOTHING, STANDARD, Permission, Right
from cairn.access.policy_store import PolicyStore, StoredPolicy
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData, SettingsError
from cairn.ground.ids import Namespace, matches
from cairn.ground.table import Put, Query

SOURCE = """
tool_permissions:
  listMemory:
    allowed_namespaces: ["session.*", "agent.*", "public.*"]
    operations: ["read"]
  getContext:
    allowed_context_types: ["session", "agent", "task"]
    operations: ["read"]
  putMemory:
    allowed_namespaces: ["session.*", "agent.*"]
    operations: ["write"]
    max_ttl_seconds: 3600
"""
READERS = """
tool_permissions: {}
policies:
  readers:
    tool_permissions:
      getMemory: {allowed_namespaces: ["public.*"], operations: ["read"]}
  redactors:
    tool_permissions:
      putMemory: {allowed_namespaces: ["*"], operations: ["write"], on_sensitive: redact}
"""
SEGMENT = st.from_regex(r"[A-Za-z0-9_-]{1,5}", fullmatch=True)


@pytest.mark.req("R154")
@pytest.mark.parametrize(
    ("tool", "namespace", "operation", "allowed"),
    [
        ("listMemory", "session.a", "read", True),
        ("listMemory", "agent.a.b", "read", True),
        ("listMemory", "public.a", "read", True),
        ("listMemory", "private.a", "read", False),
        ("listMemory", "session.a", "write", False),
        ("putMemory", "session.a", "write", True),
        ("putMemory", "agent.a", "write", True),
        ("putMemory", "public.a", "write", False),
        ("putMemory", "session.a", "read", False),
        ("getContext", "session.a", "read", False),
    ],
)
def test_the_standard_policy_is_the_one_that_was_asked_for(
    tool: str, namespace: str, operation: Right, *, allowed: bool
) -> None:
    for book in (STANDARD, parse(SOURCE)):
        assert book.permission(None, tool).allows(Namespace(namespace), operation) is allowed
        assert book.permission(None, "getContext").context_types == {"session", "agent", "task"}
        assert book.permission(None, "putMemory").max_ttl_seconds == 3600


@pytest.mark.req("R156")
@pytest.mark.parametrize(
    "near", ["sessionhijack", "session", "session-a", "sessions.a", "a.session.b", "SESSION.a", "ession.a"]
)
def test_a_pattern_matches_whole_segments(near: str) -> None:
    """Known fault 9: session.* matched sessionhijack."""
    assert not matches("session.*", near)
    assert matches("session.*", "session.a")


@pytest.mark.req("R156")
@given(first=SEGMENT, rest=st.lists(SEGMENT, max_size=3), other=SEGMENT)
def test_a_pattern_covers_what_is_below_its_first_segment_and_nothing_else(
    first: str, rest: list[str], other: str
) -> None:
    name = ".".join([first, *rest])
    assert matches(f"{first}.*", name) is bool(rest)
    assert matches("*", name)
    assert matches(name, name)
    assert matches(f"{other}.*", name) is (other == first and bool(rest))
    assert matches(f"*.{other}", name) is (len(rest) == 1 and rest[0] == other)


@pytest.mark.req("R157")
def test_a_tool_or_a_policy_that_is_not_named_may_do_nothing() -> None:
    assert parse(SOURCE).permission(None, "getMemory") == NOTHING
    assert parse(SOURCE).permission(None, "no such tool") == NOTHING
    assert parse(SOURCE).permission("nobody", "listMemory") == NOTHING
    assert parse(READERS).permission(None, "getMemory") == NOTHING
    assert parse(READERS).permission("readers", "putMemory") == NOTHING
    assert not NOTHING.allows(Namespace("session.a"), "read")


def test_a_named_policy_holds_alone() -> None:
    readers = parse(READERS).permission("readers", "getMemory")
    assert readers == Permission(rights=frozenset({"read"}), namespaces=("public.*",))
    assert parse(READERS).permission("redactors", "putMemory").on_sensitive == "redact"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (SOURCE.replace('"session.*"', '"session*"', 1), "policy.tool_permissions.listMemory.allowed_namespaces.0"),
        (SOURCE.replace('"session.*"', '""', 1), "policy.tool_permissions.listMemory.allowed_namespaces.0"),
        (SOURCE.replace('"session.*"', '"a..b"', 1), "policy.tool_permissions.listMemory.allowed_namespaces.0"),
        (SOURCE.replace('["read"]', '["admin"]', 1), "policy.tool_permissions.listMemory.operations.0"),
        (SOURCE.replace("listMemory", "listMemories"), "policy.tool_permissions.listMemories.[key]"),
        (SOURCE.replace("3600", "0"), "policy.tool_permissions.putMemory.max_ttl_seconds"),
        (SOURCE.replace("3600", "lots"), "policy.tool_permissions.putMemory.max_ttl_seconds"),
        (SOURCE.replace("max_ttl_seconds", "max_ttl"), "policy.tool_permissions.putMemory.max_ttl"),
        (SOURCE.replace('["session", "agent", "task"]', '["all"]'), "policy.tool_permissions.getContext"),
        ("{}", "policy.tool_permissions"),
        ("", "policy.tool_permissions"),
        ("- a", "policy"),
        ("a: b: c", "policy"),
        (READERS.replace("  readers", "  'a reader'"), "policy.policies.a reader.[key]"),
        (READERS.replace("write", "rite"), "policy.policies.redactors.tool_permissions.putMemory.operations.0"),
    ],
)
def test_a_document_with_anything_wrong_is_refused_by_its_place(text: str, place: str) -> None:
    with pytest.raises(SettingsError) as refused:
        parse(text)
    assert str(refused.value).startswith(place)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "policy.yaml"


def may_list(held: policies.Policies, namespace: str = "session.a") -> bool:
    return held.permission(None, "listMemory").allows(Namespace(namespace), "read")


@pytest.mark.req("R157")
def test_a_changed_file_changes_what_is_allowed_and_a_missing_one_denies(file: Path, clock: Any) -> None:
    held = policies.of_file(file, clock)
    assert not may_list(held)
    file.write_text(SOURCE)
    assert may_list(held)
    file.write_text(SOURCE.replace('"session.*", "agent.*", "public.*"', '"public.*"'))
    assert not may_list(held)
    assert may_list(held, "public.a")


def test_a_bad_file_is_refused_as_a_whole_and_the_last_good_one_stays(file: Path, clock: Any, log: io.StringIO) -> None:
    file.write_text(SOURCE)
    held = policies.of_file(file, clock)
    assert may_list(held)
    file.write_text(SOURCE.replace('"public.*"', '"public.*", "secret.*"', 1).replace("3600", "lots"))
    assert may_list(held)
    assert not may_list(held, "secret.a")
    assert "policy refused: policy.tool_permissions.putMemory.max_ttl_seconds" in log.getvalue()
    file.unlink()
    assert may_list(held)
    file.write_text(READERS)
    assert not may_list(held)


def test_a_file_that_is_bad_from_the_beginning_denies(file: Path, clock: Any) -> None:
    file.write_bytes(os.urandom(40) + b"\xff")
    assert not may_list(policies.of_file(file, clock))
    file.write_text("tool_permissions: 7")
    assert not may_list(policies.of_file(file, clock))


@pytest.mark.req("R168")
def test_the_table_s_document_counts_within_five_minutes(adapters: Adapters, clock: Any) -> None:
    store = PolicyStore(adapters)
    held = policies.of_table(store.stored, clock)
    assert may_list(held)
    store.write(READERS)
    clock.advance(minutes=4, seconds=59)
    assert may_list(held)
    clock.advance(seconds=1)
    assert not may_list(held)
    assert held.permission("readers", "getMemory").allows(Namespace("public.a"), "read")


@pytest.mark.req("R168")
def test_policies_are_read_once_in_five_minutes(clock: Any) -> None:
    reads: list[int] = []

    def read() -> StoredPolicy:
        reads.append(1)
        return StoredPolicy(SOURCE, 1)

    held = policies.of_table(read, clock)
    for _ in range(10):
        clock.advance(seconds=60)
        assert may_list(held)
    assert len(reads) == 2


def test_a_document_that_was_changed_in_the_table_is_not_believed(adapters: Adapters) -> None:
    store = PolicyStore(adapters)
    assert store.read() is None
    store.write(SOURCE)
    assert store.read() == SOURCE
    (item,) = adapters.table.query(Query(f"{POLICIES}#p", "", "\U0010ffff")).items
    data = bytes(item["data"])  # pyright: ignore[reportArgumentType] - bytes, as the vault writes them
    adapters.table.put(Put({**item, "data": data[:-1] + bytes([data[-1] ^ 1])}))
    with pytest.raises(CorruptData):
        store.read()


def test_what_holds_says_what_it_is_written_in_and_the_version_of_the_table_s(
    adapters: Adapters, clock: Any, tmp_path: Path
) -> None:
    def told(held: policies.Policies) -> tuple[object, ...]:
        found = held.in_force()
        names = (found.origin_of(name) for name in ("readers", "users", "unheard-of"))
        return (found.origin_of(None), found.version, *names)

    store, file = PolicyStore(adapters), tmp_path / "policy.yaml"
    held, of_file = policies.of_table(store.stored, clock), policies.of_file(file, clock)
    assert told(held) == ("standard", None, "none", "standard", "none")
    assert told(of_file) == ("none", None, "none", "none", "none")
    for version in (1, 2):  # of the same text
        store.write(READERS)
        clock.advance(minutes=5)
        assert told(held) == ("stored", version, "stored", "standard", "none")
    file.write_text(f"{READERS}  users: {{tool_permissions: {{}}}}\n")
    assert told(of_file) == ("file", None, "file", "file", "none")
    store.write("tool_permissions: 7")
    clock.advance(minutes=5)
    assert told(held)[:2] == ("stored", 2), "a bad document is not the one that holds"


@pytest.mark.parametrize(
    "changed",
    [
        {"rights": frozenset({"read", "write"})},
        {"namespaces": ("a.*", "c")},
        {"namespaces": ("*",)},
        {"namespaces": ("a",)},
        {"namespaces": ("*.b",)},
        {"context_types": frozenset({"task"})},
        {"max_ttl_seconds": None},
        {"max_ttl_seconds": 61},
        {"on_sensitive": "redact"},
    ],
)
def test_a_permission_is_within_another_only_if_it_allows_nothing_more(changed: dict[str, Any]) -> None:
    own = Permission(rights=frozenset({"read"}), namespaces=("a.*", "b"), max_ttl_seconds=60)

    assert own.is_within(own)
    assert replace(own, namespaces=("a.b", "a.*.c")).is_within(own)
    assert replace(own, max_ttl_seconds=1).is_within(own)
    assert not replace(own, **changed).is_within(own)
    assert NOTHING.is_within(own)
    assert not own.is_within(NOTHING)


@given(
    own=st.lists(st.sampled_from(["a", "b", "*"]), min_size=1, max_size=3),
    other=st.lists(st.sampled_from(["a", "b", "*"]), min_size=1, max_size=3),
    name=st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=4),
)
def test_no_namespace_is_of_a_permission_within_another_and_not_of_that(
    own: list[str], other: list[str], name: list[str]
) -> None:
    inner, outer = (Permission(rights=frozenset({"read"}), namespaces=(".".join(each),)) for each in (own, other))
    namespace = Namespace(".".join(name))

    if inner.is_within(outer) and inner.allows(namespace, "read"):
        assert outer.allows(namespace, "read")
