"""What a client sends: JSON, no larger than it has to be."""

from __future__ import annotations

import json

import pytest

from cairn.client.door import encoded
from cairn.ground.errors import InvalidArgument


@pytest.mark.parametrize("letter", ["x", "ü", "漢", "🌱"])
def test_a_letter_is_sent_as_large_as_it_is_stored(letter: str) -> None:
    sent = encoded({"value": letter * 1000})

    assert json.loads(sent) == {"value": letter * 1000}
    assert len(sent) == len('{"value":""}') + 1000 * len(letter.encode())


def test_a_lone_surrogate_is_left_to_the_other_side_to_refuse() -> None:
    assert json.loads(encoded({"value": "\ud800ü"})) == {"value": "\ud800ü"}


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        encoded({"value": {1, 2}})
