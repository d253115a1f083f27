"""`cairn shadow`: what Cairn answers for turns that a direct memory path has answered."""
