"""A deterministic simulation: processes over one store take turns at every call, and a seed says what fails."""
