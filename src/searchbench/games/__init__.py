"""The games that come with searchbench: one module each, found by its name."""
