"""Three tenants, projects or users at once on one service, and each of them alone: what it sees must be the same."""
