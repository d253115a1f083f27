"""The stores that a test of `tests/contract` runs on, where no port is tested by itself."""

from typing import Final

import pytest

_STORES: Final = ("embedded", "moto")
each_store: Final = pytest.mark.parametrize(
    ("make_table", "blobs", "keyring"), [(name,) * 3 for name in _STORES], ids=_STORES, indirect=True
)
"""One machine's table, blobs and keys, and AWS's: nobody has a table of one with the blobs of the other."""
