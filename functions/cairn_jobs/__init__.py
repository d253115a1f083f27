"""The doors of what no caller waits for: the schedule's and the queue's."""
