"""Answer one question over a store in this new process, and tell what memory it took.

It imports what recall needs and no more, as its time from start to end is what recall_scale measures.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import cast

from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, SessionId, Tenant, UserId
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.memories.model import RecallRequest
from cairn.memories.recall import recall
from cairn.models.minilm import MiniLm
from cairn.process.system import SystemClock, SystemEntropy, in_turn
from cairn.recall.filter import SearchMode
from over_adapters import services_over

_STATUS = Path("/proc/self/status")


def main() -> None:
    """Put the question that is given after directory, mode, tenant, project and user."""
    directory, mode, tenant, project, user, query = sys.argv[1:]
    store = Path(directory)
    adapters = Adapters(
        table=SqliteTable(store / "table.db"),
        blobs=DirectoryBlobs(store / "blobs"),
        keys=LocalKeyRing(bytes(32)),
        clock=SystemClock(),
        entropy=SystemEntropy(),
        parallel=in_turn,
    )
    embedder = MiniLm(Path(sys.prefix, "share/cairn/model"))
    services = services_over(adapters, MemorySettings(recall_scope="user"), embedder)
    session = Session(Tenant(tenant), Project(project), SessionId("asking"))
    asked = RecallRequest(query=query, mode=cast("SearchMode", mode), min_confidence=0, user_id=UserId(user))
    found = recall(services, session, asked).found
    peak = next(line for line in _STATUS.read_text("utf-8").splitlines() if line.startswith("VmHWM"))
    print(json.dumps({"megabytes": int(peak.split()[1]) / 1024, "found": len(found)}))


if __name__ == "__main__":
    main()
