"""The service with releases in a bucket: what it refuses at its start, and sites that are gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.releases.site_stores import service_stores
from tests.server.commands import twinpress
from tests.server.releases.small_s3 import ADDRESS, SmallS3, small_s3
from tests.server.service.process import Host
from tests.waiting import until


@pytest.mark.parametrize(
    ("s3", "said"),
    [
        (SmallS3(ignores=True), "does not keep to the conditions of a request"),
        (SmallS3(status=403), "refuses"),
        (SmallS3(objects={"twinpress/service": (b"other", 0.0)}), "holds the releases of another service"),
    ],
    ids=["no conditions", "no rights", "another's"],
)
def test_a_bucket_that_cannot_hold_releases_is_refused(tmp_path: Path, s3: SmallS3, said: str) -> None:
    command = ("host", "--data", tmp_path / "data", "--port", "0", "--no-databases", "--releases", ADDRESS)
    with small_s3(s3):
        result = twinpress(*command, cwd=tmp_path)
    assert result.returncode == 2
    assert said in result.stderr


def test_what_sites_that_are_gone_have_in_a_bucket_is_deleted(tmp_path: Path) -> None:
    with small_s3() as s3:
        host = Host(tmp_path / "data", arguments=("--no-databases", "--releases", ADDRESS))
        host.start()
        assert host.stop() == 0
        assert s3.keys("hosts.json")
        owner = s3.objects["twinpress/service"][0].decode()
        store = service_stores(ADDRESS, tmp_path, owner).site("site_gone")
        for key in ("pointer", "objects/ab/abc"):
            store.put(key, b"x")
        store.sync()
        host.start()
        until(lambda: not s3.keys("sites/site_gone/"))
        assert host.stop() == 0
        host.runs.close()
