"""Rules made from tables, shared by games of one kind."""
