"""What several searches keep: transposition tables and open lists."""
