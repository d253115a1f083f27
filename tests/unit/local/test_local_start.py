"""Where Cairn does not run, one sentence says so before anything fails to import."""

from __future__ import annotations

import subprocess
import sys

import pytest

from cairn.local import start

AS_WINDOWS = """
import sys
sys.platform = "win32"
sys.modules["fcntl"] = None
from cairn.local.start import main
main()
"""


@pytest.mark.parametrize("platform", ["win32", "cygwin"])
def test_windows_is_told_that_it_needs_wsl(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)

    with pytest.raises(SystemExit, match=r"^Cairn runs on Linux and macOS\. On Windows, install WSL"):
        start.main()


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_linux_and_macos_are_told_nothing(platform: str) -> None:
    assert start.objection(platform) is None


@pytest.mark.slow
def test_windows_is_told_before_what_it_lacks_is_imported() -> None:
    done = subprocess.run([sys.executable, "-c", AS_WINDOWS], capture_output=True, text=True, check=False)  # noqa: S603 - this Python

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [start.objection("win32")]
