"""Serve the explorer: databases and searches in the browser, and the JSON API under it (extra ``searchbench[web]``)."""

from searchbench.web.app import create_app
from searchbench.web.library import Library
from searchbench.web.serve import serve

__all__ = ["Library", "create_app", "serve"]
