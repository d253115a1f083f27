"""`cairn maintain --dry-run` by an operator of a deployment: what is due there is told, and nothing is changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from cairn.aws.clients import Clients
from cairn.local.cli import main
from cairn.local.store import operator_services
from cairn.turns.after_turn import commit
from support.custody import ACME, session
from support.turns import turn


@pytest.mark.req("R306")
def test_an_operator_is_told_what_maintenance_of_a_deployment_would_change(
    cloud: Clients, make_dynamo_table: Callable[[], Any]
) -> None:
    name = make_dynamo_table()._table_name
    cloud.s3.create_bucket(Bucket=name)
    key = cloud.kms.create_key()["KeyMetadata"]["KeyId"]
    environment = {"CAIRN_TABLE": name, "CAIRN_BUCKET": name, "CAIRN_KEY_ID": key, "CAIRN_EMBEDDING_EMBEDDER": "none"}
    services = operator_services(None, environment)
    for number in range(3):
        commit(services, session("alone"), turn(f"t{number}", f"Row {number} holds beans."))
    before = list(services.inventory.items(ACME))

    def told(*arguments: str) -> str:
        settings = {"CAIRN_MEMORY_RECENT_CONTEXT_ITEMS": "0", "CAIRN_MEMORY_COMPACTION_MIN_AGE_HOURS": "0"}
        done = CliRunner().invoke(main, ["maintain", "--dry-run", *arguments], env={**environment, **settings})
        assert done.exit_code == 0, done.output
        return done.stdout

    assert told() == "0 sessions would be visited: nothing would change\n"
    assert told("--tenant", "acme").startswith("acme garden alone: 6 events summed up")
    assert list(services.inventory.items(ACME)) == before
