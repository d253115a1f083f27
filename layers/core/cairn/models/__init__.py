"""The models that a process runs or asks."""
