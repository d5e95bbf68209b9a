"""The files that a build writes of a whole site in a folder."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from pathlib import Path

import pytest

from builder.build import build
from builder.errors import ConfigError, OutputError
from builder.output import FolderOutput, MemoryOutput, NullOutput
from builder.plan.copied_files import copy_files
from builder.plan.options import Options
from builder.store import ContentStore
from tests.sites import Files, build_site, write_site

SITE = "title: Example\nurl: https://docs.example.com\ndescription: All of it.\n"
PAGE = "---\ntitle: Install\ndescription: How to install.\n---\nText with `code`.\n"


def test_every_page_is_written_as_html_and_as_a_twin_at_both_addresses(tmp_path: Path) -> None:
    files = {
        "site.yml": SITE,
        "docs/guide/install.md": PAGE,
        "pages/about.md": "# About\n",
        "docs/index.md": PAGE,
    }
    built = build_site(tmp_path, files)
    assert built.codes == []
    for path in ("docs/guide/install", "about", "docs/index", "docs/guide/index"):
        html = built.text(f"{path}.html")
        assert html.startswith("<!doctype html>")
        twin = built.twin(f"{path}.md")
        assert built.twin(f"llms/{path}.md") == twin
        assert twin.startswith("# ")


def test_the_twin_of_a_page_has_its_title_description_and_body(tmp_path: Path) -> None:
    built = build_site(tmp_path, {"site.yml": SITE, "docs/a.md": PAGE})
    assert built.twin("docs/a.md") == "# Install\n\n> How to install.\n\nText with `code`.\n"


def test_a_hand_written_twin_is_given_as_it_is(tmp_path: Path) -> None:
    twin = "Anything  \r\n\n\nwith <Card> and no end"
    built = build_site(tmp_path, {"site.yml": SITE, "docs/a.md": PAGE, "docs/a.llms.md": twin})
    assert built.twin("docs/a.md") == twin
    assert built.twin("llms/docs/a.md") == twin


def test_llms_txt_lists_pages_by_section_in_sidebar_order(tmp_path: Path) -> None:
    files = {
        "site.yml": SITE,
        "docs/start.md": "---\ntitle: Start\ndescription: Begin here.\nsidebar_position: 1\n---\n",
        "docs/guide/b.md": "---\ntitle: Second\nsidebar_position: 2\n---\n",
        "docs/guide/a.md": "---\ntitle: First\nsidebar_position: 1\n---\n",
        "docs/guide/deep/c.md": "---\ntitle: 'Deep [c]'\n---\n",
        "pages/about.md": "---\ntitle: About\n---\n",
    }
    built = build_site(tmp_path, files)
    assert built.text("llms.txt") == (
        "# Example\n\n> All of it.\n\n"
        "## Documentation\n\n- [Docs](https://docs.example.com/docs/index.md)\n"
        "- [Start](https://docs.example.com/docs/start.md): Begin here.\n\n"
        "## Guide\n\n- [Guide](https://docs.example.com/docs/guide/index.md)\n"
        "- [First](https://docs.example.com/docs/guide/a.md)\n"
        "- [Second](https://docs.example.com/docs/guide/b.md)\n"
        "- [Deep](https://docs.example.com/docs/guide/deep/index.md)\n"
        "- [Deep \\[c\\]](https://docs.example.com/docs/guide/deep/c.md)\n\n"
        "## Pages\n\n- [About](https://docs.example.com/about.md)\n"
    )
    full = built.text("llms-full.txt")
    assert full.index("# Start") < full.index("# First") < full.index("# Second") < full.index("# About")
    assert "Source: https://docs.example.com/docs/guide/a\n" in full


def test_the_sitemap_names_every_public_page_once(tmp_path: Path) -> None:
    files = {
        "site.yml": SITE,
        "docs/guide/a.md": PAGE,
        "docs/draft.md": "---\ndraft: true\n---\n",
        "pages/index.md": "# Home\n",
        "pages/404.md": "# Lost\n",
    }
    found = re.findall(r"<loc>(.*?)</loc>", build_site(tmp_path, files).text("sitemap.xml"))
    base = "https://docs.example.com"
    assert sorted(found) == [f"{base}/", f"{base}/docs/", f"{base}/docs/guide/", f"{base}/docs/guide/a"]


def test_without_an_address_there_is_no_sitemap_and_links_start_at_the_root(tmp_path: Path) -> None:
    built = build_site(tmp_path, {"site.yml": "title: T\n", "docs/a.md": PAGE})
    assert "sitemap.xml" not in built.output.paths
    assert "](/docs/a.md)" in built.text("llms.txt")
    assert "canonical" not in built.text("docs/a.html")


def test_a_base_path_is_in_every_address_and_in_no_output_path(tmp_path: Path) -> None:
    files = {
        "site.yml": (
            "title: T\nurl: https://o.example/repo/\nnav:\n- {label: Docs, href: /docs/a}\n"
            "redirects:\n  /old: /docs/a\n"
        ),
        "docs/a.md": "[b](b.md) ![i](i.png) [top](#x)\n\n## X\n",
        "docs/b.md": "[a](/docs/a#x)\n",
        "docs/i.png": b"png",
    }
    built = build_site(tmp_path, files)
    assert built.codes == []
    html = built.text("docs/a.html")
    addresses = re.findall(r'(?:href|src)="(/[^"]*)"', html)
    assert addresses
    assert all(address.startswith("/repo/") for address in addresses), addresses
    assert '<link rel="canonical" href="https://o.example/repo/docs/a">' in html
    assert built.text("_redirects") == "/repo/old /repo/docs/a 301\n"
    assert not any(path.startswith("repo") for path in built.output.paths)
    assert "https://o.example/repo/docs/b" in built.twin("docs/a.md")
    assert "https://o.example/repo/docs/i.png" in built.twin("docs/a.md")


def test_redirects_are_pages_and_a_redirects_file(tmp_path: Path) -> None:
    files = {
        "site.yml": SITE + "redirects:\n  /old: /docs/a\n  /older/: https://else.example/x\n",
        "docs/a.md": PAGE,
    }
    built = build_site(tmp_path, files)
    assert built.codes == []
    assert 'url=/docs/a"' in built.text("old.html")
    assert 'url=https://else.example/x"' in built.text("older/index.html")
    assert built.text("_redirects") == "/old /docs/a 301\n/older/ https://else.example/x 301\n"


REDIRECT_FAULTS = [
    ("/docs/a: /docs/b", "path-conflict"),
    ("/old: /docs/nowhere", "redirect-invalid"),
    ("/old: 'javascript:alert(1)'", "redirect-invalid"),
    ("/../up: /docs/a", "redirect-invalid"),
    ("no-slash: /docs/a", "redirect-invalid"),
    ("/with*star: /docs/a", "redirect-invalid"),
]


@pytest.mark.parametrize(("rule", "code"), REDIRECT_FAULTS)
def test_a_redirect_that_makes_no_sense_is_an_error(tmp_path: Path, rule: str, code: str) -> None:
    files = {"site.yml": f"title: T\nredirects:\n  {rule}\n", "docs/a.md": PAGE, "docs/b.md": PAGE}
    assert code in build_site(tmp_path, files).codes


def test_the_first_page_answers_at_the_root_when_there_is_no_home_page(tmp_path: Path) -> None:
    files = {
        "site.yml": SITE,
        "docs/b.md": PAGE,
        "docs/a.md": "---\ntitle: First\nsidebar_position: 1\n---\n",
    }
    built = build_site(tmp_path, files)
    assert built.text("index.html") == built.text("docs/a.html")
    assert built.text("index.md") == built.text("docs/a.md")
    assert '<link rel="canonical" href="https://docs.example.com/docs/a">' in built.text("index.html")


def test_a_home_page_of_ones_own_answers_at_the_root(tmp_path: Path) -> None:
    built = build_site(tmp_path, {"site.yml": SITE, "docs/a.md": PAGE, "pages/index.md": "# Welcome\n"})
    assert "Welcome" in built.text("index.html")
    assert "<title>Example</title>" in built.text("index.html")


def test_a_site_without_pages_still_has_a_home_and_a_not_found_page(tmp_path: Path) -> None:
    built = build_site(tmp_path, {"site.yml": SITE})
    assert {"index.html", "404.html", "llms.txt", "robots.txt"} <= built.output.paths


def test_the_not_found_page_links_to_the_top_of_the_documentation(tmp_path: Path) -> None:
    files = {"site.yml": SITE, "docs/a.md": PAGE, "docs/guide/b.md": PAGE}
    html = build_site(tmp_path, files).text("404.html")
    assert 'href="/docs/a"' in html
    assert 'href="/docs/guide/"' in html
    assert "noindex" in html


def test_files_beside_pages_and_in_static_are_copied_to_their_places(tmp_path: Path) -> None:
    files = {
        "site.yml": SITE,
        "docs/guide/a.md": "![x](x.png) [f](/robots.json) ![y](/img/y.svg)\n",
        "docs/guide/x.png": b"\x89PNG",
        "pages/about.md": "# About\n\n![z](z.gif)\n",
        "pages/z.gif": b"GIF",
        "static/robots.json": "{}",
        "static/img/y.svg": "<svg/>",
        "static/.well-known/x.txt": "kept",
        "static/.secret": "left out",
        "docs/.well-known/x.txt": "left out",
    }
    built = build_site(tmp_path, files)
    assert [found for found in built.diagnostics if found.code.startswith("broken")] == []
    assert built.output.copied == {
        "docs/guide/x.png": "docs/guide/x.png",
        "z.gif": "pages/z.gif",
        "robots.json": "static/robots.json",
        "img/y.svg": "static/img/y.svg",
        ".well-known/x.txt": "static/.well-known/x.txt",
    }


CONFLICTS: list[tuple[str, Files]] = [
    ("a page and a static file", {"docs/a.md": PAGE, "static/docs/a.html": "x"}),
    ("a standalone page and a static file", {"pages/about.md": PAGE, "static/about.html": "x"}),
    ("two spellings", {"docs/Install.md": PAGE, "docs/install.md": PAGE}),
    ("two formats", {"docs/a.md": PAGE, "docs/a.mdx": PAGE}),
    ("a static file and a file that every build writes", {"static/llms.txt": "x"}),
    ("a static file and a twin", {"docs/a.md": PAGE, "static/docs/a.md": "x"}),
]


@pytest.mark.parametrize("files", [case[1] for case in CONFLICTS], ids=[case[0] for case in CONFLICTS])
def test_two_sources_for_one_output_are_an_error_that_names_both(tmp_path: Path, files: Files) -> None:
    built = build_site(tmp_path, {"site.yml": SITE, **files})
    found = [each for each in built.diagnostics if each.code == "path-conflict"]
    assert len(found) == 1
    both = list(files) if len(files) > 1 else [*files, "a file that the build makes"]
    assert [name for name in both if name in found[0].message] == both


def test_every_page_carries_the_policy_and_nothing_inline_but_the_hashed_snippet(tmp_path: Path) -> None:
    files = {"site.yml": SITE, "docs/a.mdx": "| a |\n|:-:|\n| b |\n\n```py\nx = 1\n```\n\n:::note\nx\n:::\n"}
    built = build_site(tmp_path, files)
    pages = [path for path in built.output.written if path.endswith(".html")]
    assert len(pages) >= 3
    for path in pages:
        html = built.text(path)
        assert "default-src 'none'; script-src 'self' 'sha256-" in html.replace("&#39;", "'"), path
        assert " style=" not in html
        assert not re.search(r"<[a-z][^>]*\son\w+=", html)
        assert len(re.findall(r"<script>", html)) <= 1


def test_a_broken_anchor_is_found_at_its_exact_place(tmp_path: Path) -> None:
    files = {
        "site.yml": SITE,
        "docs/a.md": "---\ntitle: A\n---\n\nSee [this](b.md#instal) and [that](b.md#install).\n",
        "docs/b.md": "## Install\n",
    }
    found = build_site(tmp_path, files).diagnostics
    assert [(d.code, d.file, d.line, d.column) for d in found] == [("broken-anchor", "docs/a.md", 5, 12)]
    assert "install" in found[0].hint


UNDERSTOOD = [
    "[m](mailto:a@b.example)",
    "[t](tel:+123)",
    "[q](b.md?x=1#install)",
    "[own](#here)\n\n## Here",
    "[explicit](b.md#custom)",
    "[raw](b.md#raw)",
    "[top](#top)",
    "[index](.)",
    "[folder](/docs/)",
    "[twin](/docs/b.md)",
    "[llms](/llms.txt)",
    "[encoded](b.md#%C3%BCber)",
]


@pytest.mark.parametrize("body", UNDERSTOOD)
def test_links_that_work_are_never_called_broken(tmp_path: Path, body: str) -> None:
    target = '## Install\n\n## Other {#custom}\n\n<a id="raw"></a>\n\n## Über\n'
    built = build_site(tmp_path, {"site.yml": SITE, "docs/a.md": body, "docs/b.md": target})
    assert built.codes == []


def digest(folder: Path) -> str:
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            whole.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()


def test_two_builds_in_other_folders_and_time_zones_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests = []
    for name, zone in (("one", "UTC"), ("elsewhere/two", "Asia/Kathmandu")):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        site = write_site(
            tmp_path / name,
            {
                "site.yml": SITE,
                "docs/a.md": PAGE,
                "docs/b/c.mdx": '<Tabs labels="x, y">\n<TabItem>1</TabItem>\n<TabItem>2</TabItem>\n</Tabs>\n',
                "docs/b/x.png": os.urandom(0) + b"png",
            },
        )
        build(site, FolderOutput(tmp_path / name / "dist"))
        digests.append(digest(tmp_path / name / "dist"))
    monkeypatch.undo()
    time.tzset()
    assert digests[0] == digests[1]


def test_a_folder_that_is_no_site_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="twinpress new"):
        build(tmp_path, NullOutput())


def test_progress_counts_every_page(tmp_path: Path) -> None:
    write_site(tmp_path, {"site.yml": SITE, "docs/a.md": PAGE, "docs/b.md": PAGE})
    seen: list[tuple[int, int]] = []
    build(tmp_path, MemoryOutput(), Options(), lambda done, total: seen.append((done, total)))
    assert seen[0] == (1, 2)
    assert seen[-1] == (2, 2)


def test_the_list_of_pages_for_the_themes_script_is_data(tmp_path: Path) -> None:
    built = build_site(tmp_path, {"site.yml": SITE, "docs/guide/a.md": PAGE, "pages/index.md": "# Home\n"})
    path = next(path for path in built.output.paths if re.fullmatch(r"_tp/pages\.\w+\.json", path))
    rows = json.loads(built.text(path))
    assert ["/docs/guide/a", "Install", "How to install."] in rows
    assert ["/", "Home", ""] in rows


def test_a_file_that_cannot_be_read_is_named_and_the_rest_is_built(tmp_path: Path) -> None:
    write_site(tmp_path, {"site.yml": SITE, "docs/a.md": PAGE, "static/x.png": b"x", "static/y.png": b"y"})
    with ContentStore(tmp_path) as store:
        files = store.scan().files
        (tmp_path / "static/x.png").unlink()
        output = MemoryOutput()
        found = list(copy_files(store, files, output, Options()))
    assert [(each.code, each.file) for each in found] == [("page-unreadable", "static/x.png")]
    assert output.copied == {"y.png": "static/y.png"}


def test_a_robots_file_of_ones_own_is_used(tmp_path: Path) -> None:
    built = build_site(
        tmp_path, {"site.yml": SITE, "docs/a.md": PAGE, "static/robots.txt": "User-agent: x\n"}
    )
    assert built.codes == []
    assert "robots.txt" not in built.output.written
    assert built.output.copied == {"robots.txt": "static/robots.txt"}


def test_the_header_marks_only_the_nearest_section(tmp_path: Path) -> None:
    nav = "nav:\n- {label: All, href: /docs/}\n- {label: Guide, href: /docs/guide/}\n- {label: Out, href: 'https://x.example/'}\n"
    built = build_site(tmp_path, {"site.yml": SITE + nav, "docs/a.md": PAGE, "docs/guide/b.md": PAGE})

    def marked(path: str) -> list[str]:
        return sorted(set(re.findall(r'<a href="([^"]*)" aria-current="true"', built.text(path))))

    assert marked("docs/a.html") == ["/docs/"]
    assert marked("docs/guide/b.html") == ["/docs/guide/"]
    assert marked("404.html") == []


def test_a_broken_link_of_the_site_is_found_at_its_own_line(tmp_path: Path) -> None:
    nav = "nav:\n- label: A\n- label: C\n  href: /nowhere\n- label: D\n  href: /docs/a\n"
    built = build_site(tmp_path, {"site.yml": nav, "docs/a.md": PAGE})
    found = [(d.code, d.line, d.column) for d in built.diagnostics if d.code == "broken-link"]
    assert found == [("broken-link", 4, 9)]


CONFIGURED = [
    ("nav:\n- label: A\n  href: /docs/a#waht\n", (3, 9, "broken-anchor", "did you mean `what`?")),
    ("nav:\n- {label: A, href: 'https://docs.example.com/docs/a#x'}\n", (2, 20, "broken-anchor", "")),
    ("nav:\n- {label: A, href: 'https://docs.example.com/docs/z'}\n", (2, 20, "broken-link", "")),
    ("footer:\n  links:\n  - {label: A, href: /docs/a#x}\n", (3, 22, "broken-anchor", "")),
    ("footer:\n  links:\n  - {label: A, href: docs/b}\n", (3, 22, "broken-link", "")),
    ("redirects:\n  /old: /docs/a#x\n", (2, 9, "broken-anchor", "")),
    ("redirects:\n  /old: docs/b\n", (2, 9, "redirect-invalid", "")),
    ("logo: /plan.pgn\n", (1, 7, "broken-image", "did you mean `/plan.png`?")),
    ("favicon: https://docs.example.com/plan.pgn\n", (1, 10, "broken-image", "did you mean `/plan.png`?")),
]


@pytest.mark.parametrize(("fields", "found"), CONFIGURED)
def test_every_link_of_the_configuration_is_checked(
    tmp_path: Path, fields: str, found: tuple[int, int, str, str]
) -> None:
    about = "title: T\nurl: https://docs.example.com\n"
    files = {"site.yml": fields + about, "docs/a.md": "# A\n\n## What\n", "static/plan.png": b"png"}
    (told,) = build_site(tmp_path, files).diagnostics
    assert (told.file, told.line, told.column, told.code, told.hint) == ("site.yml", *found)


def test_links_of_the_configuration_that_work_are_never_called_broken(tmp_path: Path) -> None:
    hrefs = ["/docs/a#what", "docs/a.md#what", "https://docs.example.com/#what", "/#top", "tel:1"]
    nav = "".join(f"- {{label: A, href: '{href}'}}\n" for href in hrefs)
    config = f"{SITE}nav:\n{nav}redirects:\n  /old: /docs/a#what\n"
    files = {"site.yml": config, "docs/a.md": "# A\n\n## What\n"}
    assert build_site(tmp_path, files).diagnostics == ()


def test_the_first_page_may_be_linked_with_its_headings_at_the_root(tmp_path: Path) -> None:
    files = {"site.yml": SITE, "docs/a.md": "# A\n\n[x](/#a)\n", "docs/b.md": "[x](/#no)\n"}
    assert [(each.file, each.code) for each in build_site(tmp_path, files).diagnostics] == [
        ("docs/b.md", "broken-anchor")
    ]


def test_a_link_to_an_old_address_that_redirects_is_no_broken_link(tmp_path: Path) -> None:
    files = {
        "site.yml": SITE + "redirects:\n  /old: /docs/a\n  /older/: /docs/a\n",
        "docs/a.md": "[x](/old) [y](/older/)",
    }
    assert build_site(tmp_path, files).codes == []


def test_a_redirect_from_a_page_is_an_error_at_its_place_in_the_configuration(tmp_path: Path) -> None:
    files = {"site.yml": "title: T\nredirects:\n  /docs/a: /docs/b\n", "docs/a.md": PAGE, "docs/b.md": PAGE}
    (found,) = build_site(tmp_path, files).diagnostics
    assert (found.code, found.file, found.line) == ("path-conflict", "site.yml", 3)
    assert found.message == "the redirect from /docs/a and `docs/a.md` would both be written to `docs/a.html`"


@pytest.mark.parametrize("head", ["# Own *title*\n", "Own *title*\n=====\n"])
def test_the_twin_of_a_page_with_a_heading_of_its_own_has_the_description_below_it(
    tmp_path: Path, head: str
) -> None:
    source = f"---\ndescription: About.\n---\n{head}\nText.\n"
    built = build_site(tmp_path, {"site.yml": SITE, "docs/a.md": source})
    assert built.twin("docs/a.md") == f"{head.rstrip()}\n\n> About.\n\nText.\n"


def test_titles_are_text_in_the_files_for_machines(tmp_path: Path) -> None:
    built = build_site(tmp_path, {"site.yml": SITE, "docs/a.md": "---\ntitle: 'A *b* `c` [d] <e>'\n---\n"})
    assert built.twin("docs/a.md").startswith("# A \\*b\\* \\`c\\` \\[d\\] \\<e>\n")
    assert "- [A \\*b\\* \\`c\\` \\[d\\] \\<e>](" in built.text("llms.txt")


def test_a_misnamed_configuration_is_an_error(tmp_path: Path) -> None:
    found = build_site(tmp_path, {"site.yaml": SITE, "docs/a.md": PAGE}).diagnostics
    assert [(each.file, each.code, each.hint) for each in found] == [
        ("site.yaml", "config-invalid", "rename it to `site.yml`")
    ]


def test_nothing_is_written_when_a_foreign_file_is_in_the_way(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", {"site.yml": SITE, "docs/a.md": PAGE, "pages/index.md": "# Home\n"})
    out = tmp_path / "out"
    out.mkdir()
    (out / "index.html").write_text("precious")
    with pytest.raises(OutputError, match="in the way"):
        build(site, FolderOutput(out))
    assert [path.name for path in out.rglob("*")] == ["index.html"]
