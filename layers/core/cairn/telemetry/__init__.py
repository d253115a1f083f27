"""What is told of calls: lines, metrics, spans."""
