"""`cairn service`: have systemd or launchd run `cairn serve`."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import click

from cairn.ground.errors import SettingsError
from cairn.local.directory import default_directory, prepare
from cairn.local.options import data_option
from cairn.local.program import program
from cairn.local.service.definition import Definition, launchd, systemd

_SECONDS = 30
_PASSING = {"cache", ".cache", "archive-v0"}
"""Folders of environments that uvx and pipx run make for one use."""
port_option = click.option(
    "--port", default=8787, show_default=True, type=click.IntRange(1, 65535), help="The port that it listens on."
)


@click.group()
def service() -> None:
    """Run the server whenever you are logged in, by systemd or launchd."""


@service.command()
@port_option
@data_option
def install(port: int, data: Path | None) -> None:
    """Write a user unit for systemd, or an agent for launchd, and print what to run to start it.

    It runs this install of Cairn on 127.0.0.1. The file holds no key: if there is none yet, the first API key is made
    and printed now, since what the server prints would stand in a log.
    """
    directory = prepare(data or default_directory(os.environ))
    definition = _definition(port, directory)
    if definition.path.exists() and not definition.is_ours():
        raise SettingsError(f"{definition.path} is there and was not written by this command: move it away first")
    key = _first_key(directory)
    try:
        definition.path.parent.mkdir(parents=True, exist_ok=True)
        definition.path.write_text(definition.text, encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"{definition.path} cannot be written: {error.strerror}") from None
    click.echo(f"Wrote {definition.path}:\n\n{definition.text}")
    if key:
        click.echo(f"API key  {key}  (shown this once)\n")
    click.echo("Start it, now and whenever you log in:")
    for words in definition.start:
        click.echo(f"  {shlex.join(words)}")
    click.echo(f"Its log:\n  {definition.log}")
    for each in _doubts():
        click.secho(each, fg="yellow", err=True)


@service.command()
def uninstall() -> None:
    """Stop the service and remove its file. What was stored stays."""
    definition = _definition(1, Path())
    if not definition.path.exists():
        raise click.ClickException(f"{definition.path} is not there: nothing to remove")
    if not definition.is_ours():
        raise SettingsError(f"{definition.path} was not written by cairn service install: remove it yourself")
    stopped = _asked(definition.stop)
    for path in (definition.path, *definition.links):
        path.unlink(missing_ok=True)
    click.echo(f"Removed {definition.path}. What was stored stays.")
    if stopped is None:
        click.echo(f"It may still run; to stop it:\n  {shlex.join(definition.stop)}")


@service.command()
def status() -> None:
    """Say whether the service is installed and runs. The exit status is 1 where it does not."""
    definition = _definition(1, Path())
    if not definition.path.exists():
        raise click.ClickException(f"not installed: {definition.path} is not there. Run: {program()} service install")
    click.echo(f"Installed in {definition.path}")
    if _asked(definition.state) is None:
        raise click.ClickException(f"it does not run. To start it: {' && '.join(map(shlex.join, definition.start))}")
    click.echo(f"It runs; its log: {definition.log}")


def _definition(port: int, directory: Path) -> Definition:
    script = Path(sys.executable).with_name("cairn")
    called = [str(script)] if script.is_file() else [sys.executable, "-P", "-m", "cairn.local"]
    command = [*called, "serve", "--port", str(port), "--data", str(directory)]
    match sys.platform:
        case "darwin":
            return launchd(command, os.getuid(), Path.home())
        case "linux":
            return systemd(command, os.environ, Path.home())
        case _:
            raise SettingsError(f"cairn service knows systemd and launchd; on {sys.platform} run: cairn serve")


def _first_key(directory: Path) -> str | None:
    from cairn.local.server.serve import first_key  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.store import operator_services  # noqa: PLC0415

    return first_key(operator_services(directory, os.environ).credentials)


def _doubts() -> list[str]:
    """Return what may keep the service from running as `cairn serve` does here."""
    told: list[str] = []
    if _PASSING & set(Path(sys.prefix).parts):
        told.append(
            f"Warning: Cairn runs from a cache that may be emptied, {sys.prefix}. Install it with uv tool install or "
            "pipx, then run this again."
        )
    given = sorted(name for name in os.environ if name.startswith(("CAIRN_", "LUMERA_")) and name != "CAIRN_DATA")
    if given:
        told.append(f"Warning: the service does not get what is set in this shell alone: {', '.join(given)}.")
    return told


def _asked(words: tuple[str, ...]) -> str | None:
    """Return what the program says that runs services; None where it refuses, or is not there."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603 - our own words
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout
