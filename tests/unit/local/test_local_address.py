"""Where `cairn serve` listens: on this machine alone unless told, and under names that were allowed."""

from __future__ import annotations

import socket
from pathlib import Path

import httpx2
import pytest
from click.testing import CliRunner

from cairn.ground.errors import SettingsError
from cairn.local.cli import main
from cairn.local.server.address import ListenAddress
from support.installed import environment, served


def test_as_a_rule_nobody_else_can_reach_it_and_nobody_is_warned() -> None:
    address = ListenAddress()

    assert (address.host, address.port, address.is_open, address.warning()) == ("127.0.0.1", 8787, False, None)
    assert address.allowed_hosts == ("127.0.0.1", "localhost")
    assert ListenAddress("127.0.0.2").warning() is None


def test_whoever_opens_it_is_told_that_it_is_not_encrypted_and_which_names_it_answers_to() -> None:
    told = ListenAddress("0.0.0.0", names=("memory.lan", "10.1.2.3")).warning()  # noqa: S104 - what is warned of

    assert told is not None
    assert "not encrypted" in told
    assert "/metrics" in told
    assert "requests to 127.0.0.1, localhost, memory.lan, 10.1.2.3 alone" in told


@pytest.mark.parametrize(
    ("address", "shown", "hosts"),
    [
        (ListenAddress("10.1.2.3"), "10.1.2.3", ("127.0.0.1", "localhost", "10.1.2.3")),
        (ListenAddress("0.0.0.0"), "127.0.0.1", ("127.0.0.1", "localhost")),  # noqa: S104
        (ListenAddress("0.0.0.0", names=("m.lan",)), "m.lan", ("127.0.0.1", "localhost", "m.lan")),  # noqa: S104
        (ListenAddress(names=("localhost",)), "127.0.0.1", ("127.0.0.1", "localhost")),
    ],
)
def test_the_address_that_is_printed_is_one_that_is_answered(
    address: ListenAddress, shown: str, hosts: tuple[str, ...]
) -> None:
    assert (address.shown_host, address.allowed_hosts) == (shown, hosts)
    assert shown in hosts


@pytest.mark.parametrize("host", ["", "localhost", "::", "10.1.2", "127.0.0.1:80"])
def test_what_is_no_ipv4_address_is_refused(host: str) -> None:
    with pytest.raises(SettingsError, match=r"^--host: "):
        ListenAddress(host)


@pytest.mark.parametrize("name", ["", "*", "*.lan", "http://memory.lan", "memory.lan:8787", "a b", "-a", "Memory.lan"])
def test_what_is_no_name_and_every_wildcard_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match=r"^--allow-host: "):
        ListenAddress(names=(name,))


@pytest.mark.parametrize("options", [("--host", "::1"), ("--allow-host", "*")])
def test_the_command_refuses_them_with_status_2(options: tuple[str, str], tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["serve", "--data", str(tmp_path), *options])

    assert result.exit_code == 2
    assert options[0] in result.output


@pytest.mark.slow
@pytest.mark.enable_socket
def test_a_server_for_others_warns_and_a_page_that_points_a_name_of_its_own_at_it_gets_nothing(tmp_path: Path) -> None:
    options = ("--host", "0.0.0.0", "--allow-host", "Memory.Lan")  # noqa: S104 - what is tried
    with served(tmp_path, environment(tmp_path), *options) as started:
        port = started.origin.rpartition(":")[2]
        statuses = {
            host: httpx2.get(f"http://127.0.0.1:{port}/healthz", headers={"host": f"{host}:{port}"}).status_code
            for host in ("memory.lan", "localhost", "rebound.example.com", "0.0.0.0")  # noqa: S104
        }

    assert started.origin.startswith("http://memory.lan:")
    assert "Warning: other machines can reach this server on 0.0.0.0" in started.warned
    assert statuses == {"memory.lan": 200, "localhost": 200, "rebound.example.com": 400, "0.0.0.0": 400}  # noqa: S104


@pytest.mark.slow
@pytest.mark.enable_socket
def test_without_a_host_only_the_loopback_interface_is_listened_on(tmp_path: Path) -> None:
    with served(tmp_path, environment(tmp_path)) as started, socket.socket() as other:
        # Linux routes all of 127.0.0.0/8 here: a server that listens on every address would hold this one.
        other.bind(("127.0.0.3", int(started.origin.rpartition(":")[2])))
