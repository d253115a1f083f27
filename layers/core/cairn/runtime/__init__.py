"""Settings, wiring and telemetry of one process."""
