"""The command line: parse, call, show. Only this package prints or exits."""

from searchbench.cli.app import main, run

__all__ = ["main", "run"]
