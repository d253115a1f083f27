"""Run the sandbox as a child process, one for each call."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

from cairn.ground import sandbox_messages as sandbox
from cairn.ground.errors import Unavailable
from cairn.ground.ports import SANDBOX_SECONDS

# Isolated (-I): no PYTHON* variable, no directory of the user's and not the working directory decide what is loaded.
PROGRAM = (sys.executable, "-I", "-m", "cairn_sandbox")


class ProcessSandbox:
    """Runs standard tools in a child that sees only its request and the given environment, and is killed if late."""

    def __init__(
        self, environment: Mapping[str, str], program: Sequence[str] = PROGRAM, seconds: float = SANDBOX_SECONDS
    ) -> None:
        """Start this program, with these variables and a PATH."""
        self._environment = {"PATH": os.defpath, **environment}
        self._program = program
        self._seconds = seconds

    def invoke(self, tool: str, arguments: Mapping[str, object], request_id: str) -> Mapping[str, object]:
        """Return the tool's result, or raise the CairnError it ended with."""
        try:
            ended = subprocess.run(  # noqa: S603 - our own program, told nothing but its request
                self._program,
                input=sandbox.request(tool, arguments, request_id),
                env=self._environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=self._seconds,
                check=True,
            )
        except (subprocess.SubprocessError, OSError):  # their texts hold the output
            raise Unavailable("The sandbox gave no answer") from None
        return sandbox.answer(ended.stdout)
