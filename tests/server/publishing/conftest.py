from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.forked_worker import forking
from tests.server.releases.small_s3 import SmallS3, small_s3


@pytest.fixture
def s3() -> Iterator[SmallS3]:
    """A small S3 whose faults the test chooses."""
    with small_s3() as running:
        yield running


@pytest.fixture(scope="module")
def forked_builds() -> Iterator[None]:
    """Builds in forked processes, for tests of what comes before and after them."""
    with forking():
        yield
