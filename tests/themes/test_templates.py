"""The output of the templates, for each kind of page, on a site with everything and on a bare one."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from markupsafe import Markup
from msgspec.structs import replace

from builder import theme
from builder.markdown.commonmark.toc import TocEntry
from builder.theme import PageView, SiteView, templates
from tests.themes.views import BARE_SITE, DOC, EMPTY, FILES, KINDS, SITE, THEME, render

SITES = {"a full site": SITE, "a bare site": BARE_SITE}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Document(HTMLParser):
    """Every element with its attributes, in order; raises AssertionError where tags are not balanced."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def all(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        return [
            found
            for name, found in self.elements
            if name == tag and all(found.get(key) == value for key, value in attributes.items())
        ]


@pytest.fixture(params=SITES.values(), ids=SITES.keys())
def site(request: pytest.FixtureRequest) -> SiteView:
    return request.param


@pytest.fixture(params=KINDS.values(), ids=KINDS.keys())
def view(request: pytest.FixtureRequest) -> PageView:
    return request.param


def test_every_kind_of_page_is_one_balanced_document(view: PageView, site: SiteView) -> None:
    document = Document(render(view, site))
    for tag in ("html", "head", "title", "body", "header", "main", "article", "h1"):
        assert len(document.all(tag)) == 1, tag


def test_no_page_needs_what_the_policy_forbids(view: PageView, site: SiteView) -> None:
    document = Document(render(view, site))
    for tag, attributes in document.elements:
        assert tag != "style"
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
    inline = [script for script in document.all("script") if script.keys().isdisjoint({"src", "type"})]
    assert len(inline) == 1


def test_the_policy_allows_the_one_inline_script_by_its_hash() -> None:
    inline = re.search(r"<script>(.*?)</script>", render(DOC), re.DOTALL)
    assert inline is not None
    digest = base64.b64encode(hashlib.sha256(inline[1].encode()).digest()).decode()
    policy = Document(render(DOC)).all("meta", **{"http-equiv": "Content-Security-Policy"})[0]["content"]
    assert f"'sha256-{digest}'" in str(policy)


def test_the_policy_stands_before_whatever_it_is_for() -> None:
    html = render(DOC)
    assert html.index("Content-Security-Policy") < html.index("<script") < html.index('rel="stylesheet"')


def test_ids_and_classes_of_the_frame_are_the_themes_own(view: PageView, site: SiteView) -> None:
    document = Document(render(replace(view, body=Markup("")), site))
    for _, attributes in document.elements:
        for name in [*str(attributes.get("class") or "").split(), *str(attributes.get("id") or "").split()]:
            assert name.startswith("tp-"), name


def test_every_control_of_the_frame_has_a_name_and_every_navigation_its_own() -> None:
    document = Document(render(DOC))
    unnamed = [button for button in document.all("button") if not button.get("aria-label")]
    assert [button.get("data-tool") or button.get("popovertarget") for button in unnamed] == [
        "tp-nav-3",
        "page",
    ]
    assert f">{SITE.words.copy_page}</button>" in render(DOC)
    assert ">More</button>" in render(DOC)
    names = [nav.get("aria-label") or nav.get("aria-labelledby") for nav in document.all("nav")]
    assert len(names) == len(set(names)) == 5


def test_what_a_page_does_not_have_leaves_nothing_behind() -> None:
    html = render(EMPTY, BARE_SITE)
    for trace in ("tp-menu", "tp-nav", "tp-contents", "tp-tools", "tp-pager", "tp-footer", "tp-breadcrumbs"):
        assert trace not in html, trace
    for trace in ("description", "canonical", "robots", "alternate", 'href=""', 'content=""'):
        assert trace not in html, trace


def test_the_head_tells_search_engines_and_readers_of_markdown() -> None:
    document = Document(render(DOC))
    assert document.all("meta", name="description", content=DOC.description)
    assert document.all("link", rel="canonical", href=DOC.canonical)
    assert document.all("link", rel="alternate", type="text/markdown", href=DOC.twin)
    assert document.all("meta", property="og:title", content=DOC.title)
    assert not document.all("meta", name="robots")


def test_a_draft_says_so_and_is_not_indexed() -> None:
    html = render(KINDS["a draft"])
    assert "tp-draft-note" in html
    assert '<meta name="robots" content="noindex">' in html
    assert '<script type="module" src="/_tp/reload.js"></script>' in html


def test_a_table_of_contents_needs_two_entries() -> None:
    assert "tp-contents" not in render(replace(DOC, toc=DOC.toc[:1]))


def test_what_stands_under_no_section_is_not_set_off_from_one() -> None:
    entries = (TocEntry(3, "ask", "Ask"), TocEntry(2, "two", "Two"), TocEntry(3, "three", "Three"))
    found = re.findall(r'tp-level-(\d)"><a href="#(\w+)"', render(replace(DOC, toc=entries)))
    assert found[:3] == [("2", "ask"), ("2", "two"), ("3", "three")]


def test_text_is_escaped_wherever_it_stands() -> None:
    payload = "<script>\"'&"
    fields = dict.fromkeys(("title", "head_title", "description", "h1", "edit", "twin", "canonical"), payload)
    site = replace(SITE, title=payload, generator=payload, logo=payload, favicon=payload)
    html = render(replace(DOC, **fields), site)
    assert payload not in html
    assert len(Document(html).all("script")) == 3


def test_the_frame_does_not_depend_on_the_body() -> None:
    frames = {
        tuple(re.split(r"(?s)<article.*</article>", render(replace(DOC, body=Markup(body)))))
        for body in ("", "<p>One.</p>", "<p>Another.</p>" * 100)
    }
    assert len(frames) == 1


def test_a_redirect_leads_on_with_and_without_the_browsers_help() -> None:
    document = Document(
        templates.redirect(
            theme.DEFAULT, SITE, THEME, "/docs/new?a=1&b=2", "https://docs.example.com/docs/new"
        )
    )
    assert document.all("meta", **{"http-equiv": "refresh", "content": "0; url=/docs/new?a=1&b=2"})
    assert document.all("a", href="/docs/new?a=1&b=2")
    assert document.all("link", rel="canonical", href="https://docs.example.com/docs/new")
    assert document.all("meta", name="robots", content="noindex")


def test_the_snippet_before_painting_is_one_short_line() -> None:
    assert "\n" not in FILES.boot
    assert len(FILES.boot) < 300
