"""Notices in the place of premium components on a site without the plan."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from builder.build import build
from builder.output import FolderOutput
from builder.plan.options import Options
from tests.themes import colours, pictures, probes, site
from tests.themes.axe import violations
from tests.themes.conftest import GALLERY
from tests.themes.test_gallery import LOOKS
from tests.themes.visits import Visitor

pytestmark = pytest.mark.browser

HIDDEN = ("Hidden twice.", "A caption with", "Big Buck Bunny", "White on white")


def test_notices_in_place_of_premium_components_are_sound(browser: Browser, tmp_path: Path) -> None:
    build(GALLERY, FolderOutput(tmp_path), Options(plan="free"))
    written = "".join(
        file.read_text("utf-8") for kind in ("html", "md") for file in tmp_path.rglob(f"*.{kind}")
    )
    assert [words for words in HIDDEN if words in written] == []
    with site.served(tmp_path) as base:
        for look in ("desktop light", "phone dark"):
            visitor = Visitor(browser, base, **LOOKS[look])
            for name, notices in (("folding", 4), ("boxes", 18)):
                page = visitor.go(f"/docs/{name}")
                expect(page.get_by_text("is shown on sites with the premium plan")).to_have_count(notices)
                assert violations(page, look.split()[1]) == []
                assert page.evaluate(colours.FAINT_TEXT) + page.evaluate(colours.FAINT_CONTROLS) == []
                assert page.evaluate(probes.SIDEWAYS) <= 0
                pictures.keep(page, f"free {look}", f"gallery-{name}")
            visitor.close()
            assert visitor.complaints == []
