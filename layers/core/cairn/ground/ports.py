"""The ports: what a service may ask of what is outside it. Adapters live in cairn.embedded and cairn.aws.

Reads of the table are strongly consistent, reads of its index eventually. A store that throttles or fails after
its retries raises Unavailable. Items whose `expires_at` (epoch seconds) has passed may still be returned: the
caller filters, the store removes them when it likes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from cairn.facts.proposals import FactQuestion, Proposals
    from cairn.ground.calibration import Calibration
    from cairn.ground.ids import Digest, Tenant
    from cairn.ground.jobs import Job
    from cairn.ground.settings import HeuristicSettings
    from cairn.ground.table import Attributes, Delete, Key, Page, Put, Query, Update, Write
    from cairn.ground.tiers import Tier
    from cairn.ground.units import Units
    from cairn.recall.corpus import Vector
    from cairn.recall.token_vectors import Tokens
    from cairn.vault.data_key import DataKey

SANDBOX_SECONDS = 22
"""How long a caller waits for the sandbox: longer than the sandbox may run, shorter than the caller may."""


class Reads(Protocol):
    """Reads of a table."""

    def get(self, key: Key) -> Attributes | None:
        """Return the item, None if there is none."""
        ...

    def query(self, query: Query) -> Page:
        """Return one page of a key range, in UTF-8 byte order of the sort key."""
        ...


class Table(Reads, Protocol):
    """One table of items under (pk, sk) with one sparse index under (ipk, isk)."""

    def put(self, write: Put) -> None:
        """Write the item; ConditionFailed if its condition does not hold, ValueError over 400 KB."""
        ...

    def update(self, write: Update) -> Attributes:
        """Change the item and return it whole as it is afterwards; ConditionFailed as for put."""
        ...

    def delete(self, write: Delete) -> None:
        """Remove the item; ConditionFailed if one is there and its condition does not hold."""
        ...

    def transact(self, writes: Sequence[Write]) -> None:
        """Apply 1 to 100 writes to distinct items, all or none; TransactionRefused with a reason each."""
        ...


class Blobs(Protocol):
    """Immutable bytes under the SHA-256 of what is stored, per tenant."""

    def put(self, tenant: Tenant, data: bytes) -> Digest:
        """Store the bytes if they are not there and return their digest."""
        ...

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        """Return the bytes; NotFound if absent, CorruptData if they no longer match the digest."""
        ...

    def get_part(self, tenant: Tenant, digest: Digest, start: int, length: int) -> bytes:
        """Return up to `length` of the bytes from `start` on; NotFound if the blob is absent.

        They are not compared with the digest: the caller has a check of its own.
        """
        ...

    def delete(self, tenant: Tenant, digest: Digest) -> None:
        """Remove the bytes; absent ones count as removed."""
        ...


class Snapshot(Reads, Protocol):
    """Reads of all that a tenant has, of one moment where the store can hold one, and else of the moment of each read.

    In the first case blobs stay too that are deleted meanwhile.
    """

    def items(self, tenant: Tenant) -> Iterator[Attributes]:
        """Yield every item as Inventory.items() does."""
        ...


class Inventory(Protocol):
    """Lists all that a tenant has, for operators. It may walk the whole store, so that no function's role allows it.

    What is written or removed meanwhile may be met or not.
    """

    def items(self, tenant: Tenant) -> Iterator[Attributes]:
        """Yield every item whose partition begins with the tenant and `#`, sorted within a partition."""
        ...

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Lend reads of the store as it is now."""
        ...

    def blobs(self, tenant: Tenant) -> Iterator[Digest]:
        """Yield the digest of every blob."""
        ...

    def dated_blobs(self, tenant: Tenant) -> Iterator[tuple[Digest, datetime]]:
        """Yield the digest of every blob, and when it was stored."""
        ...

    def scrub(self) -> None:
        """Overwrite what deleted items leave in files that are this store's own; Unavailable while others use them."""
        ...


class Storage(Protocol):
    """Keeps the files of backups, each under a name with `/` between its parts; `str` says for people where that is."""

    def names(self, prefix: str = "") -> Iterator[str]:
        """Yield the name of each file that begins so, in order."""
        ...

    def fetch(self, name: str, into: BinaryIO) -> None:
        """Copy what is in a file; NotFound where it is not there."""
        ...

    def put(self, name: str, file: BinaryIO) -> None:
        """Keep a file under a name that nothing has; it is there whole or not at all."""
        ...

    def delete(self, name: str) -> None:
        """Remove a file, if it is there."""
        ...


class Anchors(Protocol):
    """Keeps heads of audit chains outside of the store, where whoever can change the store cannot change them."""

    def put(self, tenant: Tenant, number: int, head: str) -> None:
        """Keep the head of the chain at this place, unless one is kept."""
        ...

    def heads(self, tenant: Tenant) -> Mapping[int, str]:
        """Return every head that is kept, by its place."""
        ...


class KeyRing(Protocol):
    """Makes and unwraps data keys; the tenant is bound to each as its encryption context."""

    def generate(self, tenant: Tenant) -> DataKey:
        """Return a fresh data key."""
        ...

    def unwrap(self, tenant: Tenant, wrapped: bytes) -> bytes:
        """Return the 32 secret bytes; CorruptData if they are not this tenant's or were changed."""
        ...


class Clock(Protocol):
    """Tells the time, and waits."""

    def now(self) -> datetime:
        """Return the time in UTC, aware."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class Entropy(Protocol):
    """Unpredictable bytes for ids, owners and nonces."""

    def token(self, size: int) -> bytes:
        """Return `size` random bytes."""
        ...


class FactModel(Protocol):
    """Asks a language model for facts."""

    def propose(self, question: FactQuestion, settings: HeuristicSettings) -> Proposals:
        """Return what the model would change, within settings.timeout_ms; ModelFailed if it gave no usable answer."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors. Vectors of embedders with different names are never compared."""

    @property
    def name(self) -> str:
        """Return the name of the model and its version, which is stored beside its vectors."""
        ...

    @property
    def calibration(self) -> Calibration:
        """Return what maps its cosines to those that the ranker was fitted on."""
        ...

    def embed(self, text: str) -> Vector:
        """Return the text's vector, 32-bit floats of length 1; EmbeddingFailed where there is none."""
        ...


class Reader(Protocol):
    """Tells what sentences say."""

    def read(self, text: str) -> Sequence[float]:
        """Return log-odds: that it lasts, changes what was said before, is of a project; EmbeddingFailed without."""
        ...

    def judge(self, newer: str, older: str) -> float:
        """Return the log-odds that what the newer text says changes what the older does; EmbeddingFailed without."""
        ...


class Embedded(NamedTuple):
    """A text's vector, and a vector of 384 numbers for each of its word pieces."""

    vector: Vector
    tokens: Tokens


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """Embeds a text as a whole and token by token."""

    def embed_with_tokens(self, text: str) -> Embedded:
        """Return the text's vector, and one of each word piece in it; EmbeddingFailed where there are none."""
        ...


@runtime_checkable
class LoadedEmbedder(Embedder, Protocol):
    """Embeds texts by a model that it loads into this process with the first of them."""

    @property
    def is_loaded(self) -> bool:
        """Return whether the model is loaded."""
        ...


class HttpGet(Protocol):
    """Fetches small public documents from other servers."""

    def __call__(self, url: str, /) -> bytes:
        """Return the document at a valid URL; NoAnswer where it does not come soon, is too large or moved."""
        ...


class HttpPost(Protocol):
    """Sends small forms to other servers."""

    def __call__(self, url: str, form: Mapping[str, str], /) -> bytes:
        """Return the answer to a form at a valid URL; NoAnswer where none comes soon, it is too large or a refusal."""
        ...


class Jobs(Protocol):
    """A queue of work for later; a job is done at least once, in no order, or can be found again in the store."""

    def send(self, jobs: Sequence[Job]) -> None:
        """Queue the jobs; Unavailable if it is not sure that all of them were taken."""
        ...


@runtime_checkable
class CountedJobs(Jobs, Protocol):
    """A queue of this process, which knows how many jobs wait in it."""

    def waiting(self, tenant: Tenant) -> int:
        """Return how many jobs of a tenant were sent and have not begun."""
        ...


class Sandbox(Protocol):
    """Runs standard tools apart from this process, without access to any store."""

    def invoke(self, tool: str, arguments: Mapping[str, object], request_id: str) -> Mapping[str, object]:
        """Return the tool's result, or raise the CairnError it ended with; it ends within SANDBOX_SECONDS.

        Unavailable where the sandbox gave no answer in time, InternalError where its answer makes no sense.
        """
        ...


class Tally(Protocol):
    """Counts what was done the moment it is done, so that a later failure in the call does not hide it."""

    def compaction(self) -> None:
        """Count a compact summary that was stored."""
        ...

    def facts_written(self, tiers: Mapping[Tier, int]) -> None:
        """Count the facts that a commit wrote, by tier."""
        ...

    def turn_conflict(self) -> None:
        """Count a turn_id that came again: committed, being committed, or with another payload."""
        ...

    def unrecorded(self) -> None:
        """Count a call whose record could not be written when it was made."""
        ...

    def unembedded(self) -> None:
        """Count a recall that went by words alone because the embedder failed."""
        ...

    def recalled(self, by: str, without_vector: int) -> None:
        """Count an answer of recall, by what it went by, and the documents that had no vector yet."""
        ...

    def access_anomaly(self) -> None:
        """Count an access of someone who reaches for much in many places, or under a policy that was rolled back."""
        ...

    def seen(self, name: str, position: str) -> None:
        """Note how far the call has read what it goes by: a log, a session; the last position counts."""
        ...

    def damaged(self, where: Key | None = None) -> None:
        """Count a stored record that is damaged, and gone round where it can be; note what kind of record it is."""
        ...

    @property
    def damage_met(self) -> int:
        """Return how often this process has met a damaged record."""
        ...


class Meter(Protocol):
    """Counts what calls use of table and blobs, and keeps it by tenant and tool until an audit record tells it."""

    def used(  # noqa: PLR0913 - what calls use, each by its name
        self,
        owner: Tenant,
        *,
        read_units: float = 0,
        write_units: float = 0,
        blob_reads: int = 0,
        blob_writes: int = 0,
        blob_deletes: int = 0,
    ) -> None:
        """Count what the running call has just used of what its owner stores; what all share is counted for nobody."""
        ...

    def take(self, tenant: Tenant, room: int | None = None) -> Mapping[str, Units]:
        """Return what the tenant's calls used, by tool, and forget it; only what is written down in `room` bytes."""
        ...

    def give_back(self, tenant: Tenant, taken: Mapping[str, Units]) -> None:
        """Keep again what was taken and could not be told."""
        ...


class Parallel(Protocol):
    """Runs independent calls at once and raises the first error after all have ended."""

    def __call__(self, calls: Sequence[Callable[[], object]]) -> list[object]:
        """Return the results in the order of the calls."""
        ...
