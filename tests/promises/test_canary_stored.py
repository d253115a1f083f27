"""No content, key or token lies in the store in the clear: every tool."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from cairn import wiring
from cairn.aws.blobs import S3Blobs
from cairn.aws.clients import Clients
from cairn.aws.keyring import KmsKeyRing
from cairn.aws.table import DynamoTable
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant
from cairn.ground.ports import KeyRing
from cairn.local.invoke.mocked import create_store, declared, mocked_aws
from cairn.services import Services
from cairn.tool.tool import Tool
from cairn.vault.data_key import DataKey
from cairn_tools.catalog import CATALOG
from cairn_tools.memory_create_key import memory_create_key
from support.canaries import CANARY, NAMED_IN_THE_LOG, EventOf, http, planted
from support.custody import forms
from support.services import services_over
from support.template import TEMPLATE
from support.tool import http_status

pytestmark = pytest.mark.enable_socket
NAMES_IN_THE_STORE = NAMED_IN_THE_LOG | {
    *("user_id", "agent_id", "task_id", "namespace", "collection", "log", "key", "memory_id", "tags"),
    *("path", "projects", "users", "name"),
}
"""What things are found by, and what a key opens, stays readable; all else is content."""


Home: TypeAlias = tuple[Adapters, Callable[[], bytes]]


@pytest.fixture(scope="module")
def cloud() -> Iterator[tuple[Clients, str]]:
    """Yield clients of AWS, as moto simulates it, and the id of a key."""
    with mocked_aws() as clients:
        yield clients, clients.kms.create_key()["KeyMetadata"]["KeyId"]


@pytest.fixture
def cloud_home(adapters: Adapters, cloud: tuple[Clients, str], tmp_path: Path) -> Home:
    """Return a adapters with an empty table and bucket in AWS, and a function that gives every byte it keeps."""
    clients, key_id = cloud
    name = "memory-" + "".join(filter(str.isalnum, tmp_path.name.lower()))
    create_store(clients, name, declared(TEMPLATE))

    def at_rest() -> bytes:
        items = clients.dynamodb.scan(TableName=name)["Items"]
        objects = clients.s3.list_objects_v2(Bucket=name).get("Contents", [])
        bodies = [clients.s3.get_object(Bucket=name, Key=str(each.get("Key")))["Body"] for each in objects]
        values = [value for item in items for value in item.values()]
        binary = [value["B"] for value in values if "B" in value]
        return b"\n".join([repr(items).encode(), *binary, *(body.read() for body in bodies)])

    table, blobs = DynamoTable(lambda: clients.dynamodb, name), S3Blobs(lambda: clients.s3, name)
    return replace(adapters, table=table, blobs=blobs, keys=KmsKeyRing(lambda: clients.kms, key_id)), at_rest


@pytest.fixture
def home(request: pytest.FixtureRequest, adapters: Adapters, store: Any) -> Home:
    return (adapters, store.contents) if request.param == "one machine" else request.getfixturevalue("cloud_home")


@pytest.mark.req("R099")
@pytest.mark.req("R252")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("home", "tool"),
    [
        pytest.param(home, tool, id=f"{home}-{tool.name}")
        for home in ("one machine", "aws")
        for tool in CATALOG
        if not (tool.own_machine_only and home == "aws")
    ],
    indirect=["home"],
)
def test_what_a_call_leaves_behind_is_ciphertext(
    tool: Tool, home: Home, services: Services, event_of: EventOf, said: Callable[[], str]
) -> None:
    adapters, at_rest = home
    spied = SpiedKeys(adapters.keys)
    here: Any = services_over(replace(adapters, keys=spied), services.settings, sandbox=services.sandbox)
    wiring.provide(here)

    told, *answers = [http(event_of)(each, planted(each, NAMES_IN_THE_STORE)) for each in (CATALOG[1], tool, tool)]

    assert (told["statusCode"], answers[0]["statusCode"]) == (200, http_status(tool))
    kept = at_rest()
    assert b"#s#" in kept
    assert [form for form in forms(CANARY) if form in kept] == []
    assert spied.secrets
    assert [secret for secret in spied.secrets if secret in kept or secret.hex().encode() in kept] == []
    made = [given["key"] for each in answers if (given := json.loads(each["body"])) and tool is memory_create_key]
    assert [key for key in made if key.rsplit("_", 1)[1].encode() in kept] == []
    assert CANARY not in said()


class SpiedKeys:
    """A key ring that keeps every data key which it showed in the clear."""

    def __init__(self, keys: KeyRing) -> None:
        self._keys = keys
        self.secrets: set[bytes] = set()

    def generate(self, tenant: Tenant) -> DataKey:
        made = self._keys.generate(tenant)
        self.secrets.add(made.secret)
        return made

    def unwrap(self, tenant: Tenant, wrapped: bytes) -> bytes:
        secret = self._keys.unwrap(tenant, wrapped)
        self.secrets.add(secret)
        return secret
