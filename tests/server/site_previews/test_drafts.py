"""A page as it is typed: shown before it is saved, at an address of its own."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from server.dashboard.previews import DraftResult, DraftText, PreviewFailed
from tests.server.commands import Answer
from tests.server.site_previews.conftest import SITE, Origin, serving

OTHER = SITE | {"docs/guide/rope.mdx": "# Rope\n", "docs/guide/rope.llms.md": "# Rope, for agents\n"}


class Desk:
    """Somebody who types, at the site `boats`."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self.root = origin.site("boats", OTHER)
        self.session = origin.session()

    def types(self, text: str, path: str = "docs/draft", format: str = "md") -> DraftResult:
        draft = DraftText(path, format, text)  # type: ignore[arg-type]
        return self.origin.do(lambda: self.origin.previews.draft(self.session.id, "boats", draft)).result()

    def looks(self, address: str) -> Answer:
        parts = urlsplit(address)
        return self.origin.ask(parts.netloc, f"{parts.path}?{parts.query}" if parts.query else parts.path)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with serving(tmp_path_factory.mktemp("desk") / "data") as origin:
        yield Desk(origin)


def test_what_is_typed_is_shown_in_the_site_and_nothing_is_written(desk: Desk) -> None:
    before = {path: path.read_bytes() for path in desk.root.rglob("*") if path.is_file()}
    typed = desk.types("---\ntitle: Currents\n---\n\nStrong.\n")
    assert typed.address.startswith(f"{desk.origin.previews.address(desk.session.id, 'boats')}/docs/draft?")
    page = desk.looks(typed.address)
    assert (page.status, page.headers["cache-control"]) == (200, "no-store")
    assert "Strong." in page.text
    assert page.text.count("Currents") > 2  # in the menu, too
    assert 'href="/docs/guide/rope"' in page.text
    saved = desk.looks(typed.address.partition("?")[0])
    assert ("Not yet." in saved.text, "Strong." in saved.text) == (True, False)
    assert {path: path.read_bytes() for path in desk.root.rglob("*") if path.is_file()} == before


PAGES = {
    "a new page": ("docs/guide/knots", "mdx", "# Knots\n\n<Callout>x</Callout>\n", "/docs/guide/knots"),
    "a page of another format": ("docs/draft", "mdx", "# Tides\n\n:::tip\nKnots\n:::\n", "/docs/draft"),
    "the page of a folder": ("docs/guide/index", "md", "# Knots\n", "/docs/guide/"),
    "a page with a twin": ("docs/guide/rope", "mdx", "# Knots\n", "/docs/guide/rope"),
    "a name that is quoted": ("docs/ä b".replace(" ", "-"), "md", "# Knots\n", "/docs/%C3%A4-b"),
}


@pytest.mark.parametrize("case", PAGES)
def test_any_page_can_be_typed(desk: Desk, case: str) -> None:
    path, format, text, address = PAGES[case]
    typed = desk.types(text, path, format)
    assert urlsplit(typed.address).path == address
    page = desk.looks(typed.address)
    assert (page.status, "Knots" in page.text or "Tides" in page.text) == (200, True)


def test_what_is_wrong_with_it_is_told_in_lines_of_the_text(desk: Desk) -> None:
    typed = desk.types("---\ntitle: A\n---\n\n[away](nowhere.md)\n")
    assert [(one.level, one.code, one.line) for one in typed.diagnostics] == [("error", "broken-link", 5)]
    assert desk.looks(typed.address).status == 200


@pytest.mark.parametrize("path", ["../../etc/passwd", "docs/../x", "notes", "docs/a.md", ""])
def test_a_page_that_cannot_be_is_refused_with_a_sentence(desk: Desk, path: str) -> None:
    with pytest.raises(PreviewFailed) as failed:
        desk.types("# A\n", path)
    assert (failed.value.status, bool(failed.value.says)) == (422, True)


def test_a_text_that_is_too_large_is_refused(desk: Desk) -> None:
    with pytest.raises(PreviewFailed) as failed:
        desk.types("a" * 1_100_000)
    assert (failed.value.status, "split the page" in failed.value.says) == (422, True)
    with pytest.raises(PreviewFailed) as failed:
        desk.types("a" * 5_000_000)
    assert failed.value.status == 413


def test_the_last_texts_alone_are_kept_and_nobody_guesses_one(desk: Desk) -> None:
    addresses = [desk.types(f"Text {number}.\n").address for number in range(10)]
    found = [desk.looks(address).status for address in addresses]
    assert found == [404, 404, *[200] * 8]
    assert "not kept any more" in desk.looks(addresses[0]).text
    assert desk.looks(f"{addresses[0].partition('?')[0]}?draft=x").status == 404


def test_addresses_have_the_base_path_of_the_site(origin: Origin) -> None:
    desk = Desk(origin)
    (desk.root / "site.yml").write_text("title: Boats\nurl: https://example.org/boats/\n")
    typed = desk.types("# Currents\n")
    assert urlsplit(typed.address).path == "/boats/docs/draft"
    assert "Currents" in desk.looks(typed.address).text
    host = urlsplit(typed.address).netloc
    assert origin.ask(host, "/").headers["location"] == "/boats/"
