"""The abstractions and subgoals that come with searchbench: their values bound those of a game; one file each, found by name."""
