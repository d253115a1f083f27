"""API keys: what a key opens, and what opens nothing."""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.access.api_keys import ALL_PROJECTS, Grant, covers, parse, project_pattern, scope
from cairn.access.key_store import Credentials
from cairn.embedded.keyring import LocalKeyRing
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, InvalidArgument, NotFound
from cairn.ground.ids import Project, Tenant, tenant
from cairn.vault import cipher

ACME = Tenant("acme")
DAY = timedelta(days=1)


def secret_of(key: str) -> str:
    return key.split("_", 2)[2]


def test_a_key_opens_its_tenant_with_what_it_was_granted(credentials: Credentials) -> None:
    grant = Grant((project_pattern("team.*"),), (scope("read"),), "support")

    issued = credentials.create(ACME, grant)

    opened = issued.credential
    assert credentials.check(issued.text) == opened
    assert (opened.tenant, opened.grant, opened.ends_at) == (ACME, grant, None)


@pytest.mark.req("R009")
def test_a_key_of_no_tenant_has_memory_of_its_own_under_its_hash(credentials: Credentials) -> None:
    issued = credentials.create(None, Grant())

    assert issued.credential.tenant == sha256(issued.text.encode()).hexdigest()
    assert tenant(issued.credential.tenant) == issued.credential.tenant


def test_keys_and_their_ids_are_never_the_same_twice(credentials: Credentials) -> None:
    texts = [credentials.create(ACME, Grant()).text for _ in range(20)]

    assert len({text.split("_")[1] for text in texts}) == len({secret_of(text) for text in texts}) == 20


@pytest.mark.req("R009")
@pytest.mark.req("R100")
def test_no_secret_is_in_the_store_in_a_repr_or_in_an_error(credentials: Credentials, store: Any) -> None:
    issued = credentials.create(ACME, Grant())
    rotated = credentials.rotate(issued.credential.id, DAY)
    shown = [repr(issued), repr(rotated), repr(parse(issued.text)), repr(credentials.list())]
    for key in (issued, rotated):
        with pytest.raises(NotFound) as refused:
            credentials.revoke(key.text)
        shown.append(f"{refused.value} {refused.value.details}")
    for secret in (secret_of(issued.text), secret_of(rotated.text)):
        assert secret.encode() not in store.contents()
        assert all(secret not in text for text in shown)


def test_a_key_is_worth_nothing_under_another_master_key(credentials: Credentials, adapters: Adapters) -> None:
    key = credentials.create(ACME, Grant()).text

    assert Credentials(replace(adapters, keys=LocalKeyRing(bytes(32)))).check(key) is None


def test_a_key_with_one_character_changed_is_unknown(credentials: Credentials) -> None:
    key = credentials.create(ACME, Grant()).text

    for position in range(len(key)):
        changed = key[:position] + ("a" if key[position] != "a" else "b") + key[position + 1 :]
        assert credentials.check(changed) is None
    assert credentials.check(key) is not None


@pytest.mark.slow
@given(text=st.text() | st.from_regex(r"cairn_[0-9a-f]{16}_[A-Za-z0-9_-]{43}", fullmatch=True))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_presented_is_refused_without_an_error(text: str, credentials: Credentials) -> None:
    assert credentials.check(text) is None


def test_an_unknown_id_costs_the_same_work_as_a_wrong_secret(
    adapters: Adapters, watched: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    credentials = Credentials(replace(adapters, table=watched))
    key = credentials.create(ACME, Grant()).text
    wrong, unknown = key[:-43] + "A" * 43, f"cairn_{'0' * 16}_{secret_of(key)}"
    assert credentials.check(key) is not None
    sizes: list[int] = []
    real = cipher.mac

    def counted(secret: bytes, purpose: str, message: bytes) -> str:
        sizes.append(len(message))
        return real(secret, purpose, message)

    def work(presented: str) -> tuple[int, int, int]:
        before = watched.reads, watched.writes, len(sizes)
        assert credentials.check(presented) is None
        return watched.reads - before[0], watched.writes - before[1], len(sizes) - before[2]

    monkeypatch.setattr(cipher, "mac", counted)
    assert work(wrong) == work(unknown) == (1, 0, 1)
    assert abs(sizes[0] - sizes[1]) < 128, "the stand-in is about as long as a record"


def test_a_check_writes_nothing_even_before_the_first_key(adapters: Adapters, watched: Any) -> None:
    assert Credentials(replace(adapters, table=watched)).check(f"cairn_{'0' * 16}_{'A' * 43}") is None
    assert watched.writes == 0


def test_keys_are_listed_oldest_first_ended_ones_too(credentials: Credentials, clock: Any) -> None:
    made: list[str] = []
    for _ in range(5):
        made.append(credentials.create(ACME, Grant(), DAY).credential.id)
        clock.advance(hours=6)
    credentials.revoke(made[2])

    listed = credentials.list()
    assert [each.id for each in listed] == made
    assert [each.is_open(clock.now()) for each in listed] == [False, False, False, True, True]


@pytest.mark.parametrize(
    ("pattern", "covered", "other"),
    [
        ("*", ["a", "a.b", "a.b.c"], []),
        ("garden", ["garden"], ["garden2", "gardens.x", "garde", "Garden", "garden.x"]),
        ("team.*", ["team.a", "team.a.b"], ["team", "teams.a", "steam.a", "a.team"]),
        ("team.*.dev", ["team.a.dev"], ["team.dev", "team.a.b.dev", "team.a.develop", "team.a.dev.x"]),
        ("*.dev", ["a.dev"], ["dev", "a.b.dev", "a.dev2"]),
        ("a.*.*", ["a.b.c", "a.b.c.d"], ["a.b", "a"]),
    ],
)
def test_a_star_stands_for_whole_segments_only(pattern: str, covered: list[str], other: list[str]) -> None:
    allowed = project_pattern(pattern)

    assert [name for name in covered + other if covers(allowed, Project(name))] == covered


@pytest.mark.parametrize("value", ["", "a b", "a*", "*a", "a.b*", "**", "a/", "a//b", "a,b", "a" * 129, "ä", "a\n"])
def test_what_is_no_pattern_is_refused(value: str) -> None:
    with pytest.raises(InvalidArgument):
        project_pattern(value)


segments = st.text(string.ascii_letters + string.digits + "_-", min_size=1, max_size=5)


@given(parts=st.lists(segments, min_size=1, max_size=5))
def test_a_name_is_a_pattern_of_itself_and_of_nothing_longer(parts: list[str]) -> None:
    name = ".".join(parts)

    assert covers(project_pattern(name), Project(name))
    assert covers(ALL_PROJECTS, Project(name))
    assert not covers(project_pattern(name), Project(f"{name}x"))
    assert not covers(project_pattern(name), Project(f"{name}.x"))


@pytest.mark.parametrize(
    "grant", [lambda: Grant(()), lambda: Grant(scopes=()), lambda: Grant(policy=""), lambda: Grant(policy="a b")]
)
def test_a_grant_of_nothing_or_under_no_name_is_refused(grant: Callable[[], Grant]) -> None:
    with pytest.raises(CairnError, match="Invalid input"):
        grant()
    with pytest.raises(InvalidArgument, match="read, write, admin"):
        scope("root")
