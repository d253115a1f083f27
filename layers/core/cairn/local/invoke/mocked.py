"""AWS as moto plays it in this process: the template's table, a bucket, a key and a queue, all of them empty."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml

from cairn.aws.clients import Clients
from cairn.embedded.sandbox import ProcessSandbox
from cairn.ground.errors import SettingsError
from cairn.services import Services
from cairn.settings.settings import AwsStore, read, sandbox_environment
from cairn.wiring import wiring_of

_ACCOUNT = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}
_STORE, _QUEUE = "memory", "jobs"
_SCALARS = frozenset({"S", "N", "B", "BOOL", "NULL"})


class _TemplateLoader(yaml.SafeLoader):
    """Reads CloudFormation's YAML; an intrinsic function becomes the text of its argument."""


def _intrinsic(_loader: yaml.SafeLoader, _tag: str, node: yaml.Node) -> str:
    return str(node.value)


_TemplateLoader.add_multi_constructor("!", _intrinsic)  # pyright: ignore[reportUnknownMemberType]


@contextmanager
def mocked_aws() -> Generator[Clients]:
    """Answer every call of AWS in this process, with a made-up account; SettingsError where moto is not installed."""
    try:
        from moto import mock_aws  # noqa: PLC0415 - a development dependency
        from moto.dynamodb.responses import DynamoHandler  # noqa: PLC0415
    except ImportError:
        raise SettingsError("--moto: moto is not installed; in a checkout, make test installs it") from None
    lock = threading.RLock()
    call_action: Callable[..., Any] = DynamoHandler.call_action

    def one_at_a_time(*args: Any, **kwargs: Any) -> Any:
        # Threads that call moto's DynamoDB at once lose updates, which DynamoDB does not.
        with lock:
            return call_action(*args, **kwargs)

    with ExitStack() as patches:
        patches.enter_context(patch.dict(os.environ, _ACCOUNT))
        patches.enter_context(patch.object(DynamoHandler, "call_action", one_at_a_time))
        for owner, name, quicker in _quicker():
            patches.enter_context(patch.object(owner, name, quicker))
        patches.enter_context(mock_aws())
        yield Clients()


def _quicker() -> Iterator[tuple[Any, str, Callable[..., Any]]]:
    """Yield what takes moto half its time, as class, method, and one that does the same in less."""
    from moto.core.serialize import XFormedAttributePicker  # noqa: PLC0415 - a development dependency
    from moto.dynamodb.models.dynamo_type import DynamoType  # noqa: PLC0415
    from moto.dynamodb.models.table import Table  # noqa: PLC0415

    deep: Callable[..., Any] = DynamoType.__deepcopy__
    possible: Callable[..., Any] = XFormedAttributePicker.get_possible_keys
    kept: dict[tuple[Any, str], Sequence[str]] = {}

    def deep_copy(value: Any, memo: dict[int, Any]) -> Any:
        # A transaction copies the table for each of its writes; moto changes lists, maps and sets alone in place.
        return value if value.type in _SCALARS else deep(value, memo)

    def all_items(table: Any) -> list[Any]:
        # Each read sorts the table: moto makes each key's value again for each comparison.
        items = [item for held in table.items.values() for item in (held.values() if table.range_key_attr else (held,))]
        return sorted(items, key=_sort_key)

    def possible_keys(picker: Any, context: Any) -> Iterable[str]:
        # By what names a member may be found depends on its shape alone where the answer is a dict.
        if type(context.obj) is not dict:
            return possible(picker, context)
        place = context.shape, context.key
        if place not in kept:
            kept[place] = tuple(possible(picker, context))
        return kept[place]

    yield DynamoType, "__deepcopy__", deep_copy
    yield Table, "all_items", all_items
    yield XFormedAttributePicker, "get_possible_keys", possible_keys


def _sort_key(item: Any) -> tuple[Any, ...]:
    return item.hash_key.cast_value, *([item.range_key.cast_value] if item.range_key else [])


@cache
def declared(template: Path) -> dict[str, Any]:
    """Return the resources of a template by their names."""
    read_template: dict[str, Any] = yaml.load(template.read_text(encoding="utf-8"), _TemplateLoader)  # noqa: S506 - a SafeLoader with tags
    return read_template["Resources"]


def table_arguments(resources: Mapping[str, Any]) -> dict[str, Any]:
    """Return what these resources say of the memory table, as DynamoDB's create_table takes it."""
    properties = resources["MemoryTable"]["Properties"]
    indexes = [
        {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
        for index in properties["GlobalSecondaryIndexes"]
    ]
    arguments = {name: properties[name] for name in ("KeySchema", "AttributeDefinitions", "BillingMode")}
    return {**arguments, "GlobalSecondaryIndexes": indexes}


def create_store(clients: Clients, name: str, resources: Mapping[str, Any]) -> None:
    """Create an empty table and an empty bucket of this name, the table as the resources declare it."""
    clients.dynamodb.create_table(TableName=name, **table_arguments(resources))
    clients.s3.create_bucket(Bucket=name)


@contextmanager
def mocked_services(environment: Mapping[str, str], checkout: Path) -> Generator[Services]:
    """Return services over a store that is empty and ends with the block.

    SettingsError outside a checkout or without moto. Standard tools run in processes of this machine, since moto runs
    no functions; jobs stay in the queue.
    """
    template = checkout / "template.yaml"
    if not template.is_file():
        raise SettingsError("--moto: template.yaml is not here: run this in a checkout of Cairn's repository")
    with mocked_aws() as clients:
        create_store(clients, _STORE, declared(template))
        key = clients.kms.create_key()["KeyMetadata"]["KeyId"]
        queue = clients.sqs.create_queue(QueueName=_QUEUE)["QueueUrl"]
        settings = replace(read(environment), store=AwsStore(table=_STORE, bucket=_STORE, key_id=key, queue_url=queue))
        services = Services(settings, wiring_of(settings))
        setattr(services, "sandbox", ProcessSandbox(sandbox_environment(settings)))  # noqa: B010 - a capability set by hand
        yield services
