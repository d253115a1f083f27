"""Every framework's messages: read into the items that Cairn keeps, written in the format asked for."""
