"""What has expired counts no more from that moment, and DynamoDB removes it by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from cairn.sessions.layout import guard_sk
from support.stack import Items, eventually

pytestmark = pytest.mark.enable_socket

Call = Callable[..., httpx2.Response]
Turn = Callable[[str], dict[str, Any]]
REMOVED_WITHIN_SECONDS = 90
"""The emulator looks once a minute; AWS takes days at most, which is why no reader relies on it."""


def test_a_guard_that_has_expired_refuses_nothing_before_it_is_removed(
    call: Call, expire: Callable[[dict[str, Any]], None], turn_of: Turn
) -> None:
    turn = turn_of("expires-before-removal")
    other = {**turn, "output_items": [{"role": "assistant", "content": "Other."}]}
    assert call("memory_after_turn", turn).status_code == 200
    assert call("memory_after_turn", other).status_code == 409

    expire(turn)

    assert call("memory_after_turn", other).status_code == 200


@pytest.mark.req("R250")
def test_an_expired_guard_is_removed_and_one_that_is_not_stays(
    call: Call, items: Items, turn_of: Turn, expired: dict[str, Any]
) -> None:
    fresh = turn_of("does-not-expire")
    assert call("memory_after_turn", fresh).status_code == 200

    eventually(lambda: not items.has(expired, guard_sk(expired["turn_id"])), REMOVED_WITHIN_SECONDS)

    assert items.has(fresh, guard_sk(fresh["turn_id"]))
