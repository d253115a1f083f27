"""`cairn invoke`: hand events to a function's handler as Lambda would, over a store of this machine."""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import click

from cairn import wiring
from cairn.ground.errors import SettingsError
from cairn.local.server.doors import Invocation, functions, load
from cairn.local.store import has_settings, open_store
from cairn.models.embedders import of_this_person
from cairn.telemetry import logs

_MILLISECONDS = 30_000


def invoke(function: str, events: Sequence[Path], data: Path | None, *, moto: bool) -> None:
    """Print what the function answers to each event, in their order, by one process with one store.

    SettingsError where the function, an event or what --moto needs is not there.
    """
    logs.configure()
    known = functions()
    if function not in known:
        raise SettingsError(f"{function} is no function; there are {', '.join(known)}")
    handler, given = load(known[function]), [_event(each) for each in events]
    environment = _environment(os.environ)
    with _mocked(environment) if moto else open_store(data or home(Path.cwd()), environment):
        for event in given:
            click.echo(json.dumps(handler(event, Invocation(_MILLISECONDS)), indent=2, ensure_ascii=False))


def home(place: Path) -> Path:
    """Return where the store is if no directory is named: samples do not belong into anybody's memory."""
    in_checkout = (place / "template.yaml").is_file()
    return place / ".cache" / "invoke" if in_checkout else of_this_person().with_name("invoke")


def _event(path: Path) -> dict[str, Any]:
    try:
        event = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise SettingsError(f"{path} is no JSON") from None
    if not isinstance(event, dict):
        raise SettingsError(f"{path} is no event: it must be a JSON object")
    return cast("dict[str, Any]", event)


def _environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a call: every tool is on where no settings say otherwise."""
    if has_settings(environment):
        return dict(environment)
    catalog = [tool.name for tool in load("cairn_tools.catalog.CATALOG")]
    every = {"settings": {"mcp": {"tools": {name: {"enabled": True} for name in ("memory", *catalog)}}}}
    return {**environment, "CAIRN_SETTINGS": json.dumps(every)}


@contextmanager
def _mocked(environment: Mapping[str, str]) -> Generator[None]:
    """Put services over moto in place; the sandbox is a process of this machine, as moto runs no functions."""
    from cairn.local.invoke.mocked import mocked_services  # noqa: PLC0415 - moto is there in a checkout alone

    with mocked_services(environment, Path.cwd()) as services:
        wiring.provide(services)
        try:
            yield
        finally:
            wiring.provide(None)
