"""What a deployment may be told."""
