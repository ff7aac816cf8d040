"""Serve the explorer: databases and searches in the browser, and the JSON API under it (extra ``searchbench[web]``).

The process of a job imports from here, too, and needs nothing of the server: so the package itself imports nothing.
"""
