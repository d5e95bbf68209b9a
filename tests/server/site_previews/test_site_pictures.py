"""Pictures of unpublished pages of hosted sites, which the operator has switched on."""

from __future__ import annotations

import os

import pytest
from msgspec.structs import replace

from server.http.failure import Failure
from server.screenshots.browser_process import Browser, installed_browser
from server.screenshots.camera import Camera
from server.screenshots.shot import Shot
from server.site_previews.site_previews import SitePictures
from tests.chromium import chromium
from tests.server.screenshots.pictures import browser, rows, size
from tests.server.site_previews.conftest import SITE, Origin
from tests.waiting import PATIENCE

SHOT = Shot("/docs/draft", 390, "dark")


@pytest.mark.browser
def test_a_draft_of_a_hosted_site_is_pictured_in_its_theme(origin: Origin) -> None:
    origin.site("boats", SITE | {"site.yml": "title: Boats\nurl: https://boats.example/manual\n"})
    take = SitePictures(origin.previews, Camera(browser)).of("boats")
    picture = origin.do(lambda: take(replace(SHOT, path="/manual/docs/draft"))).result(PATIENCE)
    assert size(picture.png) == (390, 844)
    assert max(rows(picture.png)[700][:3]) < 60
    with pytest.raises(Failure, match="does not have it") as failed:
        origin.do(lambda: take(replace(SHOT, path="/manual/docs/none"))).result(PATIENCE)
    assert failed.value.code == "PREVIEW_FAILED"


def test_what_the_browser_loads_is_of_that_site_alone(origin: Origin) -> None:
    origin.site("boats")
    origin.site("cars", {"site.yml": "title: Cars\n", "docs/secret.md": "# Secret\n"})

    def loaded(site: str, target: str) -> tuple[int, bytes] | None:
        found = origin.do(lambda: origin.previews.load(site, target)).result(PATIENCE)
        return (found.status, found.body) if found else None

    assert loaded("boats", "/chart.txt") == (200, b"depths\n")
    assert loaded("none", "/chart.txt") is None
    for target in ("/docs/secret", "/../cars/docs/secret", "//cars/docs/secret", "/%2e%2e/cars/site.yml"):
        found = loaded("boats", target)
        assert found is None or found[0] in {301, 308, 404}


@pytest.mark.browser
@pytest.mark.skipif(os.geteuid() != 0, reason="only root has no sandbox")
def test_without_its_sandbox_the_browser_is_not_run(origin: Origin) -> None:
    origin.site("boats")
    take = SitePictures(origin.previews, Camera(lambda: Browser(chromium()))).of("boats")
    with pytest.raises(Failure, match="cannot use its own sandbox") as failed:
        origin.do(lambda: take(SHOT)).result(PATIENCE)
    assert failed.value.code == "SCREENSHOT_UNAVAILABLE"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_as_root_the_browser_is_another_user() -> None:
    chromium()
    found = installed_browser()
    assert found is not None
    assert found.user not in {0, None}
    with pytest.raises(LookupError):
        installed_browser("no-such-user")
