"""Whatever moment a process is killed at, its audit records show no removal."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from cairn import wiring
from cairn.local.store import LOCAL_TENANT, open_store

CALLING_PROCESS = Path(__file__).with_name("calling_process.py")
KILLS = 12


@pytest.mark.slow
@pytest.mark.req("R309")
def test_twelve_kills_leave_no_false_alarm(tmp_path: Path) -> None:
    lives = Random(4)  # noqa: S311 - moments to be killed at, no secrets
    records = 0
    for kill in range(KILLS):
        command = [sys.executable, str(CALLING_PROCESS), str(tmp_path / "store"), f"run-{kill}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:  # noqa: S603 - our own script
            assert process.stdout is not None
            assert process.stdout.readline() == "calling\n"
            with suppress(subprocess.TimeoutExpired):
                process.wait(lives.uniform(0, 0.1))
            process.kill()
        with open_store(tmp_path / "store", {}):
            found = wiring.services().audit.verify(LOCAL_TENANT)
        assert list(found.findings) == [], kill
        assert found.unsealed > records
        records = found.unsealed
