"""Use cases over ports: turns, maintenance, directories. No AWS, environment, clock or logging."""
