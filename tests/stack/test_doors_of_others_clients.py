"""AWS's and mem0's addresses on a deployed stack: signatures and tokens through the gateway and the authorizer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, cast
from uuid import uuid4

import boto3
import httpx2
import pytest
from botocore.exceptions import ClientError

from cairn.access.api_keys import Grant, parse
from cairn.access.key_store import Credentials
from cairn.ground.ids import Tenant

pytestmark = pytest.mark.enable_socket
MEMORY = "garden-0123456789"


@pytest.fixture
def actor() -> str:
    return f"user/{uuid4().hex}"


@pytest.fixture
def aws(client: httpx2.Client, credentials: Credentials) -> Iterator[Any]:
    """Yield AWS's client at the stack's address, which signs with a key of Cairn's."""
    key = parse(credentials.create(Tenant("acme"), Grant(), derived=True).text)
    assert key is not None
    opened = signing(client, key.access_key_id, key.secret)
    yield opened
    opened.close()


def signing(client: httpx2.Client, access_key_id: str, secret: str) -> Any:
    given = {"aws_access_key_id": access_key_id, "aws_secret_access_key": secret, "region_name": "eu-central-1"}
    address = f"{str(client.base_url).rstrip('/')}/agentcore"
    made = cast("Any", boto3).client("bedrock-agentcore", endpoint_url=address, **given)

    def call_it_by_its_name(request: Any, **_: object) -> None:
        request.headers["Host"] = client.headers["host"]

    made.meta.events.register("before-sign.bedrock-agentcore", call_it_by_its_name)
    return made


@pytest.mark.req("R315")
def test_aws_s_client_is_known_by_its_signature_and_finds_what_it_stored(aws: Any, actor: str) -> None:
    place = {"memoryId": MEMORY, "actorId": actor}
    said = {"conversational": {"role": "USER", "content": {"text": "I live in Oslo."}}}

    stored = aws.create_event(
        **place, sessionId="s", eventTimestamp=datetime.now(UTC), payload=[said, {"blob": {"n": 1}}]
    )
    event = aws.get_event(**place, sessionId="s", eventId=stored["event"]["eventId"])["event"]
    found = aws.retrieve_memory_records(
        memoryId=MEMORY, namespace=f"/facts/{actor}", searchCriteria={"searchQuery": "Where does she live?"}
    )

    assert event["payload"] == stored["event"]["payload"]
    assert "home: Oslo" in [each["content"]["text"] for each in found["memoryRecordSummaries"]]


@pytest.mark.req("R315")
def test_a_wrong_secret_is_refused_by_the_stack(aws: Any, client: httpx2.Client, actor: str) -> None:
    forged = signing(client, aws._request_signer._credentials.access_key, "x" * 43)  # pyright: ignore[reportPrivateUsage] - boto3 tells it nowhere else

    with pytest.raises(ClientError) as refused:
        forged.list_sessions(memoryId=MEMORY, actorId=actor)

    assert cast("Any", refused.value).response["Error"]["Code"] == "InvalidSignatureException"


def test_mem0_s_address_adds_finds_and_deletes(client: httpx2.Client, keys: dict[str, str]) -> None:
    headers, user = {"authorization": f"Token {keys['acme']}"}, uuid4().hex

    def ask(method: str, path: str, **body: object) -> Any:
        answer = client.request(method, f"/mem0{path}", json=body or None, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    added = ask("POST", "/v3/memories/add/", messages=[{"role": "user", "content": "I live in Oslo."}], user_id=user)
    found = ask("POST", "/v3/memories/search/", query="Where do I live?", filters={"user_id": user})

    assert [each["event"] for each in added["results"]] == ["ADD"]
    assert "Oslo" in found["results"][0]["memory"]
    ask("DELETE", f"/v1/memories/{found['results'][0]['id']}/")
    assert ask("POST", "/v3/memories/search/", query="Where do I live?", filters={"user_id": user})["results"] == []
