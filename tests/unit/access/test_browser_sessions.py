"""Sessions of browsers: what begins one, what ends it, and what opens nothing."""

from __future__ import annotations

import base64
import json
import math
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.access.api_keys import Credential, Grant, project_pattern, scope
from cairn.access.browser_sessions import LIFETIME, BrowserSessions
from cairn.access.claims import Identity
from cairn.access.key_store import Credentials
from cairn.access.layout import CREDENTIALS, credential_sk, credentials_pk
from cairn.embedded.keyring import LocalKeyRing
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant, UserId
from cairn.ground.settings import OidcSettings
from cairn.ground.table import Delete, Key, Put, Scalar, Update
from cairn.services import Services
from cairn.vault.vault import Vault

ACME = Tenant("acme")
GRANT = Grant((project_pattern("garden"),), (scope("read"),), "support", (UserId("ada"),))
HOUR = timedelta(hours=1)


@pytest.fixture
def sessions(adapters: Adapters) -> BrowserSessions:
    return BrowserSessions(adapters)


def begun(sessions: BrowserSessions, key: str) -> str:
    session = sessions.begin(key)
    assert session is not None
    assert sessions.held(session) is not None
    return session


def stored(adapters: Adapters, key_id: str) -> dict[str, Scalar]:
    item = adapters.table.get(Key(credentials_pk(), credential_sk(key_id)))
    assert item is not None
    return dict(item)


def test_a_session_opens_what_its_key_opens(credentials: Credentials, sessions: BrowserSessions) -> None:
    issued = credentials.create(ACME, GRANT)

    assert sessions.held(begun(sessions, issued.text)) == issued.credential


def test_any_process_knows_a_session_of_another(
    credentials: Credentials, sessions: BrowserSessions, adapters: Adapters
) -> None:
    session = begun(sessions, credentials.create(ACME, GRANT).text)

    assert BrowserSessions(adapters).held(session) is not None


def test_services_have_sessions_of_browsers(services: Services) -> None:
    key = services.credentials.create(ACME, GRANT).text

    assert services.browser_sessions.held(begun(services.browser_sessions, key)) is not None


def test_what_is_no_key_begins_no_session(credentials: Credentials, sessions: BrowserSessions) -> None:
    issued = credentials.create(ACME, GRANT)
    session = begun(sessions, issued.text)
    wrong = issued.text[:-43] + "A" * 43

    for presented in ("", "garbage", "\udc80", issued.credential.id, session, wrong):
        assert sessions.begin(presented) is None
    credentials.revoke(issued.credential.id)
    assert sessions.begin(issued.text) is None


def test_a_session_shows_nothing_of_its_key_and_leaves_nothing_in_the_store(adapters: Adapters, watched: Any) -> None:
    counted = replace(adapters, table=watched)
    issued = Credentials(counted).create(ACME, GRANT)
    before = watched.writes

    encoded = begun(BrowserSessions(counted), issued.text).partition(".")[0]

    told = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    assert issued.text[-43:] not in told
    assert json.loads(told)[0] == issued.credential.id
    assert str(stored(counted, issued.credential.id)["tag"]) not in told
    assert watched.writes == before


def test_a_session_ends_after_half_a_day(credentials: Credentials, sessions: BrowserSessions, clock: Any) -> None:
    session = begun(sessions, credentials.create(ACME, GRANT).text)

    clock.advance(hours=12, microseconds=-1)
    assert sessions.held(session) is not None
    clock.advance(microseconds=1)
    assert sessions.held(session) is None


def test_a_session_tells_no_later_end_than_its_keys(
    credentials: Credentials, sessions: BrowserSessions, clock: Any
) -> None:
    issued = credentials.create(ACME, GRANT, HOUR)
    session = begun(sessions, issued.text)

    encoded = session.partition(".")[0]
    end = json.loads(base64.urlsafe_b64decode(encoded + "=="))[1]
    assert end == int((clock.now() + HOUR).timestamp())
    clock.advance(hours=1)
    assert sessions.held(session) is None


def test_a_revoked_key_ends_its_sessions_at_once(credentials: Credentials, sessions: BrowserSessions) -> None:
    ended, kept = credentials.create(ACME, GRANT), credentials.create(ACME, GRANT)
    session, other = begun(sessions, ended.text), begun(sessions, kept.text)

    credentials.revoke(ended.credential.id)

    assert sessions.held(session) is None
    assert sessions.held(other) == kept.credential


def test_a_rotated_keys_sessions_go_on_until_its_overlap_ends(
    credentials: Credentials, sessions: BrowserSessions, clock: Any
) -> None:
    issued = credentials.create(ACME, GRANT)
    session = begun(sessions, issued.text)

    credentials.rotate(issued.credential.id, HOUR)

    assert sessions.held(session) is not None
    clock.advance(hours=1)
    assert sessions.held(session) is None


def test_a_key_whose_record_is_gone_or_anothers_has_no_session(
    credentials: Credentials, sessions: BrowserSessions, adapters: Adapters
) -> None:
    issued, other = credentials.create(ACME, GRANT), credentials.create(ACME, GRANT)
    session, others = begun(sessions, issued.text), begun(sessions, other.text)

    adapters.table.put(Put({**stored(adapters, other.credential.id), "sk": credential_sk(issued.credential.id)}))
    adapters.table.delete(Delete(Key(credentials_pk(), credential_sk(other.credential.id))))

    assert sessions.held(session) is None
    assert sessions.held(others) is None


@pytest.mark.parametrize(
    ("was", "becomes"),
    [('"acme"', '"rival"'), ('"read"', '"admin"'), ('"garden"', '"*"'), ('"ada"', '"eve"'), ("null", '"2099-01-01"')],
)
def test_a_record_that_was_widened_in_the_store_ends_its_sessions(
    credentials: Credentials, sessions: BrowserSessions, adapters: Adapters, was: str, becomes: str
) -> None:
    issued = credentials.create(ACME, GRANT)
    session = begun(sessions, issued.text)
    item = stored(adapters, issued.credential.id)
    assert was in str(item["record"])

    adapters.table.put(Put({**item, "record": str(item["record"]).replace(was, becomes)}))

    assert sessions.held(session) is None
    assert sessions.begin(issued.text) is None


@pytest.mark.parametrize("attribute", ["record", "tag"])
def test_a_record_that_is_not_whole_ends_its_sessions(
    credentials: Credentials, sessions: BrowserSessions, adapters: Adapters, attribute: str
) -> None:
    issued = credentials.create(ACME, GRANT)
    session = begun(sessions, issued.text)
    where = Key(credentials_pk(), credential_sk(issued.credential.id))

    adapters.table.update(Update(where, remove=(attribute,)))

    assert sessions.held(session) is None


def test_a_session_with_one_character_changed_opens_nothing(
    credentials: Credentials, sessions: BrowserSessions
) -> None:
    session = begun(sessions, credentials.create(ACME, GRANT).text)

    for position in range(len(session)):
        changed = session[:position] + ("a" if session[position] != "a" else "b") + session[position + 1 :]
        assert sessions.held(changed) is None
    for longer in (f"{session}0", f"{session}\n", f" {session}", f"0{session}", session.replace(".", ".0", 1)):
        assert sessions.held(longer) is None


def test_the_beginning_of_one_session_and_the_tag_of_another_open_nothing(
    credentials: Credentials, sessions: BrowserSessions
) -> None:
    one, other = (begun(sessions, credentials.create(ACME, GRANT).text) for _ in range(2))

    assert sessions.held(f"{one.partition('.')[0]}.{other.partition('.')[2]}") is None


def test_a_tag_for_anything_else_makes_no_session(
    credentials: Credentials, sessions: BrowserSessions, adapters: Adapters
) -> None:
    session = begun(sessions, credentials.create(ACME, GRANT).text)
    encoded = session.partition(".")[0]

    for purpose in ("browser form", "api key", ""):
        assert sessions.held(f"{encoded}.{Vault(adapters).sign(CREDENTIALS, purpose, encoded.encode())}") is None
    tenants = Vault(adapters).sign(ACME, "browser session", encoded.encode())
    assert sessions.held(f"{encoded}.{tenants}") is None


def test_a_session_is_worth_nothing_under_another_master_key(adapters: Adapters) -> None:
    own, other = (replace(adapters, keys=LocalKeyRing(bytes([number]) * 32)) for number in (1, 2))
    session = begun(BrowserSessions(own), Credentials(own).create(ACME, GRANT).text)

    assert BrowserSessions(other).held(session) is None


def test_a_session_of_another_deployment_with_the_same_key_opens_nothing(
    new_adapters: Any, credentials: Credentials, sessions: BrowserSessions
) -> None:
    _, other = new_adapters()
    foreign = replace(other, keys=LocalKeyRing(bytes(32)))
    session = begun(BrowserSessions(foreign), Credentials(foreign).create(ACME, GRANT).text)
    credentials.create(ACME, GRANT)

    assert sessions.held(session) is None


def test_garbage_opens_nothing_before_the_first_key_either(sessions: BrowserSessions) -> None:
    for text in ("", ".", "a.1." + "0" * 32, "W10.1." + "0" * 32, "a.999999." + "0" * 32):
        assert sessions.held(text) is None
        assert sessions.is_form_token(text, "/", text) is False


@pytest.mark.slow
@given(
    text=st.text(st.characters(codec=None))
    | st.from_regex(r"[A-Za-z0-9_-]{1,80}\.[0-9]{1,6}\.[0-9a-f]{32}", fullmatch=True)
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_garbage_opens_nothing_and_raises_nothing(
    text: str, credentials: Credentials, sessions: BrowserSessions
) -> None:
    session = begun(sessions, credentials.create(ACME, GRANT).text)

    assert sessions.begin(text) is None
    assert sessions.held(text) is None
    assert sessions.is_form_token(text, text, text) is False
    assert sessions.is_form_token(session, "/", text) is False
    assert sessions.form_token(text, text)


def test_a_session_costs_one_read_of_the_table(adapters: Adapters, watched: Any) -> None:
    counted = replace(adapters, table=watched)
    sessions = BrowserSessions(counted)
    session = begun(sessions, Credentials(counted).create(ACME, GRANT).text)
    before = watched.reads, watched.writes

    assert sessions.held(session) is not None

    assert (watched.reads, watched.writes) == (before[0] + 1, before[1])


def test_a_session_that_was_changed_reads_no_keys_record(adapters: Adapters, watched: Any) -> None:
    counted = replace(adapters, table=watched)
    sessions = BrowserSessions(counted)
    session = begun(sessions, Credentials(counted).create(ACME, GRANT).text)
    before = watched.reads

    assert sessions.held(f"a{session}") is None
    assert watched.reads == before


def test_a_forms_token_is_good_for_its_session_and_page_alone(
    credentials: Credentials, sessions: BrowserSessions, adapters: Adapters
) -> None:
    one, other = (begun(sessions, credentials.create(ACME, GRANT).text) for _ in range(2))

    token = sessions.form_token(one, "/console/keys")

    assert BrowserSessions(adapters).is_form_token(one, "/console/keys", token)
    assert not sessions.is_form_token(other, "/console/keys", token)
    for path in ("/console/key", "/console/keys/", "/console/keys ", "", "/console/policies"):
        assert not sessions.is_form_token(one, path, token)
    assert not sessions.is_form_token(one + "/console", "/keys", token)
    assert sessions.held(f"{one.partition('.')[0]}.{token}") is None


def test_a_forms_token_with_one_character_changed_is_none(credentials: Credentials, sessions: BrowserSessions) -> None:
    session = begun(sessions, credentials.create(ACME, GRANT).text)
    token = sessions.form_token(session, "/console")

    for position in range(len(token)):
        changed = token[:position] + ("a" if token[position] != "a" else "b") + token[position + 1 :]
        assert not sessions.is_form_token(session, "/console", changed)
    assert not sessions.is_form_token(session, "/console", session.partition(".")[2])
    assert not sessions.is_form_token(session, "/console", "")


# Sessions of tokens

IDENTITY = Identity("0123456789abcdef", Tenant("a" * 64), ("read", "admin"), GRANT.projects, GRANT.users)


@pytest.fixture
def ada(clock: Any) -> Identity:
    """Whom a token speaks for that lasts for a day."""
    return replace(IDENTITY, ends=clock.now().timestamp() + 86_400.5)


def begun_of_token(sessions: BrowserSessions, identity: Identity) -> str:
    session = sessions.begin_of_token(identity)
    assert session is not None
    return session


def test_a_session_of_a_token_opens_what_the_token_does(
    sessions: BrowserSessions, adapters: Adapters, ada: Identity, clock: Any
) -> None:
    session = begun_of_token(sessions, ada)

    found = BrowserSessions(adapters).held(session)

    assert found == Credential(
        id=ada.id,
        tenant=ada.tenant,
        grant=Grant(ada.projects, ada.scopes, None, ada.users),
        created_at=clock.now(),
        expires_at=clock.now() + LIFETIME,
    )


def test_a_session_of_a_token_gives_its_tenant_a_data_key(
    sessions: BrowserSessions, adapters: Adapters, ada: Identity
) -> None:
    assert not Vault(adapters).has_key(ada.tenant)

    sessions.begin_of_token(ada)

    assert Vault(adapters).has_key(ada.tenant)


@pytest.mark.parametrize(("lasts", "hours"), [(3600.0, 1), (86_400.0, 12), (math.inf, 12)])
def test_a_session_of_a_token_ends_with_it_or_after_half_a_day(
    sessions: BrowserSessions, ada: Identity, clock: Any, lasts: float, hours: int
) -> None:
    session = begun_of_token(sessions, replace(ada, ends=clock.now().timestamp() + lasts))

    clock.advance(hours=hours, microseconds=-1)
    assert sessions.held(session) is not None
    clock.advance(microseconds=1)
    assert sessions.held(session) is None


def test_a_token_that_may_do_nothing_has_ended_or_fits_no_cookie_begins_no_session(
    sessions: BrowserSessions, ada: Identity, clock: Any
) -> None:
    many = tuple(UserId(f"{number:0128}") for number in range(16))

    assert sessions.begin_of_token(replace(ada, scopes=())) is None
    assert sessions.begin_of_token(replace(ada, ends=clock.now().timestamp())) is None
    assert sessions.begin_of_token(replace(ada, users=many)) is not None
    assert sessions.begin_of_token(replace(ada, users=many, projects=(project_pattern("a" * 128),) * 10)) is None


def test_a_session_of_a_token_ends_when_the_issuers_settings_change_and_a_keys_does_not(
    credentials: Credentials, adapters: Adapters, ada: Identity
) -> None:
    oidc = OidcSettings(issuer="https://login.example.com", audience="cairn", console_client_id="console")
    before = BrowserSessions(adapters, oidc)
    of_token, of_key = begun_of_token(before, ada), begun(before, credentials.create(ACME, GRANT).text)

    assert BrowserSessions(adapters, replace(oidc)).held(of_token) is not None
    for changed in ({"issuer": "https://evil.example"}, {"console_client_id": ""}, {"tenant_claim": "org"}):
        after = BrowserSessions(adapters, replace(oidc, **changed))
        assert after.held(of_token) is None
        assert after.held(of_key) is not None


def test_a_session_of_a_token_cannot_be_changed_and_reads_no_key(
    adapters: Adapters, watched: Any, ada: Identity
) -> None:
    sessions = BrowserSessions(replace(adapters, table=watched))
    session = begun_of_token(sessions, ada)
    before = watched.reads

    assert sessions.held(session) is not None
    assert watched.reads == before
    encoded, tag = session.split(".", 1)
    told = json.loads(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
    wider = base64.urlsafe_b64encode(json.dumps({**told, "tenant": "acme"}).encode()).rstrip(b"=").decode()
    assert sessions.held(f"{wider}.{tag}") is None
