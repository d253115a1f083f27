"""Send what waits in the spool, now that a server may be there."""

from __future__ import annotations

from cairn.local.hook.client_file import Client
from cairn.local.hook.delivery import Undelivered, post
from cairn.local.hook.event import Event
from cairn.local.hook.journal import Journal
from cairn.local.hook.spool import Spool


def send_waiting(spool: Spool, journal: Journal, client: Client, until: float) -> None:
    """Send the events that wait for this server, oldest first, until a moment on the monotonic clock.

    What arrived, or never will, is taken out, at the end. An event that the server cannot take now stays, and so do the
    later ones of its session; where no server answers, all that is left stays.
    """
    with spool.sender() as is_sender:
        if not is_sender:
            return
        done, arrived, postponed = set[bytes](), list[Event](), set[str]()
        try:
            for line, url, event in spool.waiting():
                if url != client.url or event.session in postponed:
                    continue
                try:
                    post(client, event, until)
                    arrived.append(event)
                except Undelivered as error:
                    if error.is_of_all:
                        break
                    if error.is_for_later or error.is_of_client:
                        postponed.add(event.session)
                        continue
                    journal.failed(event, str(error))
                done.add(line)
        finally:
            if done:
                spool.take_out(done)
                journal.happened("delivered", arrived)
