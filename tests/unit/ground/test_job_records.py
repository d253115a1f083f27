"""A job as it stands in a queue."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, Tenant
from cairn.ground.jobs import DUE_SHARDS, KINDS, VERSION, IndexLog, MaintainShard, decoded, encoded


@given(st.integers(0, DUE_SHARDS - 1))
def test_a_job_is_read_back_as_it_was_written(shard: int) -> None:
    assert decoded(encoded(MaintainShard(shard))) == MaintainShard(shard)


@given(st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True), st.text(min_size=1), st.booleans())
def test_a_log_to_index_is_read_back_as_it_was_written(tenant: str, owner: str, rebuild: bool) -> None:  # noqa: FBT001  hypothesis draws it
    job = IndexLog(Tenant(tenant), Project("garden"), owner, rebuild)
    assert decoded(encoded(job)) == job


def test_a_job_is_json_with_a_kind_and_a_version() -> None:
    assert json.loads(encoded(MaintainShard(3))) == {"job": "maintain_shard", "shard": 3, "version": VERSION}
    assert len({kind.kind for kind in KINDS}) == len(KINDS)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "job"),
        ("no JSON", "job"),
        ("[]", "job"),
        ("3", "job"),
        ("[" * 100_000, "job"),
        ("{}", "version"),
        ('{"job": "maintain_shard", "shard": 3}', "version"),
        ('{"job": "maintain_shard", "shard": 3, "version": 2}', "version"),
        ('{"job": "maintain_shard", "shard": 3, "version": "1"}', "version"),
        ('{"shard": 3, "version": 1}', "job"),
        ('{"job": "make_coffee", "version": 1}', "job"),
        ('{"job": ["maintain_shard"], "shard": 3, "version": 1}', "job"),
        ('{"job": "maintain_shard", "version": 1}', "shard"),
        ('{"job": "maintain_shard", "shard": "3", "version": 1}', "shard"),
        ('{"job": "maintain_shard", "shard": true, "version": 1}', "shard"),
        ('{"job": "maintain_shard", "shard": 3.0, "version": 1}', "shard"),
        ('{"job": "maintain_shard", "shard": -1, "version": 1}', "shard"),
        ('{"job": "maintain_shard", "shard": 16, "version": 1}', "shard"),
        ('{"job": "index_log", "version": 1}', "owner"),
        ('{"job": "index_log", "owner": "u:ada", "version": 1}', "rebuild"),
        ('{"job": "index_log", "owner": "u:ada", "rebuild": false, "version": 1}', "tenant"),
        ('{"job": "index_log", "owner": "u:ada", "rebuild": false, "tenant": "a#b", "version": 1}', "tenant"),
        ('{"job": "index_log", "owner": "u:ada", "rebuild": false, "tenant": "acme", "version": 1}', "project"),
        ('{"job": "run_task", "task_id": "1", "version": 1}', "tenant"),
        ('{"job": "run_task", "tenant": "acme", "version": 1}', "task_id"),
        ('{"job": "index_log", "owner": "", "rebuild": false, "tenant": "a", "project": "p", "version": 1}', "owner"),
    ],
)
def test_what_is_no_job_is_refused_by_the_name_of_what_is_wrong(text: str, field: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        decoded(text)
    assert list(refused.value.details["fields"]) == [field]  # pyright: ignore[reportArgumentType, reportUnknownVariableType, reportUnknownArgumentType]


@given(st.text())
def test_any_text_is_a_job_or_refused(text: str) -> None:
    with pytest.raises(InvalidArgument):
        decoded(text)
