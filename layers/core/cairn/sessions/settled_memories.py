"""Note on a branch whether a memory of its project is kept, so that it can be forgotten there, and is not kept twice.

The project's own note stays as it is, and may change after the branch's moment.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from cairn.ground.adapters import Pending
from cairn.ground.attributes import text
from cairn.ground.errors import ConditionFailed
from cairn.ground.ids import is_branch, trunk
from cairn.ground.session import Session
from cairn.ground.table import ABSENT, Key, Put
from cairn.log.layout import log_pk, memory_sk
from cairn.log.memories import FORGOTTEN, KEPT
from cairn.sessions.services import SessionServices


def settle(services: SessionServices, session: Session, owner: str, name: str) -> None:
    """Note whether the memory of this id is kept, where it is called for on a branch that has no note of it."""
    if not is_branch(session.project):
        return
    table, sk = services.adapters.table, memory_sk(name)
    noted = Pending(partial(table.get, Key(log_pk(session.tenant, trunk(session.project), owner), sk)))
    services.adapters.parallel([partial(services.log.refresh, session.tenant, session.project, owner), noted])
    with services.log.view(session.tenant, session.project, owner) as view:
        memory, ending = view.memory(name), view.ending(name)
    if memory is None or (there := noted.result) is None:
        return
    state = {"state": FORGOTTEN, "ended": text(there, "ended", "")} if ending else {"state": KEPT}
    item = {"pk": log_pk(session.tenant, session.project, owner), "sk": sk, "type": memory.type, **state}
    with suppress(ConditionFailed):  # it was noted before, or is of the branch
        table.put(Put(item, ABSENT))
