"""The clock, the threads and the HTTP client of a process."""
