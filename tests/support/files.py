"""A session's files: an agent's own, and its memory as files, read as a client reads them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from typing import Any

from cairn.files.files import WriteMode
from cairn.files.layout import FILES
from cairn.files.service import Files
from cairn.ground.adapters import Adapters
from cairn.ground.settings import Limits
from cairn.ground.table import Key
from cairn.log.layout import registry_pk
from cairn.settings.settings import Settings
from support.services import services_over
from support.turns import SESSION

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

APPEND, OVERWRITE, TRUNCATE = WriteMode.APPEND, WriteMode.OVERWRITE, WriteMode.TRUNCATE
ROOT = "/memory/monday"
DAY, MONTH = r"\d{4}/\d\d/\d\d", r"\d{4}/\d\d"
LAYOUT = {
    "meta": r"meta/(state|policy|watermarks)\.json",
    "raw": rf"events/raw/{DAY}/log-\d{{8}}\.jsonl",
    "compact": rf"events/compact/{DAY}/compact-\d{{8}}\.jsonl",
    "archive": rf"events/archive/{DAY}/log-\d{{8}}\.jsonl\.zst",
    "L0": rf"memory_tiers/L0/{MONTH}/facts-\d{{6}}\.jsonl",
    "L1": rf"memory_tiers/L1/{MONTH}/facts-\d{{8}}\.jsonl",
    "L2": r"memory_tiers/L2/\d{4}/\d\d/facts-\d{4}-W\d\d\.jsonl",
    "context": r"runtime/context/current\.jsonl",
    "index": r"indexes/active_facts\.json",
    "summary": r"(.+/)?\.(abstract|overview)",
}


def files_of(adapters: Adapters, **limits: int) -> Files:
    return services_over(adapters, Settings(memory_enabled=True, limits=Limits(**limits))).files


def usage(adapters: Adapters) -> int:
    where = Key(registry_pk(SESSION.tenant, SESSION.project), FILES)
    return int((adapters.table.get(where) or {"bytes": 0})["bytes"])


class Reader:
    """Reads the files of one session by the document alone."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = {path.removeprefix(f"{ROOT}/"): content for path, content in files.items()}
        kinds = {path: [kind for kind, shape in LAYOUT.items() if re.fullmatch(shape, path)] for path in self.files}
        assert all(len(kind) == 1 for kind in kinds.values()), kinds
        self.kinds = {path: kind[0] for path, kind in kinds.items()}

    def lines(self, *kinds: str) -> list[dict[str, Any]]:
        return [json.loads(line) for path in self.paths(*kinds) for line in self._text(path).splitlines()]

    def document(self, path: str) -> Any:
        return json.loads(self.files[path])

    def paths(self, *kinds: str) -> list[str]:
        return sorted(path for path, kind in self.kinds.items() if kind in kinds)

    def events(self) -> list[dict[str, Any]]:
        return sorted(self.lines("archive", "raw"), key=lambda event: event["ts"])

    def believed(self, at: str) -> set[tuple[str, str]]:
        """Return what was believed at a moment, from the facts of all tiers."""
        return {
            (fact["fact_id"], fact["value"])
            for fact in self.lines("L0", "L1", "L2")
            if fact["valid_from"] <= at
            and (fact["valid_to"] is None or at < fact["valid_to"])
            and (fact["expires_at"] is None or at < fact["expires_at"])
        }

    def homes(self, at: str) -> set[str]:
        return {value for kind, value in self.believed(at) if kind == "user_home"}

    def _text(self, path: str) -> str:
        content = self.files[path]
        return (zstd.decompress(content) if path.endswith(".zst") else content).decode()
