"""A deterministic simulation: processes that share a store take turns at every call, and what fails is drawn from a seed."""
