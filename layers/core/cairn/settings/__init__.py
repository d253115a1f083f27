"""Read and check a deployment's settings."""
