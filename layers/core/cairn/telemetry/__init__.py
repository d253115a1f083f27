"""Report calls as log lines, metrics and spans."""
