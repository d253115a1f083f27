"""Values of a segment are packed in blocks of about one size."""

from __future__ import annotations

from cairn.log.packed import BLOCK_CHARACTERS, packed_blocks


def test_a_block_ends_with_the_value_that_fills_it() -> None:
    sizes = [BLOCK_CHARACTERS - 1, 1, BLOCK_CHARACTERS - 2, 1, 1, 7]
    assert [count for count, _ in packed_blocks(sizes, int)] == [2, 3, 1]
