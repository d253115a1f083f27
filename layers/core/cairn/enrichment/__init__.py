"""Tell tools what earlier calls found."""
