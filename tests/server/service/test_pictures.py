"""The pictures of the guide: each is made by the command, shown once, described, and still true."""

from __future__ import annotations

import re

import msgspec
import pytest

from tests.server.service.pictures import GUIDE, WORDS, opened
from tests.server.service.screens import SCREENS, shown, words

MOST_BYTES = 750_000
SHOWN = re.compile(r"!\[([^\]]*)\]\(\./(\S+?)\.(webp|png|jpe?g|gif|avif)\)")
AGAIN = "the screen is not as its picture any more: run `make pictures`, look at them, and commit them"
READ = msgspec.json.decode(WORDS.read_bytes(), type=dict[str, list[str]])


def test_the_guide_shows_each_picture_once_and_no_other() -> None:
    named = [name for page in GUIDE.glob("*.mdx") for _, name, _ in SHOWN.findall(page.read_text("utf-8"))]
    assert sorted(named) == sorted(screen.name for screen in SCREENS)
    assert sorted(READ) == sorted(named) == sorted(path.stem for path in GUIDE.glob("*.webp"))


def test_each_picture_is_described() -> None:
    found = [alt for page in GUIDE.glob("*.mdx") for alt, _, _ in SHOWN.findall(page.read_text("utf-8"))]
    assert [alt for alt in found if len(alt.split()) < 8] == []


def test_all_pictures_together_are_small() -> None:
    assert sum(path.stat().st_size for path in GUIDE.glob("*.webp")) <= MOST_BYTES


@pytest.mark.browser
@pytest.mark.postgres
def test_each_screen_still_says_what_its_picture_shows() -> None:
    with opened() as (tab, host):
        for name in shown(tab, host):
            assert words(tab) == READ[name], f"{name}: {AGAIN}"
