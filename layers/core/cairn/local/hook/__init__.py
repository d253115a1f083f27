"""What an agent runs at each of its events: `cairn hook` takes it to the server, and brings back what memory adds."""
