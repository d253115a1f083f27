"""Data taken out, brought in, erased and sealed anew."""
