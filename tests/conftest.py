"""What all tests share: small runs, and profiles of hypothesis for the shared machine."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from searchbench.run import Run

settings.register_profile("searchbench", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("searchbench")


@pytest.fixture
def run() -> Run:
    """Return a run with one thread and little memory."""
    return Run(memory=64 << 20, threads=1)
