"""The built functions that `make runtime` names; without them this folder has no tests."""

from __future__ import annotations

import os

collect_ignore_glob = [] if "RUNTIME_FUNCTIONS" in os.environ else ["test_*.py"]
