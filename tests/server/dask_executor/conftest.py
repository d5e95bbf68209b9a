"""The site of these tests, and its build by one process, which all compare theirs with."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.build import Result
from tests.server.dask_executor.clusters import built, write


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site; nothing is written into its folder."""
    return write(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="package")
def alone(site: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], Result]:
    """The site as one process builds it: its files, and the result."""
    return built(site, tmp_path_factory.mktemp("alone"))
