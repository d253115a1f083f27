"""No tenant, project or session ever sees another, whatever they are called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground import ids
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.session import Session
from cairn.ground.table import Key
from cairn.log.layout import log_owner, log_pk, registry_pk
from cairn.services import Services
from cairn.sessions.layout import HEAD, guard_sk, session_pk
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from cairn.vault.layout import keys_pk
from support.services import services_over

NewAdapters = Callable[[], Adapters]
TENANTS = ["a", "A", "a-b", "a_b", "acme", "acme1"]
PROJECTS = ["p", "P", "p1", "p.", "..p", "keys", "s", "m", "p-1", "p_1"]
SESSIONS = [
    *("s1", "s10", "s", "S1", "s_", "s%", "%", "_", "#", "s1#", "s1#s#p#s1", "~", "e#~", "e#0", "e#000000000001"),
    *("turn#t1", "cmp#1", "m#", "log#u:ada", "u:ada", "s:s1", "keys", "abstracts", "*", "s1 ", " s1", "ß", "ss", "SS"),
    *(
        "\u00e9",
        "e\u0301",
        "\u212b",
        "\u00c5",
        "\u0131",
        "i",
        "\u0130",
        "\U0010ffff",
        "a\u200b",
        "a",
        "\u202ea",
        "s1\u2028",
        "\ufeffs1",
    ),
]
USERS = [None, "ada", "Ada", "s1", "u:ada", "s:s1", "#", "~", "\U0010ffff"]

hostile = st.sampled_from(SESSIONS) | st.text(alphabet="s1#_%~e:0 \u00e9", min_size=1, max_size=4).filter(str.strip)
places = st.tuples(st.sampled_from(TENANTS), st.sampled_from(PROJECTS), hostile)
unhurried = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


def session(place: tuple[str, str, str]) -> Session:
    tenant, project, name = place
    return Session(ids.tenant(tenant), ids.project(project), ids.session_id(name))


def services(adapters: Adapters) -> Services:
    return services_over(adapters)


def store(memory: Services, place: Session, canary: str, user: str | None, turn_id: str = "t1") -> None:
    said = message("user", f"Remember that {canary} is mine. I like {canary}.")
    answer = message("assistant", f"Noted {canary}.", "output_text")
    owner = UserId(user) if user else None
    commit(memory, place, Completion(turn_id=TurnId(turn_id), inputs=(said,), outputs=(answer,), user_id=owner))


def shown(memory: Services, place: Session, user: str | None) -> str:
    """Return all that the tools show of a session."""
    request = Preparation(
        current=(message("user", "what is mine that I like"),), user_id=UserId(user) if user else None
    )
    prepared = prepare(memory, place, request)
    listed = memory.directories.list(place, "", 8, 500)
    return f"{prepared.items} {[(entry.path, entry.abstract) for entry in listed]}"


@pytest.mark.req("R010")
@pytest.mark.req("R011")
@pytest.mark.req("R261")
@unhurried
@given(
    said=st.lists(st.tuples(places, st.sampled_from(USERS)), min_size=2, max_size=6, unique_by=lambda pair: pair[0]),
    reading=st.sampled_from(["warm", "cold"]),
)
def test_a_session_shows_what_was_said_in_it_and_nothing_else(
    adapters_in_memory: NewAdapters, said: list[tuple[tuple[str, str, str], str | None]], reading: str
) -> None:
    adapters = adapters_in_memory()
    memory = services(adapters)
    for number, (place, user) in enumerate(said):
        store(memory, session(place), f"canary{number}bird", user)
    reader = memory if reading == "warm" else services(adapters)
    for number, (place, user) in enumerate(said):
        text = shown(reader, session(place), user)
        seen = {other for other in range(len(said)) if f"canary{other}bird" in text}
        assert seen == {number}


@pytest.mark.req("R010")
@pytest.mark.req("R011")
@pytest.mark.req("R261")
@unhurried
@given(one=places, other=places, user=st.sampled_from(USERS))
def test_no_two_places_share_a_partition(
    one: tuple[str, str, str], other: tuple[str, str, str], user: str | None
) -> None:
    def partitions(place: Session) -> list[str]:
        owner = log_owner(UserId(user) if user else None, place.session_id)
        log = log_pk(place.tenant, place.project, owner)
        registry = registry_pk(place.tenant, place.project)
        return [session_pk(place), log, registry, keys_pk(place.tenant)]

    first, second = session(one), session(other)
    kinds = partitions(first)
    assert len(set(kinds)) == len(kinds)
    if first != second:
        assert partitions(first)[0] not in partitions(second)
    if first.tenant != second.tenant:
        assert not set(partitions(first)) & set(partitions(second))
    assert all(pk.startswith(f"{first.tenant}#") for pk in partitions(first))


@pytest.mark.req("R261")
@pytest.mark.parametrize(("one", "other"), [("s1", "s10"), ("s_", "sx"), ("s%", "sxyz"), ("a", "a#b"), ("ß", "ss")])
def test_one_name_is_never_taken_for_a_pattern_of_another(
    adapters_in_memory: NewAdapters, one: str, other: str
) -> None:
    """Known fault 1: a prefix matched longer names, and _ and % acted as wildcards."""
    memory = services(adapters_in_memory())
    inner, outer = session(("acme", "p", one)), session(("acme", "p", other))
    store(memory, inner, "robin", None)
    store(memory, outer, "heron", None)
    assert "heron" not in shown(memory, inner, None)
    assert "robin" not in shown(memory, outer, None)


@pytest.mark.req("R010")
def test_the_same_names_under_two_tenants_are_two_worlds(adapters_in_memory: NewAdapters) -> None:
    adapters = adapters_in_memory()
    memory = services(adapters)
    mine = Session(Tenant("acme"), Project("p"), SessionId("s"))
    store(memory, mine, "robin", "ada")
    theirs = replace(mine, tenant=Tenant("other"))
    assert "robin" not in shown(memory, theirs, "ada")
    assert memory.directories.list(theirs, "", 8, 10) == ()
    store(memory, theirs, "heron", "ada")
    assert "robin" not in shown(memory, theirs, "ada")
    assert "heron" not in shown(memory, mine, "ada")


@pytest.mark.req("R010")
@pytest.mark.req("R011")
def test_even_the_widest_recall_stays_within_tenant_and_project(adapters_in_memory: NewAdapters) -> None:
    memory = services(adapters_in_memory())
    here = Session(Tenant("acme"), Project("p"), SessionId("s"))
    elsewhere = [replace(here, tenant=Tenant("acme2")), replace(here, project=Project("p2"))]
    for number, place in enumerate([here, *elsewhere]):
        store(memory, place, f"canary{number}bird", "ada")
    request = Preparation(
        current=(message("user", "what is mine that I like"),), user_id=UserId("ada"), recall_scope="project"
    )
    text = str(prepare(memory, replace(here, session_id=SessionId("new")), request).items)
    assert "canary0bird" in text
    assert "canary1bird" not in text
    assert "canary2bird" not in text


@pytest.mark.req("R038")
def test_turns_named_like_internal_keys_are_turns_like_any_other(adapters_in_memory: NewAdapters) -> None:
    adapters = adapters_in_memory()
    memory = services(adapters)
    place = Session(Tenant("acme"), Project("p"), SessionId("e#~"))
    names = [name for name in SESSIONS if name.strip()]
    for number, name in enumerate(names):
        store(memory, place, f"canary{number}bird", None, turn_id=name)
    head = adapters.table.get(Key(session_pk(place), HEAD))
    assert head is not None
    assert head["seq"] == len(names)
    assert len({guard_sk(TurnId(name)) for name in names}) == len(names)


def test_the_hostile_names_are_all_different() -> None:
    assert all(one != other for one, other in combinations(SESSIONS, 2))
