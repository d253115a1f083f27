"""The deployed stack can be restored, and a drill of it is held and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
import httpx2
import pytest

from cairn.local.backup.in_aws import drill_in_aws, look
from cairn.local.emulator.deployment import store
from cairn.local.store import operator_services

pytestmark = [pytest.mark.enable_socket, pytest.mark.usefixtures("plain_http")]
NEW = "cairn-drill"


def test_a_drill_of_the_stack_restores_table_and_blobs_and_recalls_the_same(
    call: Callable[..., httpx2.Response], outputs: dict[str, str]
) -> None:
    session = {"project": "garden", "session_id": "before-the-drill", "user_id": "ada"}
    for number, said in enumerate(("I live in Oslo.", "I like beans.")):
        turn: dict[str, Any] = {**session, "turn_id": f"drill-{number}", "output_items": []}
        turn["input_items"] = [{"role": "user", "content": said}]
        assert call("memory_after_turn", turn).status_code == 200
    services, told = operator_services(None, store(outputs)), list[str]()
    s3: Any = boto3
    s3.client("s3").create_bucket(Bucket=NEW)
    # The emulator's CloudFormation leaves this off; that the template switches it on, the tests of the template say.
    s3.client("dynamodb").update_continuous_backups(
        TableName=store(outputs)["CAIRN_TABLE"],
        PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
    )

    assert look(services, told.append, now=True), told
    assert drill_in_aws(services, f"{NEW}/{NEW}", told.append), told

    assert any("user ada" in line and "the same in the same order" in line for line in told)
    assert NEW not in s3.client("dynamodb").list_tables()["TableNames"]
    assert "Contents" not in s3.client("s3").list_objects_v2(Bucket=NEW)
