"""What is wrong with pods: their status and the warnings about them in, findings out."""
