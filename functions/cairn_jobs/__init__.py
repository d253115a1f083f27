"""Run work that no caller waits for: the schedule's and the queue's."""

from cairn.edge.guard import starting

starting()
