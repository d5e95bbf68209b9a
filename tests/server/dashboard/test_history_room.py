"""A history that is full: its owner is told, writes on for a while, and can always make room."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import structs

from server.control.plans import MIB, PLANS
from tests.server.dashboard.browser import Browser, Page
from tests.server.dashboard.conftest import Dashboard, running
from tests.server.dashboard.publishing import site_of

SITE, MOST = "/sites/quay-docs", 2 * MIB
EDIT, SETTINGS = f"{SITE}/pages/edit", f"{SITE}/settings"


@contextmanager
def hosting(data: Path, most: int) -> Iterator[tuple[Dashboard, Browser]]:
    """The dashboard, and the browser of Ann, whose site may have a history of so many bytes."""
    plans = {**PLANS, "free": structs.replace(PLANS["free"], history_bytes=most)}
    with running(data, plans=plans) as found:
        found.account("ann@example.com")
        browser = found.signed_in("ann@example.com")
        browser.post("/sites", {"name": "quay-docs"})
        yield found, browser


def saved(browser: Browser, number: int) -> Page:
    """The answer to who saves a new page of 600 KB, which do not compress."""
    text = base64.b64encode(os.urandom(450_000)).decode()
    form = {"path": f"docs/p{number}", "format": "md", "text": text, "original": "", "revision": ""}
    return browser.post(EDIT, form)


def test_an_owner_is_told_that_the_history_is_full_and_stopped_at_twice_as_much(tmp_path: Path) -> None:
    with (
        hosting(tmp_path / "data", MOST) as (dashboard, ann),
        dashboard.desk.sites.opened.using(site_of(dashboard)) as opened,
    ):
        assert "history" not in ann.get(SITE).words
        for number in range(16):
            if (refused := saved(ann, number)).status == 507:
                break
            opened.history.catch_up()
        assert MOST < opened.history.size() <= 2 * MOST
        assert "The history of this site has 4 MB, twice what it may have" in refused.words
        assert len(refused.text) > 600_000  # what was typed is still there
        overview = ann.get(SITE)
        assert "keys write no more" in overview.words
        assert f'href="{SITE}/settings/history/delete"' in overview.text


def test_what_an_owner_changes_in_another_way_is_stopped_too(tmp_path: Path) -> None:
    with hosting(tmp_path / "data", 0) as (dashboard, ann):
        with dashboard.desk.sites.opened.using(site_of(dashboard)) as opened:
            settings = opened.root / "site.yml"
            settings.write_text(settings.read_text() + "sidebar: sidebar.yml\n")
        revision = re.findall(r'name="revision" value="(\w+)"', ann.get(SETTINGS).text)[0]
        for path, form in (
            (f"{SETTINGS}/file", {"revision": revision, "text": "title: Typed\n"}),
            (f"{SETTINGS}/common", {"revision": revision, "title": "Typed"}),
            (f"{SETTINGS}/sidebar", {"revision": "", "text": "- docs/typed\n"}),
            (f"{SITE}/pages", {"path": "docs/typed", "format": "md"}),
            (f"{SITE}/pages/category", {"path": "docs", "label": "Typed"}),
            (f"{SITE}/pages/move", {"path": "docs/index", "to": "docs/typed"}),
        ):
            page = ann.post(path, form)
            assert page.status in {422, 507}, path
            assert "twice what it may have" in page.words, path
            assert "yped" in page.text, path
        assert ann.post(f"{SITE}/pages/delete", {"path": "docs/index"}).status == 200
        assert ann.get(f"{SITE}/pages/edit?path=docs/index").status == 404
