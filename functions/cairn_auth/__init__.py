"""The API Gateway authorizer: the one place that reads a credential."""

from cairn.process import starting

starting.begin()
