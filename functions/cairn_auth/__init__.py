"""The API Gateway authorizer: the one place that reads a credential."""
