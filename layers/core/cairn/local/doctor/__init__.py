"""Tell whether what agents are told arrives in memory."""
