"""A stack that is stopped and started again goes on where it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from support.stack import Stack

pytestmark = pytest.mark.enable_socket


@pytest.mark.req("R248")
def test_after_a_stop_and_a_start_the_same_address_and_key_find_all_that_was_stored(
    stack: Stack, call: Callable[..., httpx2.Response]
) -> None:
    session = {"project": "garden", "session_id": "before-the-stop", "user_id": "ada"}
    said = [{"role": "user", "content": "My name is Ada Lovelace."}]
    answered = [{"role": "assistant", "content": "Welcome, Ada."}]
    turn: dict[str, Any] = {**session, "turn_id": "turn-1", "input_items": said, "output_items": answered}
    assert call("memory_after_turn", turn).json()["replayed"] is False

    stack.stop()
    with pytest.raises(httpx2.ConnectError):
        call("memory_after_turn", turn)
    stack.start()

    recalled = call("memory_before_turn", {**session, "current_input": "What is my name?"})
    assert recalled.status_code == 200, recalled.text
    assert "Ada Lovelace" in recalled.text
    assert call("memory_after_turn", turn).json()["replayed"] is True
