"""The games that come with searchbench: one file each, found by its name."""
