"""The API Gateway authorizer: the one place that reads a credential."""

from cairn.edge.guard import starting

starting()
