"""An agent's own files in a process of their own."""

from __future__ import annotations

from builders import SESSION
from cairn.engine import Engine
from cairn.files.files import WriteMode
from cairn.files.layout import FILES
from cairn.files.service import Files
from cairn.ground.settings import Limits, MemorySettings
from cairn.ground.table import Key
from cairn.ground.world import World
from cairn.log.layout import registry_pk

APPEND, OVERWRITE, TRUNCATE = WriteMode.APPEND, WriteMode.OVERWRITE, WriteMode.TRUNCATE


def files_of(world: World, **limits: int) -> Files:
    return Engine.over(world, lambda _: MemorySettings(), Limits(**limits)).files


def usage(world: World) -> int:
    where = Key(registry_pk(SESSION.tenant, SESSION.project), FILES)
    return int((world.table.get(where) or {"bytes": 0})["bytes"])
