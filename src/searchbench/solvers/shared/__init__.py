"""Provide transposition tables and open lists to several searches."""
