"""Three tenants at once on one service, and each of them alone: what a tenant sees must be the same."""
