"""The guard around a call: one log line, and nothing but a CairnError gets out."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from cairn.ground.errors import CairnError, InternalError
from cairn.telemetry.record import CallRecord, recorded


@contextmanager
def guarded(request_id: str) -> Generator[CallRecord]:
    """Record the call; an error that is no CairnError leaves as InternalError, its class and place in the log only."""
    with recorded(request_id) as record:
        try:
            yield record
        except CairnError as error:
            record.refuse(error)
            raise
        except Exception as error:  # noqa: BLE001 - the door: whatever failed, the caller gets an envelope
            record.status = InternalError.code
            record.fail(error)
            seen = {"request_id": record.request_id}
            raise InternalError("Something failed inside; the log has it under the request id", seen) from None
