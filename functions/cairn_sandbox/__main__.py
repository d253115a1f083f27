"""The sandbox as a process: one request on standard input, its answer on standard output."""

from __future__ import annotations

import json
import sys

from cairn_sandbox.door import handler

sys.stdout.write(json.dumps(handler(json.load(sys.stdin.buffer), None)))
