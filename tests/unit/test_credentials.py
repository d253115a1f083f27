"""API keys: what is kept of them, what they open, and when that ends."""

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

from cairn.domain import cipher, layout
from cairn.domain.credentials import ALL_PROJECTS, Grant, covers, parse, project_pattern, scope
from cairn.domain.errors import CairnError, Conflict, CorruptData, InvalidArgument, NotFound
from cairn.domain.ids import Project, Tenant, tenant
from cairn.domain.table import Key, Put, Scalar, Update
from cairn.embedded.keyring import LocalKeyRing
from cairn.service.credentials import Credentials
from cairn.service.world import World

ACME = Tenant("acme")
DAY = timedelta(days=1)


@pytest.fixture
def credentials(world: World) -> Credentials:
    return Credentials(world)


@pytest.fixture
def stored(world: World) -> Callable[[str], dict[str, Scalar]]:
    """Return a function that reads a key's item."""

    def read(key: str) -> dict[str, Scalar]:
        item = world.table.get(Key(layout.credentials_pk(), layout.credential_sk(key.split("_")[1])))
        assert item is not None
        return dict(item)

    return read


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


def test_a_key_is_worth_nothing_under_another_master_key(credentials: Credentials, world: World) -> None:
    key = credentials.create(ACME, Grant()).text

    assert Credentials(replace(world, keys=LocalKeyRing(bytes(32)))).check(key) is None


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
    world: World, watched: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    credentials = Credentials(replace(world, table=watched))
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


def test_a_check_writes_nothing_even_before_the_first_key(world: World, watched: Any) -> None:
    assert Credentials(replace(world, table=watched)).check(f"cairn_{'0' * 16}_{'A' * 43}") is None
    assert watched.writes == 0


def test_a_key_ends_when_its_time_is_over(credentials: Credentials, clock: Any) -> None:
    key = credentials.create(ACME, Grant(), DAY).text

    clock.advance(days=1, microseconds=-1)
    assert credentials.check(key) is not None
    clock.advance(microseconds=1)
    assert credentials.check(key) is None


def test_a_revoked_key_opens_nothing_at_once_in_every_process(world: World, credentials: Credentials) -> None:
    other_process = Credentials(world)
    issued, kept = credentials.create(ACME, Grant()), credentials.create(ACME, Grant())
    assert other_process.check(issued.text) is not None

    credentials.revoke(issued.credential.id)

    assert other_process.check(issued.text) is None
    assert other_process.check(kept.text) is not None


def test_revoking_twice_keeps_the_first_moment(credentials: Credentials, clock: Any) -> None:
    issued = credentials.create(ACME, Grant())
    credentials.revoke(issued.credential.id)
    (first,) = credentials.list()
    clock.advance(hours=1)
    credentials.revoke(issued.credential.id)

    assert credentials.list() == (first,)


def test_a_rotated_key_goes_on_until_the_overlap_ends(credentials: Credentials, clock: Any) -> None:
    grant = Grant((project_pattern("garden"),), (scope("read"),))
    old = credentials.create(None, grant, timedelta(days=90))
    clock.advance(days=60)

    new = credentials.rotate(old.credential.id, DAY)

    assert (new.credential.tenant, new.credential.grant) == (old.credential.tenant, grant)
    assert new.credential.expires_at == clock.now() + timedelta(days=90)
    assert credentials.check(old.text) is not None
    clock.advance(days=1)
    assert credentials.check(old.text) is None
    assert credentials.check(new.text) == new.credential


def test_an_overlap_gives_no_key_a_longer_life(credentials: Credentials, clock: Any) -> None:
    old = credentials.create(ACME, Grant(), DAY)
    credentials.rotate(old.credential.id, timedelta(days=30))
    clock.advance(days=1)

    assert credentials.check(old.text) is None


def test_revoking_cuts_an_overlap_short(credentials: Credentials) -> None:
    old = credentials.create(ACME, Grant())
    credentials.rotate(old.credential.id, DAY)
    credentials.revoke(old.credential.id)

    assert credentials.check(old.text) is None


def test_a_key_that_has_ended_or_has_a_successor_is_not_rotated(credentials: Credentials, clock: Any) -> None:
    rotated, revoked = credentials.create(ACME, Grant()), credentials.create(ACME, Grant())
    expired = credentials.create(ACME, Grant(), DAY)
    credentials.rotate(rotated.credential.id, DAY)
    credentials.revoke(revoked.credential.id)
    clock.advance(days=1)
    before = credentials.list()

    for ended in (rotated, revoked, expired):
        with pytest.raises(Conflict, match="has ended or was rotated"):
            credentials.rotate(ended.credential.id, DAY)
    assert credentials.list() == before


def test_of_two_rotations_at_once_one_makes_a_key(world: World, watched: Any) -> None:
    world = replace(world, table=watched)
    credentials, rival = Credentials(world), Credentials(world)
    old = credentials.create(ACME, Grant())

    def step_in(what: object) -> None:
        if isinstance(what, list):
            rival.rotate(old.credential.id, DAY)

    watched.before_call = step_in
    with pytest.raises(Conflict, match="changed meanwhile"):
        credentials.rotate(old.credential.id, DAY)
    assert len(credentials.list()) == 2


@pytest.mark.parametrize("key_id", ["", "0" * 16, "x" * 5000, "cairn_" + "0" * 16 + "_" + "A" * 43])
def test_an_unknown_id_is_not_found(credentials: Credentials, key_id: str) -> None:
    with pytest.raises(NotFound):
        credentials.revoke(key_id)
    with pytest.raises(NotFound):
        credentials.rotate(key_id, DAY)


@pytest.mark.parametrize(
    ("was", "becomes"),
    [('"acme"', '"rival"'), ('"read"', '"admin"'), ('"garden"', '"*"'), ("2026-03-02", "2027-03-02")],
)
def test_a_record_that_was_changed_in_the_store_opens_nothing(
    credentials: Credentials, world: World, stored: Callable[[str], dict[str, Scalar]], was: str, becomes: str
) -> None:
    key = credentials.create(ACME, Grant((project_pattern("garden"),), (scope("read"),)), DAY).text
    item = stored(key)
    record = str(item["record"])
    assert was in record

    world.table.put(Put({**item, "record": record.replace(was, becomes)}))

    assert credentials.check(key) is None


def test_a_record_under_another_id_opens_nothing(
    credentials: Credentials, world: World, stored: Callable[[str], dict[str, Scalar]]
) -> None:
    mine, theirs = credentials.create(ACME, Grant()).text, credentials.create(Tenant("rival"), Grant()).text
    world.table.put(Put({**stored(theirs), "sk": layout.credential_sk(mine.split("_")[1])}))

    assert credentials.check(mine) is None


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"id":1}', "null"])
def test_a_damaged_record_is_said_to_be_damaged(
    credentials: Credentials, world: World, stored: Callable[[str], dict[str, Scalar]], record: str
) -> None:
    key = credentials.create(ACME, Grant()).text
    world.table.put(Put({**stored(key), "record": record}))

    with pytest.raises(CorruptData):
        credentials.list()
    with pytest.raises(CorruptData):
        credentials.revoke(key.split("_")[1])


def test_an_item_without_a_record_is_damaged_too(
    credentials: Credentials, world: World, stored: Callable[[str], dict[str, Scalar]]
) -> None:
    key = credentials.create(ACME, Grant()).text
    world.table.update(Update(Key(*map(str, (stored(key)["pk"], stored(key)["sk"]))), remove=("record",)))

    with pytest.raises(CorruptData):
        credentials.check(key)


class CollidingEntropy:
    """Bytes that give every key the same id and a secret of its own."""

    def __init__(self) -> None:
        self.draws = 0

    def token(self, size: int) -> bytes:
        self.draws += 1
        return bytes(8) + bytes([self.draws]) * (size - 8)


def test_an_id_that_is_taken_replaces_no_key(world: World) -> None:
    credentials = Credentials(replace(world, entropy=CollidingEntropy()))
    first = credentials.create(ACME, Grant())

    with pytest.raises(Conflict):
        credentials.create(ACME, Grant())
    assert credentials.check(first.text) == first.credential


def test_no_tenant_can_own_the_partitions_of_credentials() -> None:
    with pytest.raises(ValueError, match="tenant"):
        tenant(layout.CREDENTIALS)
    assert layout.credentials_pk() != layout.keys_pk(layout.CREDENTIALS)
    assert all(pk.startswith("~") for pk in (layout.credentials_pk(), layout.keys_pk(layout.CREDENTIALS)))


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


@pytest.mark.parametrize("value", ["", "a b", "a*", "*a", "a.b*", "**", "a/b", "a,b", "a" * 129, "ä", "a\n"])
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
