"""Examine each connected agent: its configuration, the server, and whether what it was told has arrived."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from cairn.ground.errors import SettingsError
from cairn.local.connect import changes, known, record
from cairn.local.connect.agent import Agent, Machine
from cairn.local.connect.names import NAMES
from cairn.local.connect.record import Record
from cairn.local.doctor import transcripts
from cairn.local.doctor.arrivals import Arrivals, arrivals
from cairn.local.doctor.sessions import Sessions, Unanswered
from cairn.local.doctor.undelivered import Undelivered, since
from cairn.local.hook import client_file
from cairn.local.hook.client_file import Client
from cairn.local.hook.private_files import state_directory
from cairn.local.own_names import DEFAULT_PROJECT


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of something, in words, and whether all is well with it."""

    subject: str
    said: str
    is_well: bool


def examine(machine: Machine, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> list[Finding]:
    """Return a finding for the server and one for each agent that is connected."""
    try:
        client, kept = client_file.read(machine.environment), record.read(machine.environment)
    except SettingsError as error:
        return [Finding("Cairn", str(error), is_well=False)]
    names = [name for name in NAMES if name in kept.agents or _is_connected(name, machine)]
    if not names:
        return [Finding("Cairn", "no agent is connected: run cairn connect", is_well=False)]
    one = _Examination(machine, client, kept, now())
    return [one.server(), *(one.agent(name) for name in names)]


class _Examination:
    def __init__(self, machine: Machine, client: Client, kept: Record, now: datetime) -> None:
        self._machine = machine
        self._client = client
        self._record = kept
        self._now = now
        self._sessions = Sessions(client)
        self._undelivered = Undelivered.of(state_directory(machine.environment))
        self._is_reached = False

    def server(self) -> Finding:
        """Tell whether the server answers and takes the key."""
        try:
            self._sessions.of(self._client.project or DEFAULT_PROJECT, self._now)
        except Unanswered as error:
            return Finding("Server", str(error), is_well=False)
        self._is_reached = True
        return Finding("Server", f"{self._client.url} answers and takes the key", is_well=True)

    def agent(self, name: str) -> Finding:
        """Tell whether an agent is connected as it should be, and whether its turns arrive."""
        try:
            agent = known.agent(name, self._machine, self._client)
            wrong = [*_misconfigured(agent), *self._lost(name)]
            arrived = self._arrivals(agent)
        except (SettingsError, Unanswered) as error:
            return Finding(name, str(error), is_well=False)
        if not self._is_reached:
            wrong.append("nothing arrives from it now")
        elif arrived is not None and arrived.goes_on:
            wrong += self._missing(agent, arrived)
        if wrong:
            return Finding(agent.title, "; ".join([*wrong, *self._last_error(name)]), is_well=False)
        return Finding(agent.title, self._told(agent, arrived), is_well=True)

    def _arrivals(self, agent: Agent) -> Arrivals | None:
        """Return which sessions arrived since the agent was connected, None where that cannot be told."""
        begun = self._record.agents.get(agent.name)
        if begun is None or not agent.has_hooks or not self._is_reached:
            return None
        read = transcripts.newest(agent.name, self._machine, begun)
        return None if read is None else arrivals(read, self._sessions, self._client.project, self._now)

    def _lost(self, name: str) -> Iterator[str]:
        """Tell of events that hooks could not deliver."""
        for url, waiting in self._undelivered.by_server(name).items():
            told = f"{len(waiting)} events wait since {since(waiting)}"
            if url == self._client.url:
                yield f"{told}, and are sent with the next hook that reaches the server"
            else:
                yield f"{told} for {url}, which is not the server any more"
        failing = self._undelivered.failing.get(name)
        if failing:
            yield f"not delivered since it failed, last at {max(failing.values())}: {', '.join(failing)}"

    def _missing(self, agent: Agent, arrived: Arrivals) -> Iterator[str]:
        """Tell of sessions whose newest turns did not arrive."""
        newest, last = arrived.lost[0], self._undelivered.delivered.get(agent.name)
        yield (
            f"of its {len(arrived.read)} newest sessions, turns of {len(arrived.lost)} did not arrive, since "
            f"{_shown(arrived.since)}; the newest is {newest.session} in {newest.folder}"
        )
        yield f"the last event arrived: {last or 'never'}"
        if last is None:
            yield from agent.notes

    def _last_error(self, name: str) -> list[str]:
        error = self._undelivered.errors.get(name)
        return [f"the last error: {error}"] if error else []

    def _told(self, agent: Agent, arrived: Arrivals | None) -> str:
        begun, last = self._record.agents.get(agent.name), self._undelivered.delivered.get(agent.name)
        connected = f"connected since {_shown(begun)}" if begun else "connected"
        if not agent.has_hooks:
            return f"{connected}, without hooks: its model decides what is kept"
        if arrived and arrived.lost:
            return f"{connected}; its newest sessions arrived, of {len(arrived.lost)} before turns are missing"
        if arrived and arrived.read:
            return f"{connected}; the newest turn of each of its sessions arrived; looked at: {len(arrived.read)}"
        if last:
            return f"{connected}; the last event arrived at {last}"
        if arrived is None:
            return f"{connected}; whether its turns arrive cannot be told from here"
        return f"{connected}; no turn of it has ended since, so that nothing is known of its hooks yet"


def _misconfigured(agent: Agent) -> Iterator[str]:
    """Tell of a configuration that is not what connecting would write."""
    needed = changes.connecting(agent)
    if needed:
        paths = " and ".join(str(each.path) for each in needed)
        yield f"{paths} is not as it should be for this program: run cairn connect {agent.name}"


def _is_connected(name: str, machine: Machine) -> bool:
    try:
        return known.is_connected(known.agent(name, machine))
    except SettingsError:
        return False


def _shown(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
