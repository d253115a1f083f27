"""`cairn serve --oauth-port`: two ports of one process, of which one tells clients of the issuer."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from click.testing import CliRunner

from cairn.local.cli import main

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]

ISSUER = "https://login.example.com/realm"
LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
WELL_KNOWN = "/.well-known/oauth-protected-resource/mcp"


@pytest.fixture
def origins(tmp_path: Path) -> Iterator[list[str]]:
    """Start a server with both ports and return their origins, the one for keys first."""
    command = [sys.executable, "-m", "cairn.local", "serve", "--port", "0", "--oauth-port", "0"]
    environment = {**os.environ, "CAIRN_AUTH_OIDC_ISSUER": ISSUER, "CAIRN_DATA": str(tmp_path / "store")}
    with (
        (tmp_path / "log").open("w") as log,
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True) as server,  # noqa: S603 - our own
    ):
        said = ""
        for line in server.stdout or ():
            said += line
            if line.startswith("Stop with"):
                break
        yield re.findall(r"^(?:Cairn serves MCP at|  sign-in ) (http://\S+)/mcp$", said, re.MULTILINE)
        server.terminate()


def test_the_oauth_port_alone_leads_to_the_issuer(origins: list[str]) -> None:
    keys, oauth = origins
    for claimed in ({}, {"host": oauth.removeprefix("http://")}):
        refused = httpx2.post(f"{keys}/mcp", json=LIST_TOOLS, headers=claimed)
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        assert httpx2.get(f"{keys}{WELL_KNOWN}", headers=claimed).status_code == 404

    challenge = httpx2.post(f"{oauth}/mcp", json=LIST_TOOLS).headers["www-authenticate"]
    assert f'resource_metadata="{oauth}{WELL_KNOWN}"' in challenge
    document = httpx2.get(f"{oauth}{WELL_KNOWN}").json()
    assert (document["resource"], document["authorization_servers"]) == (f"{oauth}/mcp", [ISSUER])


def test_an_oauth_port_without_an_issuer_is_refused_by_name(tmp_path: Path) -> None:
    options = ["--port", "0", "--oauth-port", "0", "--data", str(tmp_path / "store")]

    result = CliRunner().invoke(main, ["serve", *options])

    assert result.exit_code == 2
    assert "--oauth-port" in result.output
    assert "settings.mcp.auth.oidc.issuer" in result.output
