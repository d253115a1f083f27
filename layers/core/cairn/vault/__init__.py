"""Contents become ciphertext here, before they reach any store."""
