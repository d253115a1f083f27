"""The session archive: scan, redact, encrypt and store a session, index it, find it, open it by pointer, delete it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from cairn.archive import card as memory_card
from cairn.archive import model as archive
from cairn.archive.card import MemoryCard
from cairn.archive.index import ATTEMPTS, ArchiveIndex
from cairn.archive.model import Deposit, Entry, Receipt
from cairn.ground.adapters import Pending
from cairn.ground.errors import MissingBlob, NotFound, ResourceBusy, SecretDetected, Unavailable
from cairn.ground.ids import Digest, Project, SessionId, Tenant, UserId, time_ordered_id
from cairn.sessions.services import SessionServices

T = TypeVar("T")

RETRY_SECONDS = 0.05
PURPOSE = "archive"
_ID_PATHS = (("session_id",), ("session", "session_id"))


class Archive:
    """Stores sessions, each under a pointer to its ciphertext."""

    def __init__(self, services: SessionServices) -> None:
        """Work with these parts."""
        self._services = services
        self._adapters = services.adapters
        self._index = ArchiveIndex(services.adapters)

    def preview(self, tenant: Tenant, deposit: Deposit) -> MemoryCard:
        """Return the card of what store() would archive, and write nothing; the errors are its own."""
        return memory_card.card(self._redacted(tenant, deposit), deposit.tags)

    def store(self, tenant: Tenant, deposit: Deposit) -> Receipt:
        """Archive the session once, however often it is sent; another time adds its tags to those it has.

        SecretDetected where anything handed in holds secrets or personal data, also what would be dropped; nothing is
        written then, nor where the detector fails. Unavailable where a store fails twice: call again.
        """
        kept = self._redacted(tenant, deposit)
        number, sealed = self._services.vault.seal_alike(tenant, PURPOSE, archive.pack(kept, deposit.user))
        put = partial(self._adapters.blobs.put, tenant, sealed)
        digest = self._twice(put, "The session could not be stored; nothing was indexed", {"stage": "store"})
        entry = self._entry(deposit, kept, digest, number)
        context = {"stage": "index", "pointer": archive.pointer(digest), "indexed": False}
        add = partial(self._index.add, tenant, entry)
        self._twice(add, "The session is stored but not indexed; call again", context)
        return Receipt(digest, memory_card.card(kept, deposit.tags))

    def query(
        self, tenant: Tenant, text: str, tags: Sequence[str], limit: int, users: Collection[UserId] = ()
    ) -> tuple[Entry, ...]:
        """Return the newest sessions that match, newest first, from the index alone; see ArchiveIndex.search."""
        return self._index.search(tenant, text, tags, limit, users)

    def retrieve(self, tenant: Tenant, digest: Digest, users: Collection[UserId] = ()) -> dict[str, Any]:
        """Return the session that was archived; NotFound for a pointer that is not this tenant's or these users'.

        CorruptData where the bytes match neither their digest nor their authentication tag.
        """
        entry = Pending(partial(self._index.get, tenant, digest))
        blob = Pending(partial(self._blob, tenant, digest))
        self._adapters.parallel([entry, blob, partial(self._services.vault.prepare, tenant)])
        if entry.result is None or not entry.result.is_of(users):
            raise _not_found()
        if blob.result is None:
            raise MissingBlob("an archived session is gone")
        plain = self._services.vault.unseal_alike(tenant, PURPOSE, entry.result.key_number, blob.result)
        return archive.unpack(plain)

    def export(
        self, tenant: Tenant, project: Project, session_id: SessionId, *, raw: bool, acknowledgement: str | None
    ) -> dict[str, Any]:
        """Return what the turn tools recorded of a session; see session_export.exported."""
        from cairn.archive.session_record import exported  # noqa: PLC0415

        return exported(self._services, tenant, project, session_id, raw=raw, acknowledgement=acknowledgement)

    def delete(self, tenant: Tenant, digest: Digest) -> None:
        """Remove a session's blob, then its entry: what stops in between is found again and can be deleted again.

        NotFound as for retrieve().
        """
        for _ in range(ATTEMPTS):
            entry = self._index.get(tenant, digest)
            if entry is None:
                raise _not_found()
            self._adapters.blobs.delete(tenant, digest)
            if self._index.remove(tenant, entry):
                return
        raise ResourceBusy("The session is being archived by other calls", {"resource": "pointer"})

    def delete_session(self, tenant: Tenant, session_id: SessionId) -> int:
        """Remove all that is archived of sessions of this name, and return how many that were."""
        return self._delete_all(tenant, self._index.of_session(tenant, session_id))

    def delete_user(self, tenant: Tenant, user: UserId) -> int:
        """Remove all that callers bound to the user archived, and return how many sessions that were."""
        return self._delete_all(tenant, self._index.of_user(tenant, user))

    def _delete_all(self, tenant: Tenant, entries: Collection[Entry]) -> int:
        for entry in entries:
            with suppress(NotFound):
                self.delete(tenant, entry.digest)
        return len(entries)

    def _redacted(self, tenant: Tenant, deposit: Deposit) -> dict[str, Any]:
        """Return what is kept of the session, once nothing that was handed in holds a secret."""
        from cairn.archive.session_record import recorded  # noqa: PLC0415
        from cairn.detection import vendor_tokens  # noqa: PLC0415 - a Lambda loads the use case it serves
        from cairn.detection.detector import scan  # noqa: PLC0415

        session = deposit.session
        if session is None:
            session = recorded(self._services, tenant, deposit.project, deposit.session_id)
        kept = archive.kept_fields(session, deposit.session_id)
        handed_in = {"session_id": deposit.session_id, "tags": list(deposit.tags), "session": session}
        hashes = self._services.settings.archive.allow_hashes
        run = vendor_tokens.UNLABELLED_RUN_BUT_HASHES if hashes else vendor_tokens.UNLABELLED_RUN
        rules = sorted({finding.rule for finding in scan(handed_in, exempt=_ID_PATHS, also=(run,))})
        if rules:
            raise SecretDetected("The session holds secrets or personal data and is not archived", {"rules": rules})
        return kept

    def _entry(self, deposit: Deposit, kept: Mapping[str, Any], digest: Digest, number: int) -> Entry:
        now = self._adapters.clock.now()
        return Entry(
            id=time_ordered_id(now, self._adapters.entropy.token(10)),
            digest=digest,
            key_number=number,
            session_id=deposit.session_id,
            tags=deposit.tags,
            created_at=now,
            tool_name=archive.tool_name(kept),
            user=deposit.user,
        )

    def _blob(self, tenant: Tenant, digest: Digest) -> bytes | None:
        try:
            return self._adapters.blobs.get(tenant, digest)
        except NotFound:
            return None

    def _twice(self, call: Callable[[], T], problem: str, context: Mapping[str, object]) -> T:
        """Return what the call returns, at a second try where the first fails; Unavailable with the context then."""
        try:
            return call()
        except Unavailable:
            self._adapters.clock.sleep(RETRY_SECONDS)
        try:
            return call()
        except Unavailable as error:
            raise Unavailable(problem, context) from error


def _not_found() -> NotFound:
    return NotFound("No such session in the archive")
