"""AgentCore's data plane: what AWS's own clients of Amazon Bedrock AgentCore Memory ask, answered from memory."""

from cairn.edge.guard import starting

starting()
