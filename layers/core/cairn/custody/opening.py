"""Open every stored item as its room does, to tell whether it is what was written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cairn.archive.model import Entry as ArchiveEntry
from cairn.calls.day_marker import DayMarker
from cairn.calls.receipts import opened as receipt_opened
from cairn.calls.record import AuditRecord
from cairn.calls.sealing import ChainEnd
from cairn.custody.task import Task
from cairn.documents.contents import opened
from cairn.documents.layout import USAGE as DOCUMENTS_USAGE
from cairn.documents.layout import place_of
from cairn.documents.model import Held
from cairn.documents.model import Usage as DocumentsUsage
from cairn.files.store import FileRecord
from cairn.ground.attributes import number, text
from cairn.ground.damage import MALFORMED
from cairn.ground.errors import CairnError, CorruptData
from cairn.ground.ids import Tenant
from cairn.ground.table import DAMAGED, Attributes, Key, tenant_of
from cairn.items.guards import Guard as ItemGuard
from cairn.items.head import Head as ItemLogHead
from cairn.items.rows import Row, items_of
from cairn.keyvalue.model import Entry, Usage
from cairn.log.layout import KEPT_COUNT
from cairn.log.manifest import Manifest
from cairn.log.newest import Newest
from cairn.log.view import MemoryView
from cairn.plans.model import Plan
from cairn.sessions.guards import Guard
from cairn.sessions.head import Head
from cairn.sessions.layout import event_sk, session_of
from cairn.sessions.recent_turns import turns_of
from cairn.sessions.services import SessionServices
from cairn.sessions.stored_turn import StoredTurn
from cairn.sessions.summary import StoredSummary, Summary
from cairn.vault.data_key import WrappedKey
from cairn.vault.vault import blob_of

Open = Callable[[Tenant, Attributes], Any]


def kind_of(pk: str) -> str:
    """Return the kind of a partition: what follows its tenant, and for those of projects and namespaces how deep."""
    _, kind, *rest = pk.split("#", 3)
    return f"{kind}{len(rest)}" if kind in {"m", "k", "audit", "i"} else kind


class Opening:
    """Opens items of each kind."""

    def __init__(self, services: SessionServices) -> None:
        """Open with these keys."""
        self._vault = services.vault
        self._keys = services.adapters.keys
        self._openers: Mapping[tuple[str, str], Open] = {
            ("keys", "data"): lambda tenant, item: self._keys.unwrap(tenant, WrappedKey.of(item).wrapped),
            ("s", "e#~"): lambda _, item: (Head.of(item), session_of(Key.of(item).pk)),
            ("s", "e#}"): lambda _, item: [number(item, name, 0) for name in ("kept", "forgotten", "erased")],
            **{("s", place): self._summary for place in ("e#|", "cmp")},
            ("s", "e#"): self._turn,
            ("s", "turn"): lambda _, item: Guard.of(item),
            ("s", "arc"): lambda _, item: turns_of(self._vault, session_of(Key.of(item).pk), item),
            ("s", "files"): lambda _, item: number(item, "tree"),
            ("s", "file"): lambda tenant, item: (FileRecord.of(item), self._content(tenant, item)["parts"]),
            ("s", "drop"): lambda _, item: text(item, "blobs"),
            ("m2", "m"): lambda tenant, item: MemoryView().apply(self._content(tenant, item)),
            ("m2", "m~segments"): lambda _, item: Manifest.of(item),
            ("m2", KEPT_COUNT): lambda _, item: number(item, "kept"),
            ("m2", "m~tail"): lambda _, item: Newest.of(item),
            ("m2", "id"): lambda _, item: text(item, "state"),
            ("m2", "gone"): lambda _, item: text(item, "digest"),
            ("m1", "files"): lambda _, item: number(item, "bytes"),
            ("x", "r"): lambda tenant, item: (number(item, "expires_at"), self._content(tenant, item)["at"]),
            **self._of_logs_and_documents(),
            ("k1", "v"): self._value,
            ("k1", "n"): lambda _, item: Entry.of(item),
            ("k1", "e!usage"): lambda _, item: Usage.of(item),
            ("k0", "e!usage"): lambda _, item: Usage.of(item),
            ("audit1", ""): lambda tenant, item: AuditRecord.of(tenant, item).subject,
            ("asked", ""): lambda tenant, item: (number(item, "expires_at"), receipt_opened(self._vault, tenant, item)),
            ("audit0", "day"): lambda _, item: DayMarker.of(item),
            ("audit0", "digest"): lambda _, item: ChainEnd.of(item),
            ("tasks", "task"): lambda tenant, item: Task.of_item(item, self._content(tenant, item)),
            ("tasks", "now"): lambda _, item: (text(item, "task"), number(item, "run")),
            ("tasks", "part"): lambda tenant, item: (text(item, "isk"), self._content(tenant, item)),
            ("plans", "plan"): lambda tenant, item: Plan.of_item(item, self._content(tenant, item) or {}),
            ("plans", "lines"): self._content,
            ("rates", ""): lambda _, item: number(item, "full_at"),
            **{("a", place): lambda _, item: ArchiveEntry.of(item) for place in ("ptr", "at", "ses", "tag")},
        }

    def _of_logs_and_documents(self) -> Mapping[tuple[str, str], Open]:
        """Return what opens items of item logs, and those of documents."""
        return {
            ("i1", ""): self._log_head,
            ("i2", "i"): lambda tenant, item: (Row.of(item), items_of(self._content(tenant, item))),
            **{("i2", kept): lambda tenant, item: ItemGuard.of(self._vault, tenant, item) for kept in ("g", "o")},
            ("i2", "t"): lambda _, item: (number(item, "position"), number(item, "count"), text(item, "at")),
            ("i2", "c"): lambda tenant, item: (number(item, "position"), items_of(self._content(tenant, item))),
            ("i2", "drop"): lambda _, item: text(item, "blobs"),
            ("d", "d"): self._document,
            ("d", "c"): lambda _, item: text(item, "changed"),
            ("d", "g"): lambda _, item: text(item, "blobs"),
            ("d", DOCUMENTS_USAGE): lambda _, item: DocumentsUsage.of(item),
        }

    def problem(self, item: Attributes) -> str | None:
        """Return what is wrong with an item, None where nothing is."""
        where = Key.of(item)
        tenant = tenant_of(where.pk)
        try:
            if DAMAGED in item:
                return "it cannot be read at all"
            self._opener(where)(tenant, item)
        except CorruptData as error:
            return error.what
        except MALFORMED as error:
            return f"it is malformed: {type(error).__name__}"
        except CairnError as error:
            if error.retryable:
                raise
            return error.message
        return None

    def _opener(self, where: Key) -> Open:
        kind = kind_of(where.pk)
        if kind == "s" and where.sk.startswith("e#"):
            return self._openers[kind, where.sk if where.sk in {"e#~", "e#}", "e#|"} else "e#"]
        found = self._openers.get((kind, where.sk.partition("#")[0])) or self._openers.get((kind, ""))
        return found or self._content

    def _content(self, tenant: Tenant, item: Attributes) -> Any:
        """Return what an item holds, None where it holds only what can be read."""
        if "kid" in item:
            return self._vault.unseal(tenant, item)
        blob = blob_of(item)
        if blob is None:
            return None
        return self._vault.unseal_blob(tenant, Key.of(item), self._vault.blob(tenant, blob))

    def _summary(self, tenant: Tenant, item: Attributes) -> object:
        return StoredSummary.of(item), Summary.from_record(self._vault.unseal(tenant, item))

    def _turn(self, _: Tenant, item: Attributes) -> object:
        turn = StoredTurn.of(item)
        if turn.key.sk != event_sk(turn.seq):
            raise CorruptData("a turn has another's number")
        return self._vault.unseal(tenant_of(turn.key.pk), item)[0]["turn_id"]

    def _log_head(self, tenant: Tenant, item: Attributes) -> object:
        return ItemLogHead.of(item), self._content(tenant, item)

    def _document(self, tenant: Tenant, item: Attributes) -> object:
        held = Held.of(item)
        if held.removed:
            return held
        place = place_of(Key.of(item).sk)
        return held, place, held.updated_at or text(item, "updated_at"), opened(self._vault, tenant, item)

    def _value(self, tenant: Tenant, item: Attributes) -> object:
        entry = Entry.of(item)
        return entry if entry.removed else (text(item, "updated_at"), self._content(tenant, item))
