"""Share one SQLite file among many threads and processes."""

from __future__ import annotations

import sqlite3
import time
import weakref
from collections import deque
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock

from cairn.ground.errors import CairnError, CorruptData, InternalError, NewerStore, Unavailable
from cairn.ground.table import FORMAT

# Nothing is wrong with the data: the same call may succeed later.
_PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_NOMEM,
}
_REMEDY = "Put the directory back from a backup, or import an export into a new one"
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
# Extended result codes hold the primary one in their lowest byte (SQLite, "Result and Error Codes").
_PRIMARY_CODE = 0xFF
BRIEF_SECONDS = 0.25
"""How long a brief write waits for others, and not at all for a second after one that waited in vain."""
_IN_VAIN_SECONDS = 1.0
_OPENS_AGAIN_SECONDS = 0.005


class Database:
    """Lends a connection to each block that reads or writes, so that there are as many as are used at once.

    A commit is on disk when it returns (write-ahead log, synchronous=FULL); one writer at a time, readers never wait.
    """

    def __init__(self, path: Path, schema: str, busy_seconds: float) -> None:
        """Open the file, made if absent, and run the schema's statements, which may be repeated.

        The file names its format. NewerStore, and nothing is written, where this program does not know it.
        """
        self._path = path
        self._busy_seconds = busy_seconds
        self._idle: deque[sqlite3.Connection] = deque()
        self._turn = Lock()
        self._in_vain_until = 0.0
        # The list and not the object: what refers to the object would keep it alive.
        weakref.finalize(self, _close_all, self._idle)
        with self.writing() as connection:
            (found,) = connection.execute("PRAGMA user_version").fetchone()
            if found > FORMAT:
                raise NewerStore(found, FORMAT)
            for statement in schema.split(";"):
                connection.execute(statement)
            if found < FORMAT:
                connection.execute(f"PRAGMA user_version = {FORMAT:d}")

    @staticmethod
    def check(file: Path) -> None:
        """Look through a file that nobody writes; CorruptData where SQLite finds anything wrong in it."""
        # Immutable: nothing is made beside it, as a log of writes would be.
        with _sqlite_errors(), closing(sqlite3.connect(f"{file.absolute().as_uri()}?immutable=1", uri=True)) as opened:
            if opened.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                raise CorruptData("the database file", _REMEDY)

    def close(self) -> None:
        """Close the connections that no block is using."""
        _close_all(self._idle)

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection]:
        """Lend a connection; what one statement reads is one state of the database."""
        with _sqlite_errors():
            connection = self._borrow()
            try:
                yield connection
            finally:
                self._idle.append(connection)

    @contextmanager
    def snapshot(self) -> Generator[sqlite3.Connection]:
        """Lend a connection whose every statement reads the state that the first one finds, whatever others write.

        The log of writes grows as long as the block lasts.
        """
        with self.reading() as connection:
            connection.execute("BEGIN DEFERRED")
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, *, brief: bool = False) -> Generator[sqlite3.Connection]:
        """Lend a connection inside a transaction, committed at the end of the block, undone if it raises.

        Threads take turns before SQLite, which has a writer sleep and look again. A brief one raises Unavailable soon.
        """
        with self._in_turn(self._patience(brief=brief)), self.reading() as connection:
            # The write lock is taken at once: a transaction that read first and then wants it is refused without a wait
            # where another wrote meanwhile.
            self._begin(connection, brief=brief)
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                # COMMIT may have failed and left it open, or SQLite may have rolled back by itself.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def scrub(self) -> None:
        """Rewrite the file without what was deleted, and empty the log; Unavailable while another process uses them."""
        with self.reading() as connection:
            # Deleted rows stay in the file's free pages, and in the log, until both are rewritten.
            connection.execute("VACUUM")
            (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise Unavailable("the database's log is in use; end what uses the store and try again")

    def _begin(self, connection: sqlite3.Connection, *, brief: bool) -> None:
        if not brief:
            connection.execute("BEGIN IMMEDIATE")
            return
        connection.execute(f"PRAGMA busy_timeout = {int(1000 * self._patience(brief=True))}")
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            self._in_vain_until = time.monotonic() + _IN_VAIN_SECONDS
            raise
        finally:
            connection.execute(f"PRAGMA busy_timeout = {int(1000 * self._busy_seconds)}")

    def _patience(self, *, brief: bool) -> float:
        if not brief:
            return self._busy_seconds
        return 0.0 if time.monotonic() < self._in_vain_until else min(BRIEF_SECONDS, self._busy_seconds)

    @contextmanager
    def _in_turn(self, seconds: float) -> Generator[None]:
        if not self._turn.acquire(timeout=seconds):
            if seconds < self._busy_seconds:
                self._in_vain_until = time.monotonic() + _IN_VAIN_SECONDS
            raise Unavailable("the database is busy: other writers take too long")
        try:
            yield
        finally:
            self._turn.release()

    def _borrow(self) -> sqlite3.Connection:
        try:
            # The one that was used last, whose cache is warm; without a lock, since a deque's pop is atomic.
            return self._idle.pop()
        except IndexError:
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        # No implicit transactions (isolation_level), and any thread may borrow it, one at a time.
        connection = sqlite3.connect(
            self._path, timeout=self._busy_seconds, isolation_level=None, check_same_thread=False
        )
        try:
            self._write_ahead(connection)
            # In WAL mode NORMAL loses the last commits when power fails; what was acknowledged has to stay.
            connection.execute("PRAGMA synchronous = FULL")
            # On macOS that is fsync, which leaves a commit in the disk's cache; elsewhere this changes nothing.
            connection.execute("PRAGMA fullfsync = ON")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _write_ahead(self, connection: sqlite3.Connection) -> None:
        """Have readers go on beside the writer; with the journal of old a write locks them out.

        Of several that open a new file at once, all but one may be told that it is busy without having waited.
        """
        until = time.monotonic() + self._busy_seconds
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & _PRIMARY_CODE != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                    raise
                time.sleep(_OPENS_AGAIN_SECONDS)
            else:
                return


def _close_all(connections: deque[sqlite3.Connection]) -> None:
    while connections:
        connections.pop().close()


@contextmanager
def _sqlite_errors() -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise _translated(error) from error


def _translated(error: sqlite3.Error) -> CairnError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISUSE) & _PRIMARY_CODE
    if code in _PASSING:
        return Unavailable(f"the database is busy, full or unreachable: SQLite code {code}")
    if code in _CORRUPT:
        return CorruptData(f"the database file, SQLite code {code}", _REMEDY)
    return InternalError(f"the database refused a statement: SQLite code {code}")
