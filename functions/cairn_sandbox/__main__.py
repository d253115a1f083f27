"""The sandbox as a process: read one request from standard input and write the answer to standard output."""

from __future__ import annotations

import json
import sys

from cairn_sandbox.door import handler

sys.stdout.write(json.dumps(handler(json.load(sys.stdin.buffer), None)))
