"""An agent's own files in a process of their own."""

from __future__ import annotations

from builders import SESSION
from cairn.domain import layout
from cairn.domain.files import WriteMode
from cairn.domain.settings import Limits, MemorySettings
from cairn.domain.table import Key
from cairn.service.engine import Engine
from cairn.service.files import Files
from cairn.service.world import World

APPEND, OVERWRITE, TRUNCATE = WriteMode.APPEND, WriteMode.OVERWRITE, WriteMode.TRUNCATE


def files_of(world: World, **limits: int) -> Files:
    return Engine.over(world, lambda _: MemorySettings(), Limits(**limits)).files


def usage(world: World) -> int:
    where = Key(layout.registry_pk(SESSION.tenant, SESSION.project), layout.FILES)
    return int((world.table.get(where) or {"bytes": 0})["bytes"])
