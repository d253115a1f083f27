"""`cairn hook`: take an agent's event to the server, and print what memory adds in that agent's form."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from types import FrameType
from typing import Any, Final, NoReturn

from cairn.local.hook.exchange import Exchange, Outcome, now
from cairn.local.hook.journal import Journal
from cairn.local.hook.private_files import state_directory
from cairn.local.hook.request import SECONDS, arguments_of

_SHARE: Final = 0.9
"""How much of its time a hook waits; the rest is for its start, and for keeping what it could not deliver."""


class _Ended(Exception):
    """The agent ends its hook before its time is over."""


def main(given: Sequence[str]) -> NoReturn:
    """Run `cairn hook` with these arguments, and end the process with exit status 0 whatever happens.

    Another status could keep an agent from going on.
    """
    try:
        hook(*arguments_of(given))
    except ValueError as error:
        _print({})
        _complain(str(error))
        with suppress(OSError):
            Journal(state_directory(os.environ), now).note("", str(error))
    except Exception as error:  # noqa: BLE001 - a door: an agent goes on whatever is wrong here
        _print({})
        _complain(f"cairn hook failed: {type(error).__name__}")
    os._exit(0)  # without waiting for an exchange that may not end


def hook(agent: str, seconds: float = SECONDS) -> None:
    """Read an event from standard input and print the answer to it, `{}` where there is none within the time.

    What became of it is kept then.
    """
    exchange = Exchange(agent, seconds * _SHARE)
    outcome = _outcome(exchange, seconds)
    _print(outcome.answer)
    try:
        exchange.keep(outcome)
    except Exception as error:  # noqa: BLE001 - a door: the agent has its answer, and goes on
        _complain(f"cairn hook could not keep what became of an event: {type(error).__name__}")


def _outcome(exchange: Exchange, seconds: float) -> Outcome:
    """Return what came of an exchange in its time. It has a thread: what looks up names cannot be interrupted."""
    late = f"there was no answer within {seconds:g} seconds"
    try:
        _on_signals(_end)
        thread = Thread(target=exchange.run, daemon=True)
        thread.start()
        thread.join(exchange.seconds_left())
    except _Ended:
        late = "the agent ended the hook before there was an answer"
    _on_signals(signal.SIG_IGN)
    return exchange.outcome or Outcome({}, late, is_for_later=True, is_late=True)


def _on_signals(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, handler)


def _end(_signal: int, _frame: FrameType | None) -> None:
    raise _Ended


def _print(answer: dict[str, Any]) -> None:
    with suppress(OSError):
        os.write(1, f"{json.dumps(answer)}\n".encode())


def _complain(problem: str) -> None:
    with suppress(OSError):
        os.write(2, f"{problem}\n".encode())
