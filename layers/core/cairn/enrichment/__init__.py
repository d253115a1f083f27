"""What tools are told of earlier calls."""
