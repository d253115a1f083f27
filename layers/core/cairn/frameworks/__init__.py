"""The memory interfaces of agent frameworks: a file, or a few, for each, which reach memory over `cairn.client`."""
