"""A stand-in for functions/cairn_auth."""
