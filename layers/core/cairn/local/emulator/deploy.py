"""`cairn deploy --emulator`: deploy the template to an AWS emulator on this machine."""

from __future__ import annotations

import signal
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import click

from cairn.local.emulator.deployment import keys, prepare
from cairn.local.emulator.emulator import emulated
from cairn.local.server.announcement import announce
from cairn.local.store import LOCAL_TENANT

HOME = Path(".cache") / "emulator"


def deploy(checkout: Path, port: int) -> None:
    """Build, start, deploy and make a key, then serve until SIGINT or SIGTERM; SettingsError where that cannot be."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    home = checkout / HOME
    deployment = prepare(checkout, home, {})
    with _step("Building"):
        deployment.build()
    # IAM is off: the emulator has neither TLS nor encryption contexts, without which the template's policies refuse.
    with emulated(deployment.emulator, home, port, iam=False) as emulator:
        with _step("Deploying"):
            outputs = deployment.deploy(emulator.endpoint)
        key = keys(["create", "--tenant", LOCAL_TENANT], emulator.endpoint, outputs)
        announce([f"{gateway(emulator.endpoint, outputs)}/mcp"], home, key)
        with suppress(KeyboardInterrupt):
            emulator.process.wait()
    click.echo(f"Stopped. What was stored is kept in {home} for the next start.")


def gateway(endpoint: str, outputs: Mapping[str, str]) -> str:
    """Return the API's address under the emulator's own, which needs no name to be resolved."""
    api, _, _ = urlsplit(outputs["ApiUrl"]).netloc.partition(".")
    return f"{endpoint}/_aws/execute-api/{api}"


@contextmanager
def _step(name: str) -> Generator[None]:
    click.echo(f"{name} ... ", nl=False)
    started = time.monotonic()
    yield
    click.echo(f"{time.monotonic() - started:.0f} s")
