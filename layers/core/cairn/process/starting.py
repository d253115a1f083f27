"""How a Lambda starts: a process of one machine lives for long, or belongs to a program, and is left alone."""

from __future__ import annotations

import gc
import os


def in_lambda() -> bool:
    """Tell whether this process is a Lambda's."""
    return "AWS_LAMBDA_FUNCTION_NAME" in os.environ


def begin() -> None:
    """Collect no garbage until the first call is over: what is loaded stays, and looking it through takes a tenth."""
    if in_lambda():
        gc.disable()


def over() -> None:
    """Collect from now on, and pass over what is there by now."""
    if not gc.isenabled() and in_lambda():
        gc.freeze()
        gc.enable()
