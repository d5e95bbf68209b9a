from __future__ import annotations

import pytest

from builder.plan import llms_index
from server.mcp.built_site import BuiltSite, PageEntry
from tests.sites import build_site
from tests.time_bounds import processor_seconds

FILES = {
    "site.yml": "title: The *Harbour*\n",
    "docs/index.md": "# Start\n",
    "docs/guide/_category_.yml": "label: How to [sail]\n",
    "docs/guide/install.md": (
        "---\ntitle: Install [it] *now*\ndescription: Get it, (all) of it.\n---\nText.\n"
    ),
    "docs/guide/ünï.md": "# Signs\n",
    "docs/guide/unlisted.md": "---\ntitle: Unlisted\nunlisted: true\n---\nText.\n",
    "docs/guide/draft.md": "---\ntitle: Draft\ndraft: true\n---\nSecret.\n",
    "pages/about.md": "# About\n",
    "static/notes.txt": "no page",
}


def _site(folder, url: str = "", more: str = "") -> BuiltSite:
    said = f"url: {url}\n" if url else ""
    built = build_site(folder, {**FILES, "site.yml": FILES["site.yml"] + said + more})
    assert built.codes == []
    return BuiltSite(built.output.get)


@pytest.fixture(scope="module", params=["", "https://h.example", "https://h.example/base/docs"])
def site(request, tmp_path_factory) -> BuiltSite:
    """A site without an address, with one, and with one that has a path like that of its pages."""
    return _site(tmp_path_factory.mktemp("site"), request.param)


def test_the_pages_are_those_of_the_list_in_reading_order(site):
    root = site.origin + site.base
    assert root in {"", "https://h.example", "https://h.example/base/docs"}
    assert site.title == "The *Harbour*"
    assert [(page.path, page.title, page.section) for page in site.pages] == [
        ("/docs/", "Start", "Start"),
        ("/docs/guide/", "How to [sail]", "How to [sail]"),
        ("/docs/guide/install", "Install [it] *now*", "How to [sail]"),
        ("/docs/guide/ünï", "Signs", "How to [sail]"),
        ("/about", "About", "Pages"),
    ]
    assert site.pages[2].description == "Get it, (all) of it."
    assert site.pages[2].url == f"{root}/docs/guide/install"
    assert site.pages[0].url == f"{root}/docs/"


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/docs/guide/install", "/docs/guide/install"),
        ("docs/guide/install", "/docs/guide/install"),
        ("/docs/guide/install.md", "/docs/guide/install"),
        ("/docs/guide/install.html", "/docs/guide/install"),
        ("/docs/guide/install/", "/docs/guide/install"),
        ("/docs/guide/install?x=1#part", "/docs/guide/install"),
        ("/docs/guide/%C3%BCn%C3%AF", "/docs/guide/ünï"),
        ("/docs/guide/ünï", "/docs/guide/ünï"),
        ("/docs", "/docs/"),
        ("/docs/index.md", "/docs/"),
        ("/about", "/about"),
        ("/docs/guide/unlisted", "/docs/guide/unlisted"),
        ("page:///docs/guide/install.md", "/docs/guide/install"),
        ("/docs/guide/draft", None),
        ("/nowhere", None),
        ("/notes.txt", None),
        ("/404", None),
        ("/_tp/search.json", None),
        ("/../site.yml", None),
        ("/docs/../about", None),
        ("/docs/%2e%2e/about", None),
        ("/docs//guide/install", None),
        ("/docs\\guide/install", None),
        ("/docs/guide/install\0", None),
        ("file:///docs/guide/install.md", None),
        ("javascript:/docs/guide/install", None),
        ("https://[", None),
        ("/" + "a" * 3000, None),
        ("\ud800", None),
    ],
)
def test_a_page_is_found_by_its_address(site, address, path):
    found = site.entry(address)
    assert (found.path if found else None) == path


def test_the_whole_address_is_that_of_the_site_alone(site):
    page = site.pages[2]
    assert site.entry(page.url) == site.entry(site.uri(page)) == page
    other = site.entry("https://other.example/docs/guide/install")
    assert (other is None) == bool(site.origin)


def test_a_page_that_is_in_no_list_has_no_title(site):
    found = site.entry("/docs/guide/unlisted")
    assert found == PageEntry(
        "/docs/guide/unlisted", f"{site.origin}{site.base}/docs/guide/unlisted", "", "", "", found.output
    )
    assert site.twin(found.output).startswith("# Unlisted")


def test_a_site_whose_documentation_is_at_the_root_has_its_pages_there(tmp_path):
    site = _site(tmp_path, "https://h.example/base", "docs_at: /\ntrailing_slash: true\n")
    assert (site.base, [page.path for page in site.pages][:3]) == (
        "/base",
        ["/", "/guide/", "/guide/install/"],
    )
    assert site.entry("/guide/install") == site.entry("/guide/install/") == site.pages[2]


@pytest.mark.parametrize("longest", [900, 2_000, 50_000])
@pytest.mark.parametrize("url", ["", "https://h.example", "https://h.example/docs/base"])
def test_a_list_in_parts_is_one_list(tmp_path, monkeypatch, longest, url):
    monkeypatch.setattr(llms_index, "LONGEST", longest)
    pages = {
        f"docs/part{part}/{folder}p{number:02}.md": f"# P{part} {number} {folder}\n"
        for part in range(3)
        for folder in ("", "inner/")
        for number in range(20)
    }
    settings = f"title: T\nurl: {url}\n" if url else "title: T\n"
    built = build_site(tmp_path, {**pages, "pages/about.md": "# About\n", "site.yml": settings})
    site = BuiltSite(built.output.get)
    parts = [path for path in built.output.written if path.endswith("llms.txt")]
    assert len(parts) >= {900: 7, 2_000: 4, 50_000: 1}[longest]
    assert (site.origin + site.base, len(site.pages)) == (url, 128)
    assert len({page.output for page in site.pages}) == 128
    assert {page.section for page in site.pages} >= {"Documentation", "Part0", "Part2", "Pages"}
    assert site.entry(f"{url}/docs/part2/inner/p11").title == "P2 11 inner/"


@pytest.mark.parametrize("lead", ["llms.txt", "docs/llms.txt", "llms-1.txt", "robots.txt"])
def test_lists_that_lead_to_each_other_are_read_once(lead):
    asked: list[str] = []

    def read(output: str) -> bytes | None:
        asked.append(output)
        page = output.encode().replace(b".", b"-")
        return b"# T\n\n- [A](/%s.md)\n- [B](/%s)\n- [C](/llms.txt)\n" % (page, lead.encode())

    assert len(BuiltSite(read).pages) == (1 if lead in {"llms.txt", "robots.txt"} else 2)
    assert asked.count("llms.txt") == 1


@pytest.mark.parametrize(
    "index",
    [
        b"",
        b"\xff\xfe",
        b"- [a](../../etc/passwd.md)\n",
        b"- [a](https://h.example/../../etc/passwd.md)\n",
        b"# T\n\n- [a](javascript:alert.md)\n- [" + b"\\" * 5000 + b"](x.md)\n",
        b"- [a](https://[.md)\n",
    ],
)
def test_a_list_that_is_none_leads_nowhere_outside(index):
    asked: list[str] = []

    def read(output: str) -> bytes | None:
        asked.append(output)
        return index if output == "llms.txt" else None

    site = BuiltSite(read)
    assert site.base == ""
    for page in site.pages:
        assert site.entry(page.url) is None or site.twin(page.output) is None


POINTER = "> All pages: [llms.txt](/llms.txt)\n\n"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"{POINTER}# A\n", "# A\n"),
        ("> See [llms.txt](https://h.example/base/llms.txt), all pages.\n# A\n", "# A\n"),
        (f"{POINTER}{POINTER}", POINTER),
        (f"# A\n{POINTER}", f"# A\n{POINTER}"),
        ("> [llms.txt](/other.txt)\n# A\n", "> [llms.txt](/other.txt)\n# A\n"),
        ("> [llms.txt](a b/llms.txt)\n# A\n", "> [llms.txt](a b/llms.txt)\n# A\n"),
        ("> [llms.txt](/llms.txt)", "> [llms.txt](/llms.txt)"),
    ],
)
def test_a_text_is_given_without_the_line_that_leads_to_the_list(text, left):
    assert BuiltSite({"a.md": text.encode()}.get).twin("a.md") == left


def test_no_first_line_takes_long():
    hostile = "> " + "[llms.txt](" * 20_000 + "\n"
    with processor_seconds(1):
        assert BuiltSite({"a.md": hostile.encode()}.get).twin("a.md") == hostile
