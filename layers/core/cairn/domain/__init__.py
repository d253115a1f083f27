"""What is true without AWS: turns, facts, tiers, ranking, errors, ids."""
