from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.releases.radosgw import is_installed, radosgw
from tests.server.releases.small_s3 import SmallS3, create_bucket, moto_server, small_s3


@pytest.fixture(scope="session")
def moto() -> Iterator[int]:
    """The port of moto's server."""
    with moto_server() as port:
        yield port


@pytest.fixture(scope="session")
def ceph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of Ceph's radosgw."""
    if not is_installed():
        pytest.skip("needs Debian's packages radosgw, ceph-mon and ceph-osd")
    with radosgw(tmp_path_factory.mktemp("ceph")) as port:
        create_bucket(port)
        yield port


@pytest.fixture
def s3() -> Iterator[SmallS3]:
    """A small S3 whose faults the test chooses."""
    with small_s3() as running:
        yield running
