"""What `cairn hook` loads, for which an agent waits at each event: modules, since a clock tells of the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    *("asyncio", "click", "configparser", "cryptography", "dataclasses", "httpx2", "importlib.metadata", "inspect"),
    *("logging", "pydantic", "subprocess", "tempfile", "urllib.request", "urllib3", "uuid"),
}
MOST_OF_OURS = 18
MOST_MODULES = 150
"""Modules that it loads in all; http.client alone, with what Python starts with, are 99 in Python 3.11."""
HOOK = """
import os, sys
sys.argv = ["cairn", "hook", "claude-code"]
leave = os._exit
os._exit = lambda status: (print(*sys.modules, file=sys.stderr, flush=True), leave(status))
from cairn.local.start import main
main()
"""


def loaded(home: Path, **environment: str) -> set[str]:
    """Return the modules that a hook has loaded when it has tried a server and kept the event."""
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    run = subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-c", HOOK],
        input='{"prompt": "Which colour?"}',
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=home,
        env={**kept, "HOME": str(home), "CAIRN_KEY": "cairn_x", **environment},
    )
    assert run.stdout == "{}\n"
    assert (home / ".local/state/cairn/hooks.spool").exists()
    return set(run.stderr.split())


@pytest.mark.slow
def test_a_hook_loads_little(tmp_path: Path) -> None:
    modules = loaded(tmp_path, CAIRN_URL="http://127.0.0.1:1")

    assert modules & HEAVY == set()
    ours = {each for each in modules if each.partition(".")[0].partition("_")[0] == "cairn"}
    assert "cairn.local.hook.sending" in ours
    assert len(ours) <= MOST_OF_OURS, sorted(ours)
    assert len(modules) <= MOST_MODULES, sorted(modules)


@pytest.mark.slow
def test_what_proxies_need_is_loaded_where_one_is_set(tmp_path: Path) -> None:
    modules = loaded(tmp_path, CAIRN_URL="https://127.0.0.2:1", HTTPS_PROXY="http://127.0.0.1:1")

    assert "urllib.request" in modules
