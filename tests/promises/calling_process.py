"""Call tools without end on a data directory, as two threads, for a test that kills this process."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path
from threading import Thread

from cairn import wiring
from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.local.store import LOCAL_TENANT, open_store
from cairn.tool.call import Call
from cairn_tools.getContext import getContext
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn


def main(data: Path, run: str) -> None:
    """Say "calling" once the first call is answered."""
    with open_store(data, {}):
        call = Call(Caller(LOCAL_TENANT, frozenset({"read", "write"}), "r", (ALL_PROJECTS,)), wiring.services())

        def read() -> None:
            while True:
                getContext.execute(dict(getContext.example), call)

        getContext.execute(dict(getContext.example), call)
        sys.stdout.write("calling\n")
        sys.stdout.flush()
        Thread(target=read, daemon=True).start()
        for number in count():
            memory_after_turn.execute({**EXAMPLE, "session_id": run, "turn_id": f"{run}-{number}"}, call)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
