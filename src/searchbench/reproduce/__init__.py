"""What the papers report, measured again: one function per row."""
