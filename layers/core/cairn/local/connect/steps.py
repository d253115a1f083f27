"""Connect agents, or remove them: show what changes, ask, and write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import click

from cairn.ground.errors import SettingsError
from cairn.local.connect import changes, known, own_key, record
from cairn.local.connect.agent import Agent, Machine
from cairn.local.connect.changes import Change
from cairn.local.connect.connection import PLACEHOLDER, Plan, Wanted, plan, stored
from cairn.local.connect.diff import masked, shown
from cairn.local.connect.names import NAMES
from cairn.local.hook import client_file
from cairn.local.hook.client_file import Client
from cairn.local.program import program


class Steps:
    """Connects agents of a machine, or removes them, one after the other."""

    def __init__(self, machine: Machine, wanted: Wanted, *, is_printed: bool, is_asked: bool) -> None:
        """Write nothing where it is only printed, and ask before where that is wanted."""
        self._machine = machine
        self._environment = machine.environment
        self._wanted = wanted
        self._is_printed = is_printed
        self._is_asked = is_asked
        self._record = record.read(machine.environment)
        self._stored = stored(machine.environment)

    def with_each(self, names: Sequence[str], *, is_removed: bool) -> bool:
        """Connect or remove these agents, without names all that are found; tell whether each could be.

        SettingsError where the only one could not be.
        """
        chosen = dict.fromkeys(names or (each.name for each in known.every(self._machine) if each.is_here))
        done = True
        for name in chosen:
            try:
                self.remove(name) if is_removed else self.connect(name)
            except SettingsError as error:
                if len(chosen) == 1:
                    raise
                done = False
                click.secho(f"{name}: {error}", fg="red", err=True)
        if not chosen:
            click.echo("No agent was found on this machine.")
        return done

    def connect(self, name: str) -> None:
        """Show, ask and write."""
        planned = plan(self._wanted, self._stored, self._record)
        agent = known.agent(name, self._machine, planned.client)
        needed = changes.connecting(agent)
        if not needed and planned == Plan(self._stored or planned.client) and name in self._record.agents:
            click.echo(f"{agent.title} is connected to {planned.client.url} already: nothing changes.")
            return
        self._show(needed)
        if planned.client != self._stored:
            at = client_file.location(self._environment)
            click.echo(f"{at}: {_client_shown(planned)}\n")
        if not self._may_go_on(f"Make Cairn the memory of {agent.title}?"):
            return
        client = self._with_key(planned)
        agent = known.agent(name, self._machine, client)
        before, self._stored = self._stored, client
        if client != before:
            client_file.write(client, self._environment)
        changes.connect(changes.connecting(agent))
        _tell(agent, client)
        others = [each for each in self._record.agents if each != name]
        if others and client != before:
            click.echo(f"The others are told of the change by: {program()} connect {' '.join(others)}")
        self._keep(self._record.having(name, datetime.now(UTC)))

    def remove(self, name: str) -> None:
        """Show, ask and take out; with the last agent, the key is revoked and the client file goes."""
        agent = known.agent(name, self._machine, self._stored or known.UNKNOWN)
        needed = changes.removing(agent)
        if not needed and name not in self._record.agents:
            click.echo(f"Cairn is not in the configuration of {agent.title}: nothing changes.")
            return
        self._show(needed)
        if not self._may_go_on(f"Take Cairn out of {agent.title}?"):
            return
        changes.remove(changes.removing(agent))  # as the files are now: an agent may have written while it was asked
        click.echo(f"Cairn is not the memory of {agent.title} any more. What was stored stays.")
        self._keep(self._record.without(name))
        if not _others(self._machine):
            self._end_key()

    def _end_key(self) -> None:
        """Revoke the keys that were made for agents, and delete the client file: nobody uses them any more."""
        for key_id in self._record.keys:
            if own_key.revoke(self._wanted.data, key_id):
                click.echo(f"Key {key_id} opens nothing any more.")
        client_file.location(self._environment).unlink(missing_ok=True)
        self._stored = None
        self._keep(record.Record())

    def _show(self, needed: Sequence[Change]) -> None:
        for each in needed:
            click.echo(shown(each))

    def _may_go_on(self, question: str) -> bool:
        if self._is_printed:
            click.echo("Nothing was written.")
            return False
        if self._is_asked and not click.confirm(question, default=True):
            click.echo("Nothing was written.")
            return False
        return True

    def _with_key(self, planned: Plan) -> Client:
        if planned.asks_key:
            return planned.client._replace(key=click.prompt("API key", hide_input=True))
        if not planned.makes_key:
            return planned.client
        issued = own_key.make(self._wanted.data, planned.client.project)
        self._keep(replace(self._record, keys=(*self._record.keys, issued.credential.id), data=self._wanted.data))
        return planned.client._replace(key=issued.text)

    def _keep(self, kept: record.Record) -> None:
        self._record = kept
        record.write(kept, self._environment)


def _client_shown(planned: Plan) -> str:
    project = f", project {planned.client.project}" if planned.client.project else ""
    if planned.client.key != PLACEHOLDER:
        return f"{planned.client.url}, {masked(f'Bearer {planned.client.key}').removeprefix('Bearer ')}{project}"
    key = "a new API key of yours" if planned.makes_key else "the API key that you are asked for"
    return f"{planned.client.url} and {key}{project}"


def _others(machine: Machine) -> bool:
    """Tell whether Cairn is still in the configuration of any agent; of one that cannot be read, it may be."""
    for name in NAMES:
        try:
            if known.is_connected(known.agent(name, machine)):
                return True
        except SettingsError:
            return True
    return False


def _tell(agent: Agent, client: Client) -> None:
    click.echo(f"Cairn at {client.url} is the memory of {agent.title}, from its next start on.")
    holding = [str(file.path) for file in agent.configurations if file.holds_key]
    if holding:
        click.echo(f"The API key stands in {' and '.join(holding)} too, which only you can read.")
    for note in agent.notes:
        click.echo(note)
    click.echo(f"To check it: {program()} doctor")
